use serde_json::json;

use super::{ForeignError, Table, is_database, read_bytes, testing::database};

const TABLES: &[Table] = &[("monitor", &["id", "name", "url"]), ("group", &["id"])];

#[tokio::test]
async fn known_columns_of_known_tables_are_read_and_nothing_else() {
    let sql = "CREATE TABLE monitor (id INTEGER, name TEXT, secret TEXT, url BLOB);\
               INSERT INTO monitor VALUES (1, 'a', 's', x'00'), (2, NULL, 's', 'https://a.example');\
               CREATE TABLE user (password TEXT); INSERT INTO user VALUES ('hash');";
    let bytes = database(sql).await;
    assert!(is_database(&bytes) && !is_database(b"SQLite"));
    let rows = json!([
        { "id": 1, "name": "a", "url": null },
        { "id": 2, "name": null, "url": "https://a.example" },
    ]);
    let read = read_bytes(&bytes, TABLES).await.unwrap();
    assert_eq!(read, json!({ "tables": { "monitor": rows } }));
}

#[tokio::test]
async fn views_virtual_tables_and_computed_columns_are_not_read() {
    for sql in [
        "CREATE VIEW monitor AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;",
        "CREATE VIRTUAL TABLE monitor USING fts5(id);",
        "CREATE TABLE monitor (id INTEGER, name TEXT GENERATED ALWAYS AS (hex(zeroblob(1000000))) VIRTUAL); INSERT INTO monitor VALUES (1);",
    ] {
        let bytes = database(sql).await;
        let read = read_bytes(&bytes, TABLES).await.unwrap();
        assert_eq!(read, json!({ "tables": {} }), "{sql}");
    }
}

#[tokio::test]
async fn too_many_rows_and_too_much_text_are_refused() {
    let many = "CREATE TABLE monitor (id INTEGER);\
                WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 20001) INSERT INTO monitor SELECT id FROM n;";
    let refused = read_bytes(&database(many).await, TABLES).await;
    assert!(
        matches!(refused, Err(ForeignError::TooMany(_))),
        "{refused:?}"
    );
    let long = "CREATE TABLE monitor (id INTEGER, name TEXT);\
                INSERT INTO monitor VALUES (1, hex(zeroblob(200000)));";
    let read = read_bytes(&database(long).await, TABLES).await.unwrap();
    assert_eq!(read["tables"]["monitor"][0]["name"], json!(null));
}

#[tokio::test]
async fn a_broken_database_is_refused_wherever_it_is_cut_or_changed() {
    let sql = "CREATE TABLE monitor (id INTEGER, name TEXT);\
               WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 500) INSERT INTO monitor SELECT id, hex(id) FROM n;";
    let bytes = database(sql).await;
    for length in (16..bytes.len()).step_by(997) {
        // It may hold a part: what matters is that it ends.
        let _ = read_bytes(&bytes[..length], TABLES).await;
    }
    let mut random = 7_u64;
    for _ in 0..64 {
        let mut broken = bytes.clone();
        for _ in 0..16 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let place = 16 + (random >> 33) as usize % (broken.len() - 16);
            broken[place] = (random >> 20) as u8;
        }
        let _ = read_bytes(&broken, TABLES).await;
    }
    assert!(read_bytes(&bytes[..40], TABLES).await.is_err());
}
