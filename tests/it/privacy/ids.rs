//! Visitors' numbers: what they are made of, and that they cannot be made again.

use std::time::Duration;

use pharos::{
    actors::ingest::Tick,
    events::statement::{Cell, Scope, Statement},
};
use sea_orm::{ConnectionTrait, DbBackend};
use serde_json::{Value, json};

use super::{MARKED_V4, holding};
use crate::{
    app::{Answer, App},
    database,
};

const DAY: Duration = Duration::from_hours(24);

/// Everything that the program has kept of a visitor: the numbers in its rows.
async fn visitors(app: &App) -> Vec<u64> {
    let platform = app.platform.as_ref().unwrap();
    let view = platform.domains().websites.view();
    let statement = Statement {
        spilling: None,
        text: "SELECT visitor FROM {events} ORDER BY time, visitor".into(),
        binds: Vec::new(),
        scope: Scope {
            organization: view.by_id(&app.website).unwrap().organization_key.0,
            website: None,
            from: 0,
            to: i64::MAX,
        },
    };
    let rows = platform
        .stores()
        .events
        .query(statement)
        .await
        .unwrap()
        .rows;
    let number = |row: &Vec<Cell>| match row[0] {
        Cell::Int(number) => number as u64,
        Cell::Hash(number) => number,
        ref other => panic!("{other:?}"),
    };
    rows.iter().map(number).collect()
}

/// The salts in the state database, in hex and as bytes.
async fn salts(app: &App) -> Vec<(String, [u8; 32])> {
    let state = &app.platform.as_ref().unwrap().stores().state;
    let all = sea_orm::Statement::from_string(DbBackend::Sqlite, "SELECT salt FROM salts");
    let rows = state.reader().query_all_raw(all).await.unwrap();
    let salt = |row: &sea_orm::QueryResult| {
        let hex: String = row.try_get_by_index(0).unwrap();
        let bytes: Vec<u8> = (0..32)
            .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        (hex, bytes.try_into().unwrap())
    };
    rows.iter().map(salt).collect()
}

/// The number of a visitor under a salt (the definition of `events::enrich::visitor`).
fn number(anonymous: &str, salt: &[u8; 32]) -> u64 {
    let hash = blake3::keyed_hash(salt, anonymous.as_bytes());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap())
}

fn raw_number(anonymous: &str) -> u64 {
    let hash = blake3::hash(anonymous.as_bytes());
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap())
}

async fn send(app: &App, anonymous: &str, from: &str, anonymize: Value) {
    let event = json!({ "name": "a", "anonymousId": anonymous, "anonymizeVisitorIds": anonymize });
    let url = format!("{}/track?website_id={}", app.track, app.website);
    let request = app
        .http
        .post(url)
        .header("x-forwarded-for", from)
        .json(&event);
    let answer = Answer::send(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[actix::test]
async fn after_two_days_nobody_can_say_whose_a_number_was() {
    let mut app = App::spawn().await;
    send(&app, "anon_1", "", Value::Null).await;
    let old = visitors(&app).await[0];
    let (hex, salt) = salts(&app).await[0].clone();
    assert_eq!(number("anon_1", &salt), old, "as long as the salt is there");
    // On PostgreSQL it never was in a file of the program's.
    let on_disk = !holding(app.directory(), &[hex.clone().into_bytes()]).is_empty();
    assert_ne!(on_disk, database::is_shared());

    app.clock.advance(DAY);
    // The clock was not read since; the visitor comes all the same.
    send(&app, "anon_1", "", Value::Null).await;
    let both = visitors(&app).await;
    assert_eq!((both.len(), both[0]), (2, old));
    assert_ne!(both[0], both[1], "another visitor, for all that is known");

    app.clock.advance(DAY);
    let ingest = &app.platform.as_ref().unwrap().domains().ingest;
    ingest.ask(Tick).await.unwrap();
    let gone = [hex.into_bytes(), salt.to_vec()];
    assert_eq!(holding(app.directory(), &gone), [""; 0]);
    for (_, salt) in salts(&app).await {
        assert_ne!(number("anon_1", &salt), old);
    }
    app.restart().await;
    assert_eq!(holding(app.directory(), &gone), [""; 0]);
    app.finish().await;
}

#[actix::test]
async fn ids_are_salted_unless_the_sender_says_otherwise() {
    let app = App::with("server.trusted_proxies = [\"127.0.0.1/32\"]").await;
    let (american, dutch) = ("8.8.8.8", MARKED_V4);
    for (id, from, anonymize) in [
        ("default", american, Value::Null),
        ("true", american, json!(true)),
        ("false", dutch, json!(false)),
        ("auto in the US", american, json!("auto")),
        ("auto elsewhere", dutch, json!("auto")),
        ("auto anywhere", "", json!("auto")),
    ] {
        let before = visitors(&app).await;
        send(&app, id, from, anonymize).await;
        let after = visitors(&app).await;
        let new = *after.iter().find(|known| !before.contains(known)).unwrap();
        let is_raw = matches!(id, "false" | "auto in the US");
        assert_eq!(new == raw_number(id), is_raw, "{id}");
        let today = salts(&app).await[0].1;
        assert_eq!(new == number(id, &today), !is_raw, "{id}");
    }
    let bad = json!({ "name": "a", "anonymizeVisitorIds": "sometimes" });
    let url = format!("{}/track?website_id={}", app.track, app.website);
    let refused = app.post_anonymously(url, &bad).await;
    assert_eq!(refused.body["errors"][0]["field"], "anonymizeVisitorIds");
    app.finish().await;
}
