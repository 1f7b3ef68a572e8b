//! Threat T17: what statements may take is bounded, whatever they ask, and the next one is answered as ever.

use std::time::Duration;

use super::{NOW, event, names};
use crate::events::store::{EACH, EventStore, Options};
use crate::{
    clock::Clock,
    events::{
        segments::Manifest,
        statement::{Bind, Cell, QueryError, Scope, Statement},
        tenant::Tenant,
    },
};

fn statement(text: &str) -> Statement {
    Statement {
        spilling: None,
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
        let permit = store.0.limiter.take(owner, Duration::from_mins(5)).await;
        held.push(permit.unwrap());
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

/// However many websites it asks about, and although the engine has two threads only.
#[tokio::test]
async fn an_organization_with_many_websites_keeps_no_other_and_no_visitor_waiting() {
    const ENDLESS: &str =
        "SELECT count(*) FROM range(100000000) AS a(i), range(1000000) AS b(j) WHERE a.i + b.j = 3";
    let directory = tempfile::tempdir().unwrap();
    let options = Options {
        reserve: 1,
        deadline: Duration::from_mins(5),
        concurrent: 2,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap();
    store.append(vec![event(7, "a", None)]).await.unwrap();
    let mut greedy = tokio::task::JoinSet::new();
    for website in 0..20 {
        let (store, mut endless) = (store.clone(), statement(ENDLESS));
        endless.scope.website = Some(website);
        greedy.spawn(async move { store.query(endless).await });
    }
    while store.running().0 < 20 {
        tokio::task::yield_now().await;
    }
    let mut other = statement("SELECT count(*) FROM {events}");
    let visitor = Tenant {
        organization: other.scope.organization,
        anonymous: true,
    };
    let account = store.account(visitor, 1 << 20);
    let seen = store.query_for(other.clone(), &account).await.unwrap();
    assert_eq!(seen.rows[0], [Cell::Int(1)]);
    other.scope.organization = 2;
    let rows = store.query(other).await.unwrap().rows;
    assert_eq!(rows[0], [Cell::Int(0)]);
    assert!(greedy.try_join_next().is_none());
    greedy.shutdown().await;
    store.close();
}
