//! Threat T17: what statements may take is bounded, whatever they ask, and the next one is answered as ever.

use std::time::Duration;

use super::{
    EACH, EventStore, Options,
    tests::{NOW, event, names},
};
use crate::{
    clock::Clock,
    events::{
        segments::Manifest,
        statement::{Bind, QueryError, Scope, Statement, Tenant},
    },
};

fn statement(text: &str) -> Statement {
    Statement {
        text: text.into(),
        binds: Vec::new(),
        scope: Scope {
            organization: 1,
            website: Some(7),
            from: 0,
            to: i64::MAX,
        },
    }
}

fn open(directory: &tempfile::TempDir, deadline: Duration) -> EventStore {
    let options = Options {
        reserve: 1,
        memory: 32 << 20,
        deadline,
        concurrent: 2,
        ..Options::new(directory.path())
    };
    EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap()
}

/// What does not fit is refused, and the memory is there for the next one.
#[tokio::test]
async fn memory_is_what_the_setting_says() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Duration::from_mins(5));
    store.append(vec![event(7, "a", None)]).await.unwrap();
    // 800 MB of one value.
    let large = "SELECT len(list(i)) FROM range(100000000) AS r(i), {events}";
    for _ in 0..3 {
        let refused = store.query(statement(large)).await;
        assert!(matches!(refused, Err(QueryError::Memory)), "{refused:?}");
        assert_eq!(names(&store, Some(7)).await, ["a"]);
    }
    store.close();
}

#[tokio::test]
async fn beyond_eight_of_a_website_one_waits_and_is_told_to_come_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory, Duration::from_secs(3));
    store.append(vec![event(7, "a", None)]).await.unwrap();
    let remembered = statement("SELECT 1");
    let before = store.query(remembered.clone()).await.unwrap();
    let tenant = Tenant {
        organization: remembered.scope.organization,
        anonymous: false,
    };
    let owner = (tenant, remembered.scope.website);
    let mut held = Vec::new();
    for _ in 0..EACH {
        let place = store.0.places.take(owner, Duration::from_mins(5)).await;
        held.push(place.unwrap());
    }
    let mut next = statement("SELECT name FROM {events} WHERE kind = ?");
    next.binds.push(Bind::Int(2));
    let refused = store.query(next.clone()).await;
    assert!(matches!(refused, Err(QueryError::Busy)), "{refused:?}");
    assert_eq!(store.query(remembered).await.unwrap(), before);
    drop(held);
    assert_eq!(store.running(), (0, 0));
    store.close();
}
