//! `POST /ai-traffic`: one hit that the website's own server saw; 202 and no body, no key needed, but the
//! page has to be the website's.

use serde_json::{Value, json};

use super::{
    Call, FOREIGN_ORIGIN, INVALID, NO_CREDENTIALS, NO_WEBSITE, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::{App, NOW};

/// A user agent of so many characters that names itself.
fn agent(characters: usize) -> Value {
    let name = "GPTBot/1.2 ";
    json!(format!("{name}{}", "ä".repeat(characters - name.len())))
}

fn rows(app: &App) -> Vec<Row> {
    vec![
        row("path", "string, page path or URL; required, max 2048")
            .required()
            .takes([
                json!("/"),
                json!(""),
                json!("https://localhost/a?b#c"),
                text(2_048),
            ])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5), json!([]), json!({})]),
        row("userAgent", "string, required, 1 to 512 characters")
            .required()
            .takes([agent(11), agent(512)])
            .refuses("too_long", [agent(513)])
            .refuses("too_short", [json!(""), json!("  ")])
            .refuses("invalid_type", [json!(5), json!(true), json!([])]),
        row("host", "string, max 253 characters").optional_text(253),
        row("referrer", "string, max 2048 characters")
            .optional_text(2_048)
            .takes([json!("https://chatgpt.com/c/1")]),
        row(
            "timestamp",
            "number (Unix ms), string or date; defaults to the time of receipt",
        )
        .time()
        .takes([json!(null), json!("2026-10-14T12:00:00.000Z")])
        .refuses("too_small", [json!("1999-12-31T23:59:59.999Z")])
        .refuses("invalid_date", [json!("yesterday")]),
        row("eventId", "string, max 512 characters").optional_text(512),
        row("websiteId", "names the website, before the query does")
            .takes([json!(null), json!(app.website)])
            .refuses("invalid_type", [json!(5), json!({})]),
        row("ip", "not looked at and not kept").takes([json!("192.0.2.7"), json!(5)]),
    ]
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let query = format!("/ai-traffic?website_id={}", app.website);
    let table = Table {
        call: Call::server(&app, &query),
        base: json!({ "path": "/docs", "userAgent": "GPTBot/1.2" }),
        array: false,
        success: 202,
    };
    let taken = table.walk(&rows(&app)).await;
    assert_eq!(stored(&app, "kind").await, vec!["8"; taken]);
    assert_eq!(stored(&app, "name").await, vec!["GPTBot"; taken]);
    app.finish().await;
}

#[actix::test]
async fn one_hit_and_an_answer_without_a_body() {
    let app = unlimited().await;
    let hit = json!({ "path": "/docs", "userAgent": "GPTBot/1.2", "timestamp": NOW });
    for path in ["website_id", "client_id"] {
        let mut call = Call::server(&app, &format!("/ai-traffic?{path}={}", app.website));
        call.key = false;
        let answer = call.send(&hit).await;
        assert_eq!((answer.status, answer.text.as_str()), (202, ""), "{path}");
        for body in [json!([hit]), json!([]), json!("GPTBot"), json!(5)] {
            INVALID.is(&call.send(&body).await);
        }
        // An unknown agent is no agent, and nothing is kept.
        let person = json!({ "path": "/docs", "userAgent": "Mozilla/5.0" });
        let answer = call.send(&person).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
    }
    assert_eq!(stored(&app, "name").await, ["GPTBot", "GPTBot"]);
    app.finish().await;
}

#[actix::test]
async fn without_a_key_the_page_has_to_be_the_websites() {
    let app = unlimited().await;
    let mut call = Call::server(&app, "/ai-traffic");
    call.key = false;
    let hit = |website: &str, field: &str, value: &str| {
        let mut hit = json!({ "path": "/docs", "userAgent": "GPTBot/1.2", "websiteId": website });
        hit[field] = json!(value);
        hit
    };
    for (field, value) in [
        ("path", "https://localhost/a"),
        ("host", "localhost:8080"),
        ("host", "www.localhost"),
    ] {
        let answer = call.send(&hit(&app.website, field, value)).await;
        assert_eq!(answer.status, 202, "{value}: {}", answer.text);
    }
    for (field, value) in [
        ("path", "https://elsewhere.example/a"),
        ("path", "https://notlocalhost/a"),
        ("host", "localhost.example"),
    ] {
        FOREIGN_ORIGIN.is(&call.send(&hit(&app.website, field, value)).await);
    }
    NO_WEBSITE.is(&call.send(&hit("unknown", "path", "/")).await);
    let mut nobodys = hit("", "path", "/");
    NO_CREDENTIALS.is(&call.send(&nobodys).await);
    // With the key of its owner a host is believed.
    nobodys["websiteId"] = json!(app.website);
    nobodys["host"] = json!("elsewhere.example");
    let believed = Call::server(&app, "/ai-traffic").send(&nobodys).await;
    assert_eq!(believed.status, 202, "{}", believed.text);
    assert_eq!(stored(&app, "kind").await, vec!["8"; 4]);
    app.finish().await;
}
