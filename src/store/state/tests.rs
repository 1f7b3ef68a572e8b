//! What the embedded database promises.

use sea_orm::{ConnectionTrait, Statement};

use super::{
    testing::{reopen, temporary},
    *,
};
use crate::fault::Classify as _;

async fn pragma(db: &DatabaseConnection, name: &str) -> String {
    let statement = Statement::from_string(DbBackend::Sqlite, format!("PRAGMA {name}"));
    let row = db.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get_by_index::<String>(0)
        .or_else(|_| {
            row.try_get_by_index::<i64>(0)
                .map(|number| number.to_string())
        })
        .unwrap()
}

#[tokio::test]
async fn the_writer_is_durable_and_the_reader_cannot_write() {
    let (_directory, db) = temporary().await;
    assert_eq!(pragma(db.writer(), "journal_mode").await, "wal");
    assert_eq!(pragma(db.writer(), "synchronous").await, "2");
    assert_eq!(pragma(db.writer(), "foreign_keys").await, "1");
    assert_eq!(pragma(db.writer(), "secure_delete").await, "1");
    let denied = db.reader().execute_unprepared("DELETE FROM salts").await;
    assert!(denied.is_err());
    db.ping().await.unwrap();
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_dropped_write_leaves_nothing_and_a_taken_value_is_told_apart() {
    let (_directory, db) = temporary().await;
    let insert = "INSERT INTO event_cursors (node_id, lsn) VALUES ('n', 1)";
    let write = db.begin().await.unwrap();
    write.execute_unprepared(insert).await.unwrap();
    drop(write);

    let write = db.begin().await.unwrap();
    write.execute_unprepared(insert).await.unwrap();
    write.commit().await.unwrap();

    let write = db.begin().await.unwrap();
    let error = StateError::from(write.execute_unprepared(insert).await.unwrap_err());
    assert!(error.is_taken(), "{error}");
    assert!(!error.outcome_unknown());
}

fn holds(directory: &tempfile::TempDir, text: &str) -> bool {
    let entries = std::fs::read_dir(directory.path()).unwrap();
    let files = entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    files.into_iter().any(|bytes| {
        let mut windows = bytes.windows(text.len());
        windows.any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn what_is_forgotten_is_in_no_file() {
    let (directory, db) = temporary().await;
    let marked = "0123456789abcdef-marked";
    for n in 0..50 {
        let write = db.begin().await.unwrap();
        let row = format!("INSERT INTO salts VALUES ({n}, '{marked}', '2026-01-01T00:00:00Z')");
        write.execute_unprepared(&row).await.unwrap();
        write.commit().await.unwrap();
    }
    assert!(holds(&directory, marked));
    let write = db.begin().await.unwrap();
    write.execute_unprepared("DELETE FROM salts").await.unwrap();
    write.commit().await.unwrap();
    assert!(holds(&directory, marked), "the log remembers");
    assert!(db.forget().await.unwrap());
    assert!(!holds(&directory, marked));
}

#[tokio::test]
async fn a_reader_in_the_middle_of_something_is_not_disturbed() {
    let (directory, db) = temporary().await;
    let reading = db.reader().begin().await.unwrap();
    reading
        .execute_unprepared("SELECT * FROM salts")
        .await
        .unwrap();
    let other = reopen(&directory).await;
    let insert = "INSERT INTO salts VALUES (1, 'x', '2026-01-01T00:00:00Z')";
    other.writer().execute_unprepared(insert).await.unwrap();
    assert!(!other.forget().await.unwrap());
    reading.rollback().await.unwrap();
    assert!(other.forget().await.unwrap());
}

#[tokio::test]
async fn a_closed_database_is_passing_trouble() {
    let (_directory, db) = temporary().await;
    db.clone().close().await.unwrap();
    let error = db.begin().await.unwrap_err();
    assert!(!error.outcome_unknown());
    let fault = error.classify();
    assert!(matches!(fault.kind, crate::fault::Kind::Unavailable { .. }));
    assert!(db.ping().await.is_err());
}

#[tokio::test]
async fn migrating_twice_changes_nothing() {
    let (_directory, db) = temporary().await;
    db.migrate().await.unwrap();
}
