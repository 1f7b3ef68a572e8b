//! Turns, refusals, order: the promises that callers of the state database rely on.

use futures_util::FutureExt as _;
use pharos::{
    fault::{Classify as _, Kind},
    store::{StateDb, StateError},
};
use sea_orm::{ConnectionTrait as _, Statement};

use super::server::{Server, open};

async fn migrated(server: &Server) -> (String, StateDb) {
    let url = server.database("promises").await;
    let db = open(&url).await;
    db.migrate().await.unwrap();
    (url, db)
}

async fn first(db: &StateDb, sql: &str) -> String {
    let ask = Statement::from_string(db.reader().get_database_backend(), sql);
    let row = db.reader().query_one_raw(ask).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

const CURSOR: &str = "INSERT INTO event_cursors (node_id, lsn) VALUES ('n', 1)";

#[actix::test]
async fn writers_of_a_domain_take_turns_in_whichever_process_they_are() {
    let Some(server) = Server::start() else {
        return;
    };
    let (url, here) = migrated(&server).await;
    let there = open(&url).await;

    let first = here.for_domain("links").begin().await.unwrap();
    first.execute_unprepared(CURSOR).await.unwrap();
    let (second, settled) = (there.for_domain("links"), there.for_domain("links"));
    let mut second = Box::pin(second.begin());
    let mut settled = Box::pin(settled.settled());
    let other = there.for_domain("keys").begin().await.unwrap();
    assert!((&mut second).now_or_never().is_none());
    assert!((&mut settled).now_or_never().is_none());
    drop(other);
    first.commit().await.unwrap();

    let second = second.await.unwrap();
    let error = second.execute_unprepared(CURSOR).await.unwrap_err();
    assert!(StateError::from(error).is_taken(), "it sees the first one");
    drop(second);
    settled.await.unwrap();
}

#[actix::test]
async fn whoever_waits_too_long_for_a_turn_is_told_to_come_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let (url, here) = migrated(&server).await;
    let there = open(&url).await;
    let _held = here.begin().await.unwrap();
    let refused = there.begin().await.unwrap_err();
    assert!(!refused.outcome_unknown());
    let fault = refused.classify();
    assert!(matches!(fault.kind, Kind::Unavailable { .. }), "{fault:?}");
}

#[actix::test]
async fn a_commit_behind_a_failed_statement_is_refused() {
    let Some(server) = Server::start() else {
        return;
    };
    let (_, db) = migrated(&server).await;
    let write = db.begin().await.unwrap();
    write.execute_unprepared(CURSOR).await.unwrap();
    write.execute_unprepared(CURSOR).await.unwrap_err();
    // PostgreSQL would answer a COMMIT with success, and take everything back.
    let error = write.commit().await.unwrap_err();
    assert!(matches!(error, StateError::Refused(_)), "{error}");
    let rows = first(&db, "SELECT count(*)::text FROM event_cursors").await;
    assert_eq!(rows, "0");
}

#[actix::test]
async fn texts_are_compared_by_their_bytes_and_have_no_nul() {
    let Some(server) = Server::start() else {
        return;
    };
    let (_, db) = migrated(&server).await;
    // The server's own order is a language's.
    assert_eq!(first(&db, "SELECT ('a' < 'B')::text").await, "true");
    for name in ["b", "B", "a", "ä"] {
        let insert = format!("INSERT INTO event_cursors (node_id, lsn) VALUES ('{name}', 1)");
        db.writer().execute_unprepared(&insert).await.unwrap();
    }
    let all = "SELECT string_agg(node_id, ' ' ORDER BY node_id) FROM event_cursors";
    assert_eq!(first(&db, all).await, "B a b ä");

    let nul = Statement::from_sql_and_values(
        db.writer().get_database_backend(),
        "INSERT INTO event_cursors (node_id, lsn) VALUES ($1, 1)",
        ["a\0b".into()],
    );
    let refused = db.writer().execute_raw(nul).await.unwrap_err();
    let fault = StateError::from(refused).classify();
    assert!(matches!(fault.kind, Kind::Invalid { .. }), "{fault:?}");
}

#[actix::test]
async fn what_is_forgotten_is_in_no_file_of_the_table() {
    let Some(server) = Server::start() else {
        return;
    };
    let (_, db) = migrated(&server).await;
    let insert = "INSERT INTO salts VALUES (1, '0123456789abcdef-marked', now())";
    let delete = "DELETE FROM salts";
    for statement in [insert, "CHECKPOINT", delete, "CHECKPOINT"] {
        db.writer().execute_unprepared(statement).await.unwrap();
    }
    let file = "SELECT (position('-marked'::bytea in pg_read_binary_file(pg_relation_filepath('salts'))) > 0)::text";
    assert_eq!(first(&db, file).await, "true", "the table remembers");
    assert!(db.forget().await.unwrap());
    assert_eq!(first(&db, file).await, "false");
}
