//! Short links lead on, for the people and until the time that they should, and every click is known.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use super::harness::{Answer, NOW, TestApp};
use crate::http::{Host, Options, edge::Proxies};
use crate::store::limits::Limits;

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36";
const DESKTOP: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";

/// A app that believes in `X-Forwarded-For`.
async fn app() -> TestApp {
    let options = Options {
        proxies: Proxies {
            trusted: vec!["192.0.2.0/24".parse().unwrap()],
            client_ip_header: None,
        },
        ..Options::default()
    };
    TestApp::with(Limits::default(), options).await
}

async fn create_link(app: &TestApp, more: Value) -> Value {
    let mut body =
        json!({"name": "Spring", "targetUrl": "https://example.com/a?x=1#top", "slug": "spring"});
    let Value::Object(more) = more else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(more);
    let key = app.key();
    let answer = app
        .post("/links/create", &[("x-api-key", &key)], body)
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    answer.json()
}

async fn follow(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = TestRequest::get().uri(path);
    for header in [
        ("user-agent", DESKTOP),
        ("accept-language", "en"),
        ("sec-fetch-mode", "navigate"),
    ] {
        if headers.iter().all(|(name, _)| *name != header.0) {
            request = request.insert_header(header);
        }
    }
    for header in headers {
        request = request.insert_header(*header);
    }
    app.send(Host::Links, request).await
}

/// Where a request is led, without the `ref` of the link.
async fn led(app: &TestApp, link: &Value, headers: &[(&str, &str)]) -> String {
    let answer = follow(app, "/spring", headers).await;
    assert_eq!(answer.status, 302, "{headers:?} {:?}", answer.body);
    let id = link["id"].as_str().unwrap();
    answer.header("location").replace(&format!("?ref={id}"), "")
}

async fn clicks(app: &TestApp, link: &Value, filters: Value) -> u64 {
    app.shared.clicks.flush().await;
    let key = app.key();
    let path = format!("/v1/query?link_id={}", link["id"].as_str().unwrap());
    let body = json!({"parameters": ["link_total_clicks"], "startDate": "2027-01-01", "endDate": "2027-12-31", "filters": filters});
    let answer = app.post(&path, &[("x-api-key", &key)], body).await.json();
    answer["data"][0]["data"][0]["total"]
        .as_u64()
        .unwrap_or_else(|| panic!("{answer}"))
}

#[actix::test]
async fn a_link_leads_on_with_its_reference_and_what_the_caller_adds_changes_nothing() {
    let app = app().await;
    let link = create_link(
        &app,
        json!({"targetUrl": "https://example.com/a?x=1&ref=old#top"}),
    )
    .await;
    let id = link["id"].as_str().unwrap();
    let wanted = format!("https://example.com/a?x=1&ref={id}#top");
    for path in [
        "/spring",
        "/spring?url=https://evil.example",
        "/spring?ref=else&//evil.example",
        "/spring?%0d%0aX:y",
    ] {
        let answer = follow(&app, path, &[("host", "evil.example")]).await;
        assert_eq!(
            (answer.status.as_u16(), answer.header("location")),
            (302, &*wanted),
            "{path}"
        );
        assert_eq!(answer.header("cache-control"), "private, no-cache");
        assert!(!answer.header("x-request-id").is_empty());
    }
    let tag = follow(&app, "/spring", &[]).await.header("etag").to_owned();
    assert_eq!(tag.len(), 18, "{tag}");
    let same = follow(&app, "/spring", &[("if-none-match", &tag)]).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));
    let key = app.key();
    let patch = json!({"id": id, "targetUrl": "https://example.org/"});
    app.post("/links/update", &[("x-api-key", &key)], patch)
        .await;
    let other = follow(&app, "/spring", &[("if-none-match", &tag)]).await;
    assert_eq!(other.status, 302);
    assert_eq!(
        other.header("location"),
        format!("https://example.org/?ref={id}")
    );
    app.close().await;
}

#[actix::test]
async fn unknown_links_are_404_and_ended_ones_410_as_a_page_or_as_json() {
    let app = app().await;
    for path in ["/nothing", "/Spring", "/spring/", "/sp", "/a%20b"] {
        let page = follow(&app, path, &[]).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(
            page.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
    let json = follow(&app, "/nothing", &[("accept", "application/json")]).await;
    assert_eq!(json.json()["code"], "NOT_FOUND");
    let at = crate::clock::iso_ms(NOW + 1_000);
    create_link(&app, json!({"expiresAt": at})).await;
    create_link(
        &app,
        json!({"slug": "moved", "expiresAt": at, "expiredRedirectUrl": "https://example.com/over"}),
    )
    .await;
    assert_eq!(follow(&app, "/spring", &[]).await.status, 302);
    app.clock.advance(std::time::Duration::from_secs(1));
    let page = follow(&app, "/spring", &[]).await;
    assert_eq!(
        (page.status.as_u16(), page.header("cache-control")),
        (410, "private, no-store")
    );
    let json = follow(&app, "/spring", &[("accept", "application/json")]).await;
    assert_eq!(
        (json.status.as_u16(), &json.json()["code"]),
        (410, &json!("GONE"))
    );
    let moved = follow(&app, "/moved", &[]).await;
    assert_eq!(
        (moved.status.as_u16(), moved.header("location")),
        (302, "https://example.com/over")
    );
    app.close().await;
}

#[actix::test]
async fn device_country_language_and_weight_decide_in_this_order() {
    let app = app().await;
    let target = |name: &str| format!("https://{name}.example/");
    let link = create_link(
        &app,
        json!({
            "targetUrl": target("web"), "iosUrl": target("ios"), "androidUrl": target("android"),
            "countries": {"US": target("us")}, "languages": {"de": target("de")},
        }),
    )
    .await;
    // Addresses of well-known resolvers.
    let (american, unknown) = (
        ("x-forwarded-for", "8.8.8.8"),
        ("x-forwarded-for", "192.0.2.77"),
    );
    let german = ("accept-language", "fr;q=0.9, de-AT, en");
    for (headers, expected) in [
        (&[("user-agent", IPHONE), american][..], "ios"),
        (&[("user-agent", ANDROID), german], "android"),
        (&[american, german], "us"),
        (&[unknown, german], "de"),
        (&[unknown, ("accept-language", "fr")], "web"),
        (&[unknown], "web"),
    ] {
        assert_eq!(
            led(&app, &link, headers).await,
            target(expected),
            "{headers:?}"
        );
    }
    app.close().await;
}

#[actix::test]
async fn variants_keep_their_visitors_and_their_shares() {
    let app = app().await;
    let (one, two) = ("https://one.example/", "https://two.example/");
    let link = create_link(
        &app,
        json!({"variants": [{"url": one, "weight": 75}, {"url": two, "weight": 25}]}),
    )
    .await;
    let mut first = 0;
    for visitor in 0..400_u32 {
        let address = format!("198.51.{}.{}", visitor / 200, visitor % 200);
        let headers = [("x-forwarded-for", address.as_str())];
        let led_to = led(&app, &link, &headers).await;
        assert_eq!(
            led(&app, &link, &headers).await,
            led_to,
            "the same every time"
        );
        first += u32::from(led_to == one);
    }
    // Three quarters of 400, within five standard deviations.
    assert!((256..=344).contains(&first), "{first}");
    app.close().await;
}

#[actix::test]
async fn people_are_counted_once_in_five_minutes_and_machines_apart() {
    let app = app().await;
    let link = create_link(&app, json!({})).await;
    let from = |last: &'static str| ("x-forwarded-for", last);
    follow(
        &app,
        "/spring",
        &[
            from("198.51.100.1"),
            ("referer", "https://news.example.com/a"),
        ],
    )
    .await;
    follow(&app, "/spring", &[from("198.51.100.1")]).await;
    follow(&app, "/spring", &[from("198.51.100.2")]).await;
    assert_eq!(clicks(&app, &link, json!([])).await, 2);
    let tag = follow(
        &app,
        "/spring",
        &[from("198.51.100.3"), ("sec-purpose", "prefetch;prerender")],
    )
    .await;
    let tag = tag.header("etag").to_owned();
    follow(
        &app,
        "/spring",
        &[from("198.51.100.4"), ("if-none-match", &tag)],
    )
    .await;
    follow(
        &app,
        "/spring",
        &[
            from("198.51.100.5"),
            ("user-agent", "Slackbot-LinkExpanding 1.0"),
        ],
    )
    .await;
    follow(
        &app,
        "/spring",
        &[from("198.51.100.6"), ("user-agent", "Googlebot/2.1")],
    )
    .await;
    let head = TestRequest::default()
        .method(actix_web::http::Method::HEAD)
        .uri("/spring");
    let head = app.send(Host::Links, head).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (302, 0));
    assert_eq!(
        clicks(&app, &link, json!([])).await,
        2,
        "machines do not count"
    );
    app.clock.advance(std::time::Duration::from_mins(5));
    follow(&app, "/spring", &[from("198.51.100.1")]).await;
    assert_eq!(clicks(&app, &link, json!([])).await, 3);
    assert_eq!(app.shared.clicks.dropped(), 0);

    let key = app.key();
    let path = format!("/v1/query?link_id={}", link["id"].as_str().unwrap());
    let body = json!({"parameters": ["link_top_referrers", "link_top_devices", "link_top_browsers"],
        "startDate": "2027-01-01", "endDate": "2027-12-31"});
    let answer = app.post(&path, &[("x-api-key", &key)], body).await.json();
    let rows = |at: usize| answer["data"][at]["data"].as_array().unwrap().clone();
    let named = |at: usize| -> Vec<(String, u64)> {
        rows(at)
            .iter()
            .map(|row| {
                (
                    row["name"].as_str().unwrap().to_owned(),
                    row["clicks"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    assert_eq!(named(0), [("Direct".into(), 2), ("example.com".into(), 1)]);
    assert_eq!(named(1), [("desktop".into(), 3)]);
    assert_eq!(named(2), [("Chrome".into(), 3)]);
    app.close().await;
}

#[actix::test]
async fn a_link_ends_after_its_last_click() {
    let app = app().await;
    let link = create_link(&app, json!({"maxClicks": 2})).await;
    let visit = async |last: u8| {
        let address = format!("198.51.100.{last}");
        follow(&app, "/spring", &[("x-forwarded-for", &address)])
            .await
            .status
            .as_u16()
    };
    assert_eq!(
        (visit(1).await, visit(1).await, visit(2).await),
        (302, 302, 302)
    );
    assert_eq!((visit(3).await, visit(1).await), (410, 410));
    assert_eq!(clicks(&app, &link, json!([])).await, 2);
    let key = app.key();
    let patch = json!({"id": link["id"], "maxClicks": 3});
    app.post("/links/update", &[("x-api-key", &key)], patch)
        .await;
    assert_eq!((visit(3).await, visit(4).await), (302, 410));
    app.close().await;
}

/// Neither the engine, which knows the clicks of before, nor the state database may be away.
#[actix::test]
async fn a_link_with_a_cap_leads_nowhere_while_its_clicks_cannot_be_counted() {
    let app = app().await;
    create_link(&app, json!({"maxClicks": 2})).await;
    create_link(&app, json!({"slug": "free"})).await;
    let first = follow(&app, "/spring", &[("x-forwarded-for", "198.51.100.1")]).await;
    assert_eq!(first.status, 302);
    app.without_state().await;
    for _ in 0..3 {
        let stopped = follow(&app, "/spring", &[("x-forwarded-for", "198.51.100.2")]).await;
        assert_eq!(stopped.status, 503);
        assert_eq!(stopped.header("retry-after"), "5");
        assert_eq!(stopped.header("location"), "");
        assert_eq!(follow(&app, "/free", &[]).await.status, 302);
    }
    app.close().await;
}

/// A use is taken of those who ask not to be counted as well; nothing else is noted of them.
#[actix::test]
async fn a_visitor_who_asks_not_to_be_counted_takes_a_click_of_a_link_with_a_cap() {
    let app = app().await;
    let link = create_link(&app, json!({"maxClicks": 2})).await;
    for status in [302, 302, 410] {
        let visit = follow(&app, "/spring", &[("sec-gpc", "1")]).await;
        assert_eq!(visit.status, status);
    }
    assert_eq!(clicks(&app, &link, json!([])).await, 0);
    app.close().await;
}

#[actix::test]
async fn of_many_who_come_at_once_exactly_as_many_as_may_get_through() {
    let app = app().await;
    let link = create_link(
        &app,
        json!({"maxClicks": 7, "expiredRedirectUrl": "https://example.com/over"}),
    )
    .await;
    let visits = (0..60).map(|last| {
        let app = &app;
        async move {
            let address = format!("198.51.100.{last}");
            let headers = [("x-forwarded-for", address.as_str())];
            let answer = follow(app, "/spring", &headers).await;
            assert_eq!(answer.status, 302);
            answer.header("location") != "https://example.com/over"
        }
    });
    let through = futures_util::future::join_all(visits).await;
    assert_eq!(through.iter().filter(|led| **led).count(), 7);
    assert_eq!(clicks(&app, &link, json!([])).await, 7);
    // What is counted while there is no cap counts when there is one again.
    let key = app.key();
    let cap = async |most: Value| {
        let patch = json!({"id": link["id"], "maxClicks": most});
        let changed = app
            .post("/links/update", &[("x-api-key", &key)], patch)
            .await;
        assert_eq!(changed.status, 200);
    };
    let visit = async |last: u8| {
        let address = format!("203.0.113.{last}");
        let answer = follow(&app, "/spring", &[("x-forwarded-for", &address)]).await;
        answer.header("location") != "https://example.com/over"
    };
    cap(Value::Null).await;
    assert!(visit(1).await && visit(2).await);
    cap(json!(10)).await;
    assert_eq!((visit(3).await, visit(4).await), (true, false));
    app.close().await;
}

#[actix::test]
async fn agents_that_draw_previews_see_the_links_own() {
    let app = app().await;
    create_link(
        &app,
        json!({"ogTitle": "<Spring>", "ogImageUrl": "https://example.com/a.png"}),
    )
    .await;
    let page = follow(&app, "/spring", &[("user-agent", "Twitterbot/1.0")]).await;
    assert_eq!(page.status, 200);
    let text = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(text.contains("content=\"&lt;Spring&gt;\""), "{text}");
    assert!(
        page.header("content-security-policy")
            .contains("default-src 'none'")
    );
    assert_eq!(follow(&app, "/spring", &[]).await.status, 302);
    app.close().await;
}

#[actix::test]
async fn clicks_of_a_link_are_for_keys_that_read_all_of_its_organization() {
    let app = app().await;
    let link = create_link(&app, json!({})).await;
    let id = link["id"].as_str().unwrap().to_owned();
    let website = app.website();
    let narrow = app
        .key_for(&website, &[crate::access::Scope::ReadData])
        .await;
    let links = app.key_with(&[crate::access::Scope::ReadLinks]).await;
    let ask = async |key: &str, id: &str| {
        let path = format!("/v1/query?link_id={id}");
        let body = json!({"parameters": ["link_total_clicks"], "preset": "last_7d"});
        let answer = app.post(&path, &[("x-api-key", key)], body).await;
        (answer.status.as_u16(), answer.json()["error"].clone())
    };
    let all = app.key();
    assert_eq!(ask(&all, &id).await.0, 200);
    let refused = (403, json!("Access denied to this link"));
    assert_eq!(ask(&narrow, &id).await, refused);
    assert_eq!(ask(&links, &id).await, refused);
    assert_eq!(ask(&all, "unknown").await, refused);
    app.close().await;
}
