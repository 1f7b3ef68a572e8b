//! `GET /px.jpg`: always the image, and an event when all is well.

use serde_json::json;

use super::{joined, stored, unlimited};
use crate::app::{App, NOW};

const GOOD: &str = "eventId=e&name=screen_view&path=https%3A%2F%2Flocalhost%2Fa";

/// Asks for the image and sees that it is one.
async fn image(app: &App, query: &str, headers: &[(&str, &str)]) {
    let mut request = app.http.get(format!("{}/px.jpg?{query}", app.track));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{query}");
    for (name, value) in [
        ("content-type", "image/gif"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "cross-origin"),
    ] {
        assert_eq!(answer.headers()[name], value, "{query}: {name}");
    }
    assert!(answer.headers().contains_key("x-request-id"));
    let bytes = answer.bytes().await.unwrap();
    assert_eq!(&bytes[..10], b"GIF89a\x01\0\x01\0", "{query}");
    assert_eq!((bytes.len(), bytes.last()), (43, Some(&b';')));
}

#[actix::test]
async fn every_type_is_stored() {
    let app = unlimited().await;
    let id = format!("client_id={}", app.website);
    for query in [
        format!(
            "{id}&{GOOD}&time_on_page=5&properties=%7B%22a%22%3A1%7D&anonymizeVisitorIds=false"
        ),
        format!(
            "{id}&type=track&eventId=e2&name=page_exit&path=http://localhost/b&properties[plan]=pro"
        ),
        format!("{id}&type=outgoing_link&eventId=e3&href=https://x.example/&text=A+b"),
        format!("{id}&type=web_vitals&timestamp={NOW}&path=/a&metricName=CLS&metricValue=0.01"),
        format!(
            "{id}&type=error&timestamp={NOW}&path=/a&message=boom&lineno=3&errorType=TypeError"
        ),
    ] {
        image(&app, &query, &[]).await;
    }
    let row = joined(&[
        "kind",
        "name",
        "path",
        "properties",
        "coalesce(href, message)",
        "value",
        "line",
    ]);
    assert_eq!(
        stored(&app, &row).await,
        [
            r#"1|page_exit|/b|{"plan":"pro"}|||"#,
            r#"1|screen_view|/a|{"a":1}|||"#,
            "3|outgoing_link|||https://x.example/||",
            "4|CLS|/a|||0.01|",
            "5|TypeError|/a||boom||3",
        ]
    );
    app.finish().await;
}

#[actix::test]
async fn the_header_may_name_the_website_and_a_repeated_event_counts_once() {
    let app = unlimited().await;
    let named = [("databuddy-client-id", app.website.as_str())];
    image(&app, GOOD, &named).await;
    image(&app, GOOD, &named).await;
    assert_eq!(stored(&app, "name").await, ["screen_view"]);
    app.finish().await;
}

#[actix::test]
async fn whatever_is_refused_gets_the_image_and_is_not_stored() {
    let app = App::with("limits.track_requests = 3").await;
    let id = format!("client_id={}", app.website);
    let good = format!("{id}&{GOOD}");
    let long = format!(
        "{id}&eventId=e&name={}&path=http://localhost/",
        "n".repeat(129)
    );
    for (query, headers) in [
        (String::new(), vec![]),
        ("client_id=unknown".to_owned(), vec![]),
        (good.clone(), vec![("x-api-key", "svc_nonsense")]),
        (good.clone(), vec![("user-agent", "Googlebot/2.1")]),
        (good.clone(), vec![("origin", "https://evil.example")]),
        (long, vec![]),
        (format!("{id}&type=purchase&eventId=e"), vec![]),
        // The window is full by now.
        (good.clone(), vec![]),
    ] {
        image(&app, &query, &headers).await;
    }
    assert!(stored(&app, "name").await.is_empty());
    let head = app.http.head(format!("{}/px.jpg?{good}", app.track));
    assert_eq!(head.send().await.unwrap().status(), 200);
    let posted = app
        .post_anonymously(format!("{}/px.jpg?{good}", app.track), &json!({}))
        .await;
    assert_eq!((posted.status, posted.header("allow")), (405, "GET"));
    assert!(stored(&app, "name").await.is_empty());
    app.finish().await;
}

/// As on `POST /`: without an `eventId`, a repeated request looks like a second visit.
#[actix::test]
async fn a_view_without_an_event_id_is_counted_as_refused() {
    let app = unlimited().await;
    let view = "name=screen_view&path=https://localhost/a";
    let id = format!("client_id={}", app.website);
    image(&app, &format!("{id}&{view}"), &[]).await;
    assert!(stored(&app, "name").await.is_empty());
    image(&app, &format!("{id}&{view}&eventId=e"), &[]).await;
    assert_eq!(stored(&app, "name").await, ["screen_view"]);
    let totals = app.rows("data_quality_totals").await.remove(0);
    for (part, expected) in [("received", 2), ("stored", 1), ("rejected", 1)] {
        assert_eq!(totals[part], expected, "{part}: {totals}");
    }
    app.finish().await;
}

#[actix::test]
async fn looking_whether_it_is_there_is_no_view() {
    let app = unlimited().await;
    let url = format!("{}/px.jpg?client_id={}&{GOOD}", app.track, app.website);
    let answer = app.http.head(url).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (200, &"image/gif".parse().unwrap())
    );
    assert!(stored(&app, "name").await.is_empty());
    app.finish().await;
}
