//! A newer program over the data of an older one, and the other way round.

use std::{fs, path::Path};

use migration::{Migrator, MigratorTrait};
use pharos::store::{
    StateDb,
    state::{FILE, Options},
};
use sea_orm::ConnectionTrait;

use crate::{
    app::Answer,
    process::{pharos, set_up, start},
};

async fn state(data: &Path) -> StateDb {
    let options = Options {
        url: "sqlite".to_owned(),
        data_dir: data.to_owned(),
    };
    StateDb::open(&options).await.unwrap()
}

async fn steps(data: &Path) -> usize {
    let db = state(data).await;
    let taken = Migrator::get_applied_migrations(db.writer()).await.unwrap();
    db.close().await.unwrap();
    taken.len()
}

async fn ready(base: &str) -> u16 {
    Answer::send(crate::web::client().get(format!("{base}/health/ready")))
        .await
        .status
}

#[actix::test]
async fn an_older_data_directory_is_upgraded_and_its_database_of_before_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let db = state(data).await;
    Migrator::up(db.writer(), Some(5)).await.unwrap();
    let person = "INSERT INTO salts VALUES (1, 'x', '2026-01-01T00:00:00Z')";
    db.writer().execute_unprepared(person).await.unwrap();
    db.close().await.unwrap();

    let early = pharos(data)
        .args(["user", "reset-password", "--email", "a@b.c"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&early.stderr);
    assert_eq!(early.status.code(), Some(2), "{said}");
    assert!(said.contains("an older version's"), "{said}");

    let running = start(pharos(data)).await;
    assert_eq!(ready(&running.base).await, 200);
    assert_eq!(
        running.count_log_lines("the state database was upgraded"),
        1
    );
    running.stop();
    assert_eq!(steps(data).await, Migrator::migrations().len());
    let copies: Vec<_> = fs::read_dir(data.join("before-upgrade"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let [copy] = &*copies else {
        panic!("{copies:?}")
    };
    let elsewhere = tempfile::tempdir().unwrap();
    fs::copy(copy, elsewhere.path().join(FILE)).unwrap();
    assert_eq!(steps(elsewhere.path()).await, 5);
    let rows = state(elsewhere.path()).await.rows_of_tables().await;
    assert_eq!(rows.unwrap()["salts"], 1);

    let again = start(pharos(data)).await;
    assert_eq!(again.count_log_lines("the state database was upgraded"), 0);
    again.stop();
}

#[actix::test]
async fn a_data_directory_of_a_later_version_is_refused_by_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    set_up(data);
    let db = state(data).await;
    let later = "INSERT INTO seaql_migrations VALUES ('m9999_later', 0)";
    db.writer().execute_unprepared(later).await.unwrap();
    db.close().await.unwrap();
    for command in [
        &["serve"][..],
        &["backup", "../copies"],
        &["audit", "verify"],
        &["demo", "--events", "1"],
    ] {
        let output = pharos(data).args(command).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        assert!(
            said.contains("m9999_later") && said.contains("hint: start that version"),
            "{command:?}: {said}"
        );
    }
    assert!(!data.join("before-upgrade").exists());
}
