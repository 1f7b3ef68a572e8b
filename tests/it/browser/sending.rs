//! Requests that the tracker sends.

use serde_json::{Value, json};

use super::{browse, named, pairs, shop, total};
use crate::app::until;

#[actix::test]
async fn what_failed_on_the_way_is_sent_again_and_counts_once() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "delivery").await;
    let tries = said["tries"].as_array().unwrap();
    let statuses: Vec<_> = tries.iter().map(|one| one["status"].as_i64()).collect();
    assert_eq!(statuses, [Some(503), Some(503), Some(503), Some(200)]);
    assert!(
        tries.iter().all(|one| one["id"] == tries[0]["id"]),
        "{tries:?}"
    );
    let pages = pairs(&app, "top_pages", "path", "pageviews").await;
    assert_eq!(pages, named(&[("/trouble", 1)]));

    let beacons = said["beacons"].as_array().unwrap();
    assert!(beacons.len() > 1, "{beacons:?}");
    for beacon in beacons {
        assert!(beacon["bytes"].as_i64().unwrap() <= 60 * 1024, "{beacon}");
        assert_eq!(beacon["type"], "text/plain;charset=UTF-8");
        assert_eq!(beacon["status"], 200);
    }
    let custom = pairs(&app, "custom_events", "name", "total_events").await;
    assert_eq!(
        custom,
        named(&[("at_the_end", 16), ("good_after", 1), ("good_before", 1)])
    );
    app.finish().await;
}

#[actix::test]
async fn a_visitor_who_comes_back_is_the_same_through_the_sites_own_address() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "people").await;
    assert_eq!(said["first"], said["second"]);
    assert_eq!(said["view"]["page_count"], 2);
    assert_eq!(said["view"]["gclid"], "ad7");
    assert_eq!(said["view"]["profileId"], "user_1");
    // A conversion on a later page still knows its ad.
    assert_eq!(said["paid"]["properties"]["gclid"], "ad7");
    assert_eq!(said["storage"]["local"]["did"], said["first"]["anonId"]);
    assert_eq!(said["storage"]["local"]["did_profile"], "user_1");
    assert_eq!(
        said["storage"]["session"]["did_session"],
        said["first"]["sessionId"]
    );
    assert_eq!(said["after"]["profile"], Value::Null);
    assert_ne!(said["after"]["ids"]["anonId"], said["first"]["anonId"]);
    assert_ne!(
        said["after"]["ids"]["sessionId"],
        said["first"]["sessionId"]
    );
    assert_eq!(said["handed"], said["ids"], "handed over by the address");
    assert_eq!(said["kept"], said["ids"], "nonsense in the address");
    let identified = said["identified"].as_array().unwrap();
    assert_eq!(identified.len(), 1, "{identified:?}");
    assert_eq!(identified[0]["profileId"], "user_1");
    assert_eq!(identified[0]["anonymousId"], said["first"]["anonId"]);
    assert_eq!(identified[0]["traits"], json!({ "plan": "pro" }));

    until("five exits", async || {
        total(&app, "top_pages", "pageviews").await == 5
    })
    .await;
    let summary = &app.rows("summary_metrics").await[0];
    assert_eq!(summary["visitors"], 2, "{summary}");
    assert_eq!(summary["sessions"], 2, "{summary}");
    // The proxy is no visitor: it says whose requests it hands on.
    let countries = pairs(&app, "country", "country_name", "visitors").await;
    assert_eq!(countries, named(&[("United States", 2)]));
    app.finish().await;
}
