//! From the click to the visit behind it: what visitors do on a website can be asked by the link that brought them.

use serde_json::{Value, json};

use super::{create_link, follow};
use crate::app::{App, NOW};

/// A page view as the tracker sends it; one that is named later is later.
fn view(id: i64, session: &str, path: &str) -> Value {
    json!({
        "eventId": id.to_string(), "name": "screen_view", "path": path, "anonymousId": format!("anon-{session}"),
        "sessionId": session, "timestamp": NOW - 60_000 + id,
    })
}

#[actix::test]
async fn a_visit_is_asked_for_by_the_link_that_led_to_it() {
    let app = App::with("limits.query_requests = 0").await;
    let link = create_link(
        &app,
        json!({ "slug": "spring", "targetUrl": "http://localhost/landing?x=1" }),
    )
    .await;
    let other = create_link(
        &app,
        json!({ "slug": "fall", "targetUrl": "http://localhost/landing" }),
    )
    .await;
    let (id, others) = (link["id"].as_str().unwrap(), other["id"].as_str().unwrap());
    let led = follow(&app, "spring", &[])
        .await
        .header("location")
        .to_owned();
    assert!(led.ends_with(&format!("ref={id}")), "{led}");
    let led_elsewhere = follow(&app, "fall", &[])
        .await
        .header("location")
        .to_owned();
    app.send_pages(&[
        // The visitor of the link views a second page and buys there.
        view(1, "one", &led),
        view(2, "one", "http://localhost/basket"),
        view(3, "two", &led_elsewhere),
        view(4, "three", "http://localhost/landing"),
        // What others mean by `ref` is no link.
        view(5, "four", "http://localhost/landing?ref=producthunt"),
        view(
            6,
            "five",
            &format!("http://localhost/landing?ref={}", id.to_uppercase()),
        ),
    ])
    .await;
    let bought = json!([
        { "name": "purchase", "sessionId": "one", "websiteId": app.website },
        { "name": "purchase", "sessionId": "three", "websiteId": app.website },
    ]);
    assert_eq!(app.send(&bought).await.status, 200);
    let ask = async |filters: Value| {
        let body = json!({ "parameters": ["summary_totals", "custom_events", "top_pages"], "preset": "today", "filters": filters });
        let answer = app.ask(&body).await;
        let sum = |at: usize, column: &str| -> u64 {
            answer
                .rows(at)
                .iter()
                .map(|row| row[column].as_u64().unwrap())
                .sum()
        };
        (
            sum(0, "pageviews"),
            sum(1, "total_events"),
            sum(2, "pageviews"),
        )
    };
    let by = |op: &str, value: Value| json!([{ "field": "link_id", "op": op, "value": value }]);
    assert_eq!(ask(json!([])).await, (6, 2, 6));
    assert_eq!(ask(by("eq", json!(id))).await, (2, 1, 2));
    assert_eq!(ask(by("eq", json!(others))).await, (1, 0, 1));
    assert_eq!(ask(by("in", json!([id, others]))).await, (3, 1, 3));
    assert_eq!(ask(by("ne", json!(id))).await, (4, 1, 4));
    assert_eq!(ask(by("eq", json!("unknown"))).await, (3, 1, 3));

    // The clicks of all links, asked for one of them.
    app.platform.as_ref().unwrap().clicks().flush().await;
    let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    for (filters, clicks) in [
        (json!([]), 2),
        (by("eq", json!(id)), 1),
        (by("eq", json!("nobody's")), 0),
    ] {
        let body =
            json!({ "parameters": ["link_total_clicks"], "preset": "today", "filters": filters });
        assert_eq!(
            app.post(url.clone(), &body).await.rows(0)[0]["total"],
            clicks,
            "{filters}"
        );
    }
    app.finish().await;
}
