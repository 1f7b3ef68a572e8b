//! Definitions out of files of other products: planned, created, once.

mod command;
mod console;
mod events;
mod flags;
mod kill;
mod killed;
mod links;
mod monitors;
mod rights;

use sea_orm::sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, SqliteConnection, raw_sql,
    sqlite::SqliteConnectOptions,
};
use serde_json::{Value, json};

use crate::app::App;

/// A fixture.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/importers/",
            $name
        ))
    };
}

use fixture;

/// The bytes of a `kuma.db`.
async fn kuma() -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("kuma.db");
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    let statements = raw_sql(AssertSqlSafe(fixture!("kuma.sql")));
    connection.execute(statements).await.unwrap();
    connection.close().await.unwrap();
    std::fs::read(file).unwrap()
}

/// A call with the app's key, which has to succeed.
async fn call(app: &App, path: &str, body: Value) -> Value {
    let answer = app.post(format!("{}{path}", app.base), &body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body
}

/// The counts of a plan: created, there already, refused.
fn counts(plan: &Value) -> [u64; 3] {
    ["create", "exist", "refused"].map(|name| plan[name].as_u64().unwrap())
}

/// The names of items with an outcome.
fn named<'p>(plan: &'p Value, outcome: &str) -> Vec<&'p str> {
    let items = plan["items"].as_array().unwrap().iter();
    let items = items.filter(|item| item["outcome"] == outcome);
    items.map(|item| item["name"].as_str().unwrap()).collect()
}

/// Why an item is refused.
fn reason<'p>(plan: &'p Value, name: &str) -> &'p str {
    let mut items = plan["items"].as_array().unwrap().iter();
    let item = items.find(|item| item["name"] == name).unwrap();
    item["reason"].as_str().unwrap()
}

fn file(format: &str, content: &str) -> Value {
    json!({ "format": format, "content": content })
}
