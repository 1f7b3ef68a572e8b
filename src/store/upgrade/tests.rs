//! Every schema that there ever was becomes this version's, whole or not at all.

use super::*;
use crate::store::state::{FILE, Options};

async fn open(directory: &Path) -> StateDb {
    let options = Options {
        url: "sqlite".to_owned(),
        data_dir: directory.to_owned(),
    };
    StateDb::open(&options).await.unwrap()
}

/// What a database's tables look like.
async fn shape(db: &StateDb) -> Vec<String> {
    #[derive(FromQueryResult)]
    struct Object {
        sql: String,
    }
    let all = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql";
    let all = Statement::from_string(DbBackend::Sqlite, all);
    let objects = Object::find_by_statement(all).all(db.writer()).await;
    let objects = objects.unwrap().into_iter();
    objects.map(|object| object.sql).collect()
}

fn steps() -> u32 {
    u32::try_from(Migrator::migrations().len()).unwrap()
}

#[tokio::test]
async fn every_older_schema_becomes_this_one_and_a_copy_of_it_stays() {
    let whole = tempfile::tempdir().unwrap();
    let fresh = open(whole.path()).await;
    assert_eq!(fresh.schema().await.unwrap(), Schema::Empty);
    assert_eq!(fresh.upgrade(whole.path()).await.unwrap(), Upgraded::Fresh);
    assert!(!whole.path().join(SNAPSHOTS).exists());
    for taken in 1..steps() {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path()).await;
        Migrator::up(db.writer(), Some(taken)).await.unwrap();
        let before = shape(&db).await;
        let Upgraded::From(due, Some(copy)) = db.upgrade(directory.path()).await.unwrap() else {
            panic!("nothing was done at {taken}")
        };
        assert_eq!(due.len(), (steps() - taken) as usize);
        assert_eq!(shape(&db).await, shape(&fresh).await, "from {taken}");
        assert_eq!(db.schema().await.unwrap(), Schema::Current);
        assert_eq!(db.upgrade(directory.path()).await.unwrap(), Upgraded::Fresh);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::copy(copy, elsewhere.path().join(FILE)).unwrap();
        let copy = open(elsewhere.path()).await;
        assert_eq!(shape(&copy).await, before, "the copy of {taken}");
    }
}

#[tokio::test]
async fn an_upgrade_that_is_cut_off_after_any_step_is_done_again() {
    for cut in 1..steps() {
        let directory = tempfile::tempdir().unwrap();
        let db = open(directory.path()).await;
        Migrator::up(db.writer(), Some(1)).await.unwrap();
        let before = shape(&db).await;
        let write = db.begin().await.unwrap();
        Migrator::up(&*write, Some(cut)).await.unwrap();
        drop(write);
        assert_eq!(shape(&db).await, before, "cut at {cut}");
        // Left by a copy that was cut off.
        let partial = directory.path().join(SNAPSHOTS);
        fs::create_dir_all(&partial).unwrap();
        let name = Migrator::migrations()[0].name().to_owned();
        fs::write(partial.join(format!("001-{name}.partial")), "half").unwrap();
        db.upgrade(directory.path()).await.unwrap();
        assert_eq!(db.schema().await.unwrap(), Schema::Current);
    }
}

#[tokio::test]
async fn share_links_and_recipients_of_reports_stay_when_boards_can_have_them() {
    #[derive(FromQueryResult)]
    struct Count {
        kept: i64,
    }
    let directory = tempfile::tempdir().unwrap();
    let db = open(directory.path()).await;
    let all = Migrator::migrations();
    let before = all
        .iter()
        .position(|one| one.name() == "m0037_shared_boards");
    let before = u32::try_from(before.unwrap()).unwrap();
    Migrator::up(db.writer(), Some(before)).await.unwrap();
    let at = "'2026-01-01T00:00:00Z'";
    let share = format!(
        "INSERT INTO shares (id, website_id, slug, fields, password_hash, created_at, updated_at) \
         VALUES ('s', 'w', 'slug', '{{}}', 'hash', {at}, {at})"
    );
    let report = format!(
        "INSERT INTO scheduled_reports (id, website_id, frequency, timezone, hour, finding, sealed, asked_at, next_at, created_at) \
         VALUES ('r', 'w', 'daily', 'UTC', 8, 'f', x'07', {at}, {at}, {at})"
    );
    // The website is left out.
    for statement in ["PRAGMA foreign_keys = OFF", &share, &report] {
        db.writer().execute_unprepared(statement).await.unwrap();
    }
    db.migrate().await.unwrap();
    let kept = "SELECT (SELECT count(*) FROM shares WHERE website_id = 'w' AND board_id IS NULL AND password_hash = 'hash') \
                + (SELECT count(*) FROM scheduled_reports WHERE website_id = 'w' AND sealed = x'07' AND hour = 8) AS kept";
    let kept = Statement::from_string(DbBackend::Sqlite, kept);
    let count = Count::find_by_statement(kept).one(db.writer()).await;
    assert_eq!(count.unwrap().unwrap().kept, 2);
}

#[tokio::test]
async fn what_a_later_version_wrote_is_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let db = open(directory.path()).await;
    Migrator::up(db.writer(), Some(2)).await.unwrap();
    let later = "INSERT INTO seaql_migrations VALUES ('m9999_later', 0)";
    db.writer().execute_unprepared(later).await.unwrap();
    let before = shape(&db).await;
    let refused = db.upgrade(directory.path()).await.unwrap_err();
    assert!(refused.to_string().contains("m9999_later"), "{refused}");
    assert_eq!(shape(&db).await, before);
    assert!(!directory.path().join(SNAPSHOTS).exists());
}

#[tokio::test]
async fn without_room_for_the_copy_nothing_is_upgraded() {
    let directory = tempfile::tempdir().unwrap();
    let db = open(directory.path()).await;
    Migrator::up(db.writer(), Some(2)).await.unwrap();
    let before = shape(&db).await;
    fs::write(directory.path().join(SNAPSHOTS), "in the way").unwrap();
    let refused = db.upgrade(directory.path()).await.unwrap_err();
    assert!(
        matches!(refused, UpgradeError::Snapshot { .. }),
        "{refused}"
    );
    assert_eq!(shape(&db).await, before);
}

#[test]
fn only_the_last_copies_stay() {
    let directory = tempfile::tempdir().unwrap();
    for step in 1..=5 {
        fs::write(directory.path().join(format!("00{step}-a.db")), "").unwrap();
    }
    prune(directory.path()).unwrap();
    let mut names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["003-a.db", "004-a.db", "005-a.db"]);
}
