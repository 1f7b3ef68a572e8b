//! Databases for the tests of domains.

use super::*;

/// A migrated database in a directory that goes away with the first value.
pub(crate) async fn temporary() -> (tempfile::TempDir, StateDb) {
    let directory = tempfile::tempdir().unwrap();
    let db = reopen(&directory).await;
    db.migrate().await.unwrap();
    (directory, db)
}

/// Opens the database of [`temporary`] once more.
pub(crate) async fn reopen(directory: &tempfile::TempDir) -> StateDb {
    StateDb::open(&Options {
        url: "sqlite".to_owned(),
        data_dir: directory.path().to_owned(),
    })
    .await
    .unwrap()
}
