//! Databases that somebody else has written.

use sea_orm::sqlx::{
    Connection as _, Executor as _, SqliteConnection, sqlite::SqliteConnectOptions,
};

/// A database after these statements.
pub(crate) async fn database(sql: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("foreign.db");
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.unwrap();
    connection
        .execute(sea_orm::sqlx::raw_sql(sea_orm::sqlx::AssertSqlSafe(sql)))
        .await
        .unwrap();
    connection.close().await.unwrap();
    std::fs::read(file).unwrap()
}
