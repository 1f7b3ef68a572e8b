//! What a link passes on of the query of its short URL, and with which status it redirects.

use serde_json::{Value, json};

use super::{client, count_clicks, create_link, follow};
use crate::app::{Answer, App};

/// The address that a visitor is led to, without the link's own `ref`.
fn led_to(answer: &Answer, link: &Value) -> String {
    let own = format!("ref={}", link["id"].as_str().unwrap());
    let location = answer.header("location").to_owned();
    assert_eq!(location.matches("ref=").count(), 1, "{location}");
    assert!(location.contains(&own), "{location}");
    location.replace(&own, "REF")
}

#[actix::test]
async fn a_query_goes_on_as_the_link_says_and_to_every_target() {
    let app = App::spawn().await;
    for (slug, forwarding, mac, phone, german) in [
        ("none", Value::Null, "?a=1&REF", "?REF", "?REF"),
        (
            "append",
            json!("append"),
            "?a=1&REF&a=2&b",
            "?REF&a=2&b",
            "?REF&a=2&b",
        ),
        (
            "merge",
            json!("merge"),
            "?REF&a=2&b",
            "?REF&a=2&b",
            "?REF&a=2&b",
        ),
    ] {
        let link = create_link(
            &app,
            json!({
                "slug": slug, "queryForwarding": forwarding, "targetUrl": "https://shop.example/?a=1",
                "iosUrl": "https://apple.example/", "languages": { "de": "https://de.example/" },
            }),
        )
        .await;
        let path = format!("{slug}?a=2&ref=mine&b");
        let iphone = [(
            "user-agent",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X)",
        )];
        let reader = [("accept-language", "de")];
        for (headers, host, query) in [
            (&[][..], "shop", mac),
            (&iphone, "apple", phone),
            (&reader, "de", german),
        ] {
            let answer = follow(&app, &path, headers).await;
            assert_eq!(answer.status, 302, "{}", answer.text);
            let expected = format!("https://{host}.example/{query}");
            assert_eq!(led_to(&answer, &link), expected, "{slug}");
        }
        // A browser that knows one address doesn't know the other one.
        let first = follow(&app, &format!("{slug}?c=1"), &[]).await;
        let tag = first.header("etag").to_owned();
        let same = follow(&app, &format!("{slug}?c=1"), &[("if-none-match", &tag)]).await;
        assert_eq!(same.status, 304);
        let other = follow(&app, &format!("{slug}?c=2"), &[("if-none-match", &tag)]).await;
        assert_eq!(other.status, if slug == "none" { 304 } else { 302 });
        let bot = follow(
            &app,
            &path,
            &[("user-agent", "curlbot/1.0 (+https://bot.example)")],
        )
        .await;
        assert!(
            !bot.header("location").contains("ref="),
            "{}",
            bot.header("location")
        );
    }
    app.finish().await;
}

#[actix::test]
async fn a_password_loses_nothing_of_the_query() {
    let app = App::spawn().await;
    let fields = json!({ "slug": "vault", "queryForwarding": "merge", "password": "open sesame" });
    let link = create_link(&app, fields).await;
    let path = format!("{}/vault?utm_source=mail", app.links);
    let form = client()
        .post(&path)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=open+sesame");
    let opened = Answer::send(form).await;
    assert_eq!(opened.status, 303, "{}", opened.text);
    assert_eq!(opened.header("location"), "/vault?utm_source=mail");
    let pass = opened
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let led = follow(&app, "vault?utm_source=mail", &[("cookie", &pass)]).await;
    assert_eq!(
        led_to(&led, &link),
        "https://example.com/landing?REF&utm_source=mail"
    );
    app.finish().await;
}

#[actix::test]
async fn a_link_redirects_with_its_status_and_every_click_is_counted() {
    let app = App::spawn().await;
    for status in [301, 302, 307, 308] {
        let slug = format!("is-{status}");
        let link = create_link(&app, json!({ "slug": slug, "redirectStatus": status })).await;
        assert_eq!(link["redirectStatus"], status);
        let answer = follow(&app, &slug, &[]).await;
        assert_eq!(answer.status, status);
        // A browser that keeps a permanent redirect still asks again.
        assert_eq!(answer.header("cache-control"), "private, no-cache");
        let tag = answer.header("etag").to_owned();
        let kept = follow(&app, &slug, &[("if-none-match", &tag)]).await;
        assert_eq!(kept.status, 304);
        assert_eq!(count_clicks(&app, &link).await, 1);
        let over = json!({ "id": link["id"], "expiresAt": "2026-01-01T00:00:00Z", "expiredRedirectUrl": "https://example.com/over" });
        let changed = app.post(format!("{}/links/update", app.base), &over).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let ended = follow(&app, &slug, &[]).await;
        assert_eq!(
            (ended.status, ended.header("location")),
            (302, "https://example.com/over")
        );
    }
    for fields in [
        json!({ "redirectStatus": 303 }),
        json!({ "redirectStatus": "301" }),
        json!({ "queryForwarding": "all" }),
    ] {
        let mut body = fields.clone();
        body["name"] = json!("a");
        body["targetUrl"] = json!("https://example.com/");
        let refused = app.post(format!("{}/links/create", app.base), &body).await;
        assert_eq!(refused.status, 400, "{fields}: {}", refused.text);
    }
    app.finish().await;
}
