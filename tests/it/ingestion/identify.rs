//! `POST /identify`, with the lengths of its fields. What becomes of people: `identity.rs`.

use serde_json::{Value, json};

use super::{
    Call, INVALID, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::App;

/// So many traits.
fn keys(count: usize) -> Value {
    let pairs = (0..count).map(|key| (format!("k{key}"), json!(key)));
    pairs.collect::<serde_json::Map<_, _>>().into()
}

/// A trait that is so many characters as JSON.
fn long(characters: usize) -> Value {
    json!({ "k": "ä".repeat(characters - r#"{"k":""}"#.len()) })
}

fn rows(app: &App) -> Vec<Row> {
    vec![
        row("profileId", "string, required, 1 to 256 characters")
            .required()
            .takes([json!("u"), text(256)])
            .refuses("too_short", [json!(""), json!("  ")])
            .refuses("too_long", [text(257)])
            .refuses("invalid_type", [json!(5), json!(["u"])]),
        row("anonymousId", "at most 256").optional_text(256),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
        row(
            "traits",
            "object, <= 50 keys, scalar values, JSON <= 2048 characters",
        )
        .takes([
            json!(null),
            json!({}),
            json!({ "a": "x", "b": 1.5, "c": true, "d": null }),
            keys(50),
            long(2_048),
        ])
        .refuses("too_many_keys", [keys(51)])
        .refuses("too_long", [long(2_049)])
        .refuses("invalid_type", [json!([]), json!("x"), json!(5)]),
        row("websiteId", "the query has named one")
            .takes([json!(null), json!(app.website), json!("x")])
            .refuses("invalid_type", [json!(5)]),
        row("somethingElse", "ignored").takes([json!(5), text(5_000)]),
    ]
}

#[actix::test]
async fn every_field() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/identify"),
        base: json!({ "profileId": "u" }),
        array: false,
        success: 200,
    };
    table.walk(&rows(&app)).await;
    for (value, field) in [(json!([1]), "traits.k"), (json!({}), "traits.k")] {
        let body = json!({ "profileId": "u", "traits": { "k": value } });
        let errors = INVALID.is(&table.call.send(&body).await);
        assert_eq!(
            (&errors[0]["code"], &errors[0]["field"]),
            (&json!("invalid_type"), &json!(field))
        );
    }
    assert!(stored(&app, "kind").await.is_empty(), "nobody came");
    app.finish().await;
}

#[actix::test]
async fn one_person_and_nothing_else() {
    let app = unlimited().await;
    let call = Call::page(&app, "/identify");
    let answer = call.send(&json!({ "profileId": "u" })).await;
    assert_eq!(
        (answer.status, answer.body),
        (200, json!({ "status": "success", "type": "identify" }))
    );
    for body in [
        json!([{ "profileId": "u" }]),
        json!([]),
        json!("u"),
        json!(null),
    ] {
        let errors = INVALID.is(&call.send(&body).await);
        assert_eq!(errors[0]["code"], "invalid_type", "{body}");
    }
    app.finish().await;
}
