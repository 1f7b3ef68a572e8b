//! The chain on a temporary database, and what a person with access to the file could do to it (threat T46).

use sea_orm::ConnectionTrait;
use serde_json::json;

use super::*;
use crate::{
    access::{Member, Permission, Principal, Role, SessionGrant, authorize},
    ids::OrganizationId,
    store::{StateDb, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

async fn did(db: &StateDb, organization: &str, action: Action, target: &str) {
    let organization = (!organization.is_empty()).then(|| organization.into());
    let entry = Entry::new(organization, Actor::User("u".into()), action, target);
    let write = db.begin().await.unwrap();
    record(&write, NOW, entry.with(json!({ "name": "n" })))
        .await
        .unwrap();
    write.commit().await.unwrap();
}

/// Three entries of one organization, two of another, one of none.
async fn filled() -> (tempfile::TempDir, StateDb) {
    let (directory, db) = testing::temporary().await;
    did(&db, "a", Action::KeyCreate, "1").await;
    did(&db, "b", Action::MemberRole, "2").await;
    did(&db, "a", Action::KeyRotate, "1").await;
    did(&db, "", Action::OrganizationErase, "c").await;
    did(&db, "a", Action::KeyRevoke, "1").await;
    did(&db, "b", Action::MemberRemove, "2").await;
    (directory, db)
}

/// A person with the file removes the guards and changes rows.
async fn tamper(db: &StateDb, statement: &str) {
    for guard in ["audit_entries_keep", "audit_entries_stay"] {
        let drop = format!("DROP TRIGGER IF EXISTS {guard}");
        db.writer().execute_unprepared(&drop).await.unwrap();
    }
    db.writer().execute_unprepared(statement).await.unwrap();
}

#[tokio::test]
async fn an_untouched_log_holds_and_nothing_of_it_can_be_touched() {
    let (_directory, db) = filled().await;
    let report = verify(&db).await.unwrap();
    assert_eq!((report.chains, report.entries), (3, 6));
    assert_eq!(report.broken, []);
    for statement in [
        "UPDATE audit_entries SET details = '{}'",
        "DELETE FROM audit_entries WHERE seq = 3",
    ] {
        let refused = db.writer().execute_unprepared(statement).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("audit rows are never"), "{refused}");
    }
    assert_eq!(verify(&db).await.unwrap(), report);
}

#[tokio::test]
async fn whatever_is_changed_is_found_in_its_place() {
    let changes = [
        (
            "UPDATE audit_entries SET actor_id = 'v' WHERE chain = 'a' AND seq = 2",
            2,
        ),
        (
            "UPDATE audit_entries SET at_ms = at_ms + 1 WHERE chain = 'a' AND seq = 1",
            1,
        ),
        (
            "UPDATE audit_entries SET details = '{}' WHERE chain = 'a' AND seq = 3",
            3,
        ),
        ("DELETE FROM audit_entries WHERE chain = 'a' AND seq = 2", 3),
        ("DELETE FROM audit_entries WHERE chain = 'a' AND seq = 1", 2),
        ("DELETE FROM audit_entries WHERE chain = 'a' AND seq = 3", 2),
        ("DELETE FROM audit_entries WHERE chain = 'a'", 0),
        ("DELETE FROM audit_heads WHERE chain = 'a'", 3),
        ("UPDATE audit_heads SET seq = 2 WHERE chain = 'a'", 3),
        (
            "UPDATE audit_entries SET chain = 'b', seq = 3 WHERE chain = 'a' AND seq = 3",
            3,
        ),
        (
            "UPDATE audit_entries SET seq = 9 WHERE chain = 'a' AND seq = 1; \
             UPDATE audit_entries SET seq = 1 WHERE chain = 'a' AND seq = 2; \
             UPDATE audit_entries SET seq = 2 WHERE chain = 'a' AND seq = 9",
            1,
        ),
    ];
    for (statement, at) in changes {
        let (_directory, db) = filled().await;
        tamper(&db, statement).await;
        let report = verify(&db).await.unwrap();
        assert!(!report.broken.is_empty(), "{statement}");
        let places: Vec<i64> = report.broken.iter().map(|broken| broken.seq).collect();
        assert!(places.contains(&at), "{statement}: {report:?}");
    }
}

#[tokio::test]
async fn an_entry_that_is_not_stored_takes_its_transaction_back() {
    let (_directory, db) = filled().await;
    let blocked = "CREATE TRIGGER blocked BEFORE INSERT ON audit_entries \
                   BEGIN SELECT RAISE(ABORT, 'no'); END";
    db.writer().execute_unprepared(blocked).await.unwrap();
    let write = db.begin().await.unwrap();
    write
        .execute_unprepared("INSERT INTO event_cursors (node_id, lsn) VALUES ('n', 1)")
        .await
        .unwrap();
    let entry = Entry::new(None, Actor::System, Action::KeyCreate, "k");
    record(&write, NOW, entry).await.unwrap_err();
    drop(write);
    let count = sea_orm::Statement::from_string(
        sea_orm::DbBackend::Sqlite,
        "SELECT count(*) FROM event_cursors".to_owned(),
    );
    let row = db.writer().query_one_raw(count).await.unwrap().unwrap();
    assert_eq!(row.try_get_by_index::<i64>(0).unwrap(), 0);
    assert_eq!(verify(&db).await.unwrap().broken, []);
}

#[tokio::test]
async fn people_see_the_log_of_their_own_organization() {
    let (_directory, db) = filled().await;
    let organization = OrganizationId::from("a");
    let grant = SessionGrant {
        id: "s".into(),
        user: "u".into(),
        active_organization: None,
        memberships: vec![Member {
            organization: organization.clone(),
            role: Role::Admin,
        }],
    };
    let caller = Principal::Session(grant.into());
    let access = authorize::organization(&caller, Permission::AuditRead, &organization).unwrap();
    let log = AuditLog::new(db);
    let seen = log.list(&access, &Filter::default(), 10).await.unwrap();
    let actions: Vec<&str> = seen.iter().map(|one| one.action.as_str()).collect();
    assert_eq!(actions, ["key.revoke", "key.rotate", "key.create"]);
    assert_eq!(seen[0].previous, seen[1].hash);
    let only = |filter| {
        let (log, access) = (log.clone(), access.clone());
        async move {
            let found = log.list(&access, &filter, 10).await.unwrap();
            found.iter().map(|one| one.seq).collect::<Vec<_>>()
        }
    };
    let before = Filter {
        before: Some(3),
        ..Filter::default()
    };
    assert_eq!(only(before).await, [2, 1]);
    let action = Filter {
        action: Some("key.create".into()),
        ..Filter::default()
    };
    assert_eq!(only(action).await, [1]);
    let past = Filter {
        to_ms: Some(NOW),
        ..Filter::default()
    };
    assert!(only(past).await.is_empty());
    let nobody = Filter {
        actor: Some("v".into()),
        ..Filter::default()
    };
    assert!(only(nobody).await.is_empty());
}
