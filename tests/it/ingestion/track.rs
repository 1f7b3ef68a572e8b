//! Custom events, and the limits of their fields.

use serde_json::json;

use super::{
    Call, INVALID, MISMATCH, NO_CREDENTIALS, NO_WEBSITE, stored,
    table::{Row, Table, row},
    text, unlimited,
};
use crate::app::{App, NOW};

fn rows(app: &App) -> Vec<Row> {
    vec![
        row("name", "string, required, 1 to 256 characters")
            .required()
            .takes([json!("a"), text(256)])
            .refuses("too_short", [json!(""), json!("  ")])
            .refuses("too_long", [text(257)])
            .refuses("invalid_type", [json!(5), json!([])]),
        row("properties", "object, max 50 keys; max 32 KB serialized").properties(),
        row("eventId", "string, max 512 characters").optional_text(512),
        row("path", "string, page path or URL; max 2048 characters")
            .optional_text(2_048)
            .takes([json!("/a"), json!("https://localhost/a?b#c")]),
        row("anonymousId", "string, max 256 characters").optional_text(256),
        row(
            "profileId",
            "string; every id but eventId has 256 characters",
        )
        .optional_text(256),
        row("anonymizeVisitorIds", "boolean or the string `auto`").anonymize(),
        row("sessionId", "string, max 256 characters").optional_text(256),
        row(
            "timestamp",
            "number (Unix ms), string or date; defaults to the time of receipt",
        )
        .time()
        .takes([
            json!(null),
            json!("2026-10-14T12:00:00.000Z"),
            json!("1791979200000"),
            json!("2026-10-14T14:00:00+02:00"),
            json!("2026-10-14"),
            json!("2000-01-01T00:00:00.000Z"),
            json!("2026-10-14T13:00:00.000Z"),
        ])
        .refuses("too_small", [json!("1999-12-31T23:59:59.999Z")])
        .refuses("too_big", [json!("2026-10-14T13:00:00.001Z")])
        .refuses("invalid_date", [json!("yesterday"), json!("")]),
        row("namespace", "string, max 64 characters").optional_text(64),
        row("source", "string, max 64 characters").optional_text(64),
        row(
            "websiteId",
            "string, public client id; not necessarily a UUID",
        )
        .takes([json!(null), json!(app.website)])
        .refuses("invalid_type", [json!(5), json!({})]),
        row("somethingElse", "what is not in the table is ignored").takes([json!(5), text(5_000)]),
    ]
}

#[actix::test]
async fn one_event_by_itself() {
    let app = unlimited().await;
    let table = Table {
        call: Call::server(&app, "/track"),
        base: json!({ "name": "n" }),
        array: false,
        success: 200,
    };
    let taken = table.walk(&rows(&app)).await;
    assert_eq!(stored(&app, "name").await.len(), taken);
    app.finish().await;
}

#[actix::test]
async fn the_same_in_an_array_with_the_website_in_the_query() {
    let app = unlimited().await;
    let mut call = Call::server(&app, &format!("/track?website_id={}", app.website));
    call.key = false;
    let table = Table {
        call,
        base: json!({ "name": "n" }),
        array: true,
        success: 200,
    };
    let taken = table.walk(&rows(&app)).await;
    assert_eq!(stored(&app, "sign(abs(website))").await, vec!["1"; taken]);
    app.finish().await;
}

#[actix::test]
async fn an_unknown_website_id_is_an_unknown_website_however_long_it_is() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    for id in [json!("x"), text(256), text(257)] {
        NO_WEBSITE.is(&call.send(&json!({ "name": "n", "websiteId": id })).await);
    }
    assert!(stored(&app, "name").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn every_field_is_kept() {
    let app = unlimited().await;
    let event = json!({
        "name": "purchase", "properties": { "plan": "pro", "n": [1, { "a": null }] }, "eventId": "e-1",
        "path": "https://shop.localhost/buy/?utm_source=mail#x", "anonymousId": "anon_1", "profileId": "user 7",
        "anonymizeVisitorIds": false, "sessionId": "sess_1", "timestamp": "2026-10-14T11:59:58.250Z",
        "namespace": "shop", "source": "backend", "websiteId": app.website,
    });
    let answer = Call::server(&app, "/track").send(&event).await;
    assert_eq!(
        answer.body,
        json!({ "status": "success", "type": "custom_event", "count": 1 })
    );
    for (column, value) in [
        ("kind", "2"),
        ("name", "purchase"),
        ("properties", r#"{"plan":"pro","n":[1,{"a":null}]}"#),
        ("host", "shop.localhost"),
        ("path", "/buy"),
        ("utm_source", "mail"),
        ("profile", "user 7"),
        ("time", &(NOW - 1_750).to_string()),
        ("received", &NOW.to_string()),
        ("namespace", "shop"),
        ("sender", "backend"),
        (
            "CASE WHEN visitor <> 0 AND session <> 0 THEN 'both' END",
            "both",
        ),
    ] {
        assert_eq!(stored(&app, column).await, [value], "{column}");
    }
    app.finish().await;
}

#[actix::test]
async fn an_array_is_taken_as_a_whole_or_not_at_all_and_has_no_cap_of_its_own() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    let mut events = vec![json!({ "name": "n" }); 5_000];
    assert_eq!(call.send(&json!(events)).await.body["count"], 5_000);
    events[4_999] = json!({ "name": "" });
    let errors = INVALID.is(&call.send(&json!(events)).await);
    assert_eq!(errors[0]["field"], "[4999].name");
    assert_eq!(call.send(&json!([])).await.body["count"], 0);
    assert_eq!(stored(&app, "name").await.len(), 5_000);
    app.finish().await;
}

/// A second website of the same organization.
async fn second_website(app: &App) -> String {
    let create = json!({ "name": "Two", "domain": "two.example" });
    let made = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"].as_str().unwrap().to_owned()
}

/// The website is the query's, else the first event's; without a key every event has to be for it.
#[actix::test]
async fn without_a_key_a_body_is_for_one_website() {
    let app = unlimited().await;
    let (one, two) = (app.website.clone(), second_website(&app).await);
    let named = |website: &str| json!({ "name": "n", "websiteId": website });
    let unnamed = json!({ "name": "n" });
    let send = async |query: Option<&str>, body: serde_json::Value| {
        let query = query.map(|website| format!("?website_id={website}"));
        let mut call = Call::server(&app, &format!("/track{}", query.unwrap_or_default()));
        call.key = false;
        call.send(&body).await
    };
    let cases = [
        (None, json!([named(&one), named(&one)])),
        (None, named(&two)),
        (Some(one.as_str()), json!([unnamed, named(&one), unnamed])),
        (Some(&two), unnamed.clone()),
    ];
    let mut stored_so_far = 0;
    for (query, body) in cases {
        stored_so_far += body.as_array().map_or(1, Vec::len);
        let answer = send(query, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    for (query, body) in [
        (None, json!([named(&one), named(&two)])),
        (None, json!([named(&one), named("unknown")])),
        (None, json!([named(&one), unnamed, named(&two)])),
        (Some(one.as_str()), named(&two)),
        (Some(&one), json!([unnamed, named(&two)])),
        // Whose it is comes before what is wrong with it.
        (Some(&one), json!([{ "name": 5 }, named(&two)])),
    ] {
        MISMATCH.is(&send(query, body).await);
    }
    let errors = INVALID.is(&send(None, json!([named(&one), unnamed])).await);
    assert_eq!(
        (&errors[0]["code"], &errors[0]["field"]),
        (&json!("required"), &json!("websiteId"))
    );
    NO_CREDENTIALS.is(&send(None, json!([unnamed, named(&one)])).await);
    NO_WEBSITE.is(&send(None, json!([named("unknown"), named(&one)])).await);
    assert_eq!(stored(&app, "name").await.len(), stored_so_far);

    // A key may store for both at once.
    let both = json!([named(&one), named(&two), unnamed]);
    let answer = Call::server(&app, "/track").send(&both).await;
    assert_eq!(answer.body["count"], 3, "{}", answer.text);
    app.finish().await;
}
