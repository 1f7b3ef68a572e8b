//! Plausible: `POST /api/event`.

use serde_json::{Value, json};

use super::{custom, enable, named, numbers, sales, send, send_text, with};

const PATH: &str = "/api/event";

fn entry() -> Value {
    json!([{ "protocol": "plausible", "id": "shop.example" }])
}

#[actix::test]
async fn an_unknown_domain_and_a_protocol_that_is_off_are_answered_alike() {
    let app = with(json!([])).await;
    let event = json!({ "n": "pageview", "u": "https://localhost/", "d": "shop.example" });
    let off = send(&app, PATH, &event).await;
    assert_eq!(
        (off.status, &off.body),
        (
            404,
            &json!({ "errors": { "domain": ["Website not found"] } })
        )
    );
    enable(&app, &app.website, entry()).await;
    let mut other = event.clone();
    other["d"] = json!("other.example");
    let unknown = send(&app, PATH, &other).await;
    assert_eq!((unknown.status, unknown.text), (off.status, off.text));
    // Another protocol's id is unknown as well.
    let umami = json!({ "type": "event", "payload": { "website": "shop.example", "url": "/" } });
    assert_eq!(send(&app, "/api/send", &umami).await.status, 404);
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    app.finish().await;
}

#[actix::test]
async fn what_is_missing_is_named_in_its_words() {
    let app = with(entry()).await;
    for (body, field) in [
        (
            json!({ "n": "pageview", "u": "https://localhost/" }),
            "domain",
        ),
        (
            json!({ "d": "shop.example", "u": "https://localhost/" }),
            "name",
        ),
        (json!({ "d": "shop.example", "n": "pageview" }), "url"),
        (json!([]), "request"),
        (
            json!({ "d": "shop.example", "n": "x".repeat(257), "u": "https://localhost/" }),
            "name",
        ),
    ] {
        let refused = send(&app, PATH, &body).await;
        assert_eq!(refused.status, 400, "{body}: {}", refused.text);
        assert!(refused.body["errors"][field].is_array(), "{}", refused.text);
    }
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    app.finish().await;
}

#[actix::test]
async fn page_views_goals_and_revenue_arrive_and_a_browser_is_one_visitor_in_one_session() {
    let app = with(entry()).await;
    let view = |path: &str| {
        json!({
            "n": "pageview", "v": 36, "u": format!("https://localhost{path}"), "d": "shop.example",
            "r": "https://www.google.com/", "p": { "plan": "pro" },
        })
    };
    for path in ["/", "/pricing"] {
        // Browsers send it as text, to be asked for no leave.
        let sent = send_text(&app, PATH, "text/plain", &view(path).to_string()).await;
        assert_eq!((sent.status, sent.text.as_str()), (202, "ok"));
        assert_eq!(sent.header("x-plausible-dropped"), "");
    }
    let older = json!({
        "name": "Signup", "url": "https://localhost/pricing", "domain": "shop.example",
        "props": "{\"method\":\"mail\"}", "interactive": false,
    });
    assert_eq!(send(&app, PATH, &older).await.status, 202);
    let sale = json!({
        "name": "Purchase", "url": "https://localhost/pricing", "domain": "shop.example",
        "revenue": { "currency": "EUR", "amount": "29.90" },
    });
    assert_eq!(send(&app, PATH, &sale).await.status, 202);
    let left = json!({ "n": "engagement", "u": "https://localhost/", "d": "shop.example", "e": 12_000, "sd": 80 });
    assert_eq!(send(&app, PATH, &left).await.status, 202);
    let link = json!({
        "n": "Outbound Link: Click", "u": "https://localhost/", "d": "shop.example",
        "p": { "url": "https://partner.example/x" },
    });
    assert_eq!(send(&app, PATH, &link).await.status, 202);

    assert_eq!(numbers(&app).await, [2, 1, 1]);
    assert_eq!(custom(&app).await, named(&[("Purchase", 1), ("Signup", 1)]));
    assert_eq!(
        sales(&app).await,
        [("Purchase".to_owned(), 29.9, "EUR".to_owned())]
    );
    let sources = app.rows("traffic_sources").await;
    assert_eq!(sources[0]["source"], "Google");
    let links = app.rows("outbound_links").await;
    assert_eq!(links[0]["href"], "https://partner.example/x");
    let browsers = app.rows("browser_name").await;
    assert_eq!(browsers[0]["name"], "Chrome");
    app.finish().await;
}

#[actix::test]
async fn half_an_hour_of_silence_ends_a_session_and_the_visitor_stays() {
    let app = with(entry()).await;
    let view = json!({ "n": "pageview", "u": "https://localhost/", "d": "shop.example" });
    for minutes in [0, 29, 31] {
        app.clock
            .advance(std::time::Duration::from_secs(minutes * 60));
        assert_eq!(send(&app, PATH, &view).await.status, 202);
    }
    assert_eq!(numbers(&app).await, [3, 1, 2]);
    app.finish().await;
}

#[actix::test]
async fn a_bot_is_answered_like_anyone_and_marked_as_dropped() {
    let app = with(entry()).await;
    let view = json!({ "n": "pageview", "u": "https://localhost/", "d": "shop.example" });
    let request = app.http.post(format!("{}{PATH}", app.track));
    let request = request.header("user-agent", "Mozilla/5.0 (compatible; Googlebot/2.1)");
    let sent = crate::app::Answer::send(request.json(&view)).await;
    assert_eq!((sent.status, sent.text.as_str()), (202, "ok"));
    assert_eq!(sent.header("x-plausible-dropped"), "1");
    assert_eq!(numbers(&app).await, [0, 0, 0]);
    app.finish().await;
}

#[actix::test]
async fn origin_rules_of_the_website_hold() {
    let app = with(entry()).await;
    let view = json!({ "n": "pageview", "u": "https://localhost/", "d": "shop.example" });
    let request = app.http.post(format!("{}{PATH}", app.track));
    let request = request
        .header("origin", "https://thief.example")
        .json(&view);
    let refused = crate::app::Answer::send(request).await;
    assert_eq!(
        (refused.status, refused.body),
        (
            403,
            json!({ "errors": { "request": ["Origin not authorized"] } })
        )
    );
    app.finish().await;
}
