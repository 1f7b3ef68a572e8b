//! A link that ends after some clicks, while the engine that knows them fails.

use std::fs;

use serde_json::json;

use crate::{
    app::Answer,
    process::{pharos, set_up, start},
};

/// Once counted, the state database alone knows what is left of a link's clicks, and the engine is not asked.
#[actix::test]
async fn a_link_whose_clicks_cannot_be_counted_leads_nowhere_until_the_engine_answers() {
    let (data, points) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let made = set_up(data.path());
    let mut command = pharos(data.path());
    command.env("PHAROS_DRILL_FAILPOINTS", points.path());
    let process = start(command).await;
    let http = super::client();
    for (slug, most) in [
        ("known", json!(2)),
        ("unknown", json!(2)),
        ("free", json!(null)),
    ] {
        let mut link = json!({
            "slug": slug, "name": slug, "targetUrl": "https://example.com/", "maxClicks": most,
        });
        link.as_object_mut()
            .unwrap()
            .retain(|_, field| !field.is_null());
        let request = http.post(format!("{}/links/create", process.base));
        let answer = Answer::send(request.header("x-api-key", &made.key).json(&link)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let visit = async |slug: &str| {
        let answer = Answer::send(http.get(format!("{}/{slug}", process.links))).await;
        (answer.status, answer.header("retry-after").to_owned())
    };
    let led = (302, String::new());
    assert_eq!(visit("known").await, led);

    fs::write(points.path().join("engine"), "fail").unwrap();
    assert_eq!(visit("unknown").await, (503, "5".to_owned()));
    assert_eq!(visit("known").await, led);
    assert_eq!(visit("free").await, led);

    fs::remove_file(points.path().join("engine")).unwrap();
    assert_eq!(visit("unknown").await, led);
    process.stop();
}
