//! Migrations on `PostgreSQL`.

use futures_util::future::join_all;
use migration::{Migrator, MigratorTrait};
use pharos::store::{Schema, UpgradeError, Upgraded};
use sea_orm::{ConnectionTrait as _, Statement};

use super::server::{Server, open};

/// What the tables and indexes of a database look like.
async fn shape(db: &pharos::store::StateDb) -> Vec<String> {
    let all = "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' \
               || COALESCE(collation_name, '') || ' ' || COALESCE(column_default, '') \
               FROM information_schema.columns WHERE table_schema = 'public' \
               UNION SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
               UNION SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint \
               WHERE connamespace = 'public'::regnamespace ORDER BY 1";
    let all = Statement::from_string(db.reader().get_database_backend(), all);
    let rows = db.reader().query_all_raw(all).await.unwrap();
    rows.iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}

#[actix::test]
async fn every_older_schema_becomes_this_one() {
    let Some(server) = Server::start() else {
        return;
    };
    let nowhere = tempfile::tempdir().unwrap();
    let fresh = open(&server.database("fresh").await).await;
    assert_eq!(fresh.schema().await.unwrap(), Schema::Empty);
    let upgraded = fresh.upgrade(nowhere.path()).await.unwrap();
    assert_eq!(upgraded, Upgraded::Fresh);
    let whole = shape(&fresh).await;
    let language = whole
        .iter()
        .filter(|line| line.contains(" text ") && !line.contains(" C "));
    let language: Vec<_> = language
        .filter(|line| !line.starts_with("seaql_") && line.starts_with(|c: char| c.is_lowercase()))
        .collect();
    assert_eq!(language, Vec::<&String>::new(), "all compare bytes");
    let steps = u32::try_from(Migrator::migrations().len()).unwrap();
    for taken in 1..steps {
        let db = open(&server.database(&format!("older_{taken}")).await).await;
        Migrator::up(db.writer(), Some(taken)).await.unwrap();
        let Upgraded::From(due, None) = db.upgrade(nowhere.path()).await.unwrap() else {
            panic!("nothing was done at {taken}")
        };
        assert_eq!(due.len(), (steps - taken) as usize);
        assert_eq!(shape(&db).await, whole, "from {taken}");
        db.close().await.unwrap();
    }
}

#[actix::test]
async fn of_many_that_start_at_once_one_makes_the_tables() {
    let Some(server) = Server::start() else {
        return;
    };
    let nowhere = tempfile::tempdir().unwrap();
    let url = server.database("many").await;
    let all = join_all((0..6).map(|_| open(&url))).await;
    let upgrades = all.iter().map(|db| db.upgrade(nowhere.path()));
    for upgraded in join_all(upgrades).await {
        assert_eq!(upgraded.unwrap(), Upgraded::Fresh);
    }
    assert_eq!(all[0].schema().await.unwrap(), Schema::Current);
}

#[actix::test]
async fn tables_of_something_else_and_of_a_later_version_are_left_alone() {
    let Some(server) = Server::start() else {
        return;
    };
    let nowhere = tempfile::tempdir().unwrap();
    let foreign = open(&server.database("foreign_tables").await).await;
    let other = "CREATE TABLE invoices (id int)";
    foreign.writer().execute_unprepared(other).await.unwrap();
    let refused = foreign.upgrade(nowhere.path()).await.unwrap_err();
    assert!(matches!(&refused, UpgradeError::Foreign(tables) if *tables == ["invoices"]));
    assert_eq!(shape(&foreign).await, ["invoices.id integer YES  "]);

    let later = open(&server.database("later").await).await;
    later.migrate().await.unwrap();
    let step = "INSERT INTO seaql_migrations VALUES ('m9999_later', 0)";
    later.writer().execute_unprepared(step).await.unwrap();
    let refused = later.upgrade(nowhere.path()).await.unwrap_err();
    assert!(refused.to_string().contains("m9999_later"), "{refused}");
}
