//! What leaves, how often, and what becomes of what cannot.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use actix::Arbiter;
use futures_util::{FutureExt, future::BoxFuture};
use sea_orm::EntityTrait;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::*;
use crate::{
    actors::kit::{Child, Handle, RestartPolicy, drain_all, supervise},
    clock::Clock,
    entities::outbox as table,
    store::{InstanceSecret, StateDb, state::testing},
};

const NOW: i64 = 1_800_000_000_000;

/// Returns prepared outcomes and reports the attempts that it gets.
struct Scripted {
    answers: Mutex<Vec<Result<(), Failure>>>,
    attempts: mpsc::UnboundedSender<Attempt>,
}

impl Sender for Scripted {
    fn deliver(&self, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>> {
        let answer = self.answers.lock().unwrap().pop().unwrap_or(Ok(()));
        self.attempts.send(attempt).unwrap();
        async move { answer }.boxed()
    }
}

struct Fixture {
    _directory: TempDir,
    db: StateDb,
    clock: Clock,
    outbox: Outbox,
    senders: Senders,
    attempts: mpsc::UnboundedReceiver<Attempt>,
    delivery: Handle<Deliveries>,
    child: Child,
}

impl Fixture {
    /// With a sender of `test` deliveries that answers so, the last first.
    async fn open(answers: Vec<Result<(), Failure>>) -> Self {
        let (directory, db) = testing::temporary().await;
        let clock = Clock::fixed(NOW);
        let outbox = Outbox::new(&InstanceSecret::from_bytes([7; 32]));
        let (sent, attempts) = mpsc::unbounded_channel();
        let sender = Scripted {
            answers: Mutex::new(answers),
            attempts: sent,
        };
        let senders = Senders::default().with("test", Arc::new(sender));
        let (delivery, child) = start(&db, &clock, &outbox, &senders).await;
        Self {
            _directory: directory,
            db,
            clock,
            outbox,
            senders,
            attempts,
            delivery,
            child,
        }
    }

    async fn put(&self, key: &str) -> bool {
        self.put_as("test", key).await
    }

    async fn put_as(&self, kind: &'static str, key: &str) -> bool {
        let write = self.db.begin().await.unwrap();
        let delivery = delivery(kind, key);
        let first = self.outbox.put(&write, delivery, self.clock.now_ms()).await;
        write.commit().await.unwrap();
        self.outbox.ring();
        first.unwrap()
    }

    /// The row of a key, once it is as wanted.
    async fn row(&self, key: &str, wanted: impl Fn(&table::Model) -> bool) -> table::Model {
        let patience = tokio::time::timeout(Duration::from_secs(20), async {
            loop {
                let rows = table::Entity::find().all(self.db.reader()).await.unwrap();
                let row = rows.into_iter().find(|row| row.key == key).unwrap();
                if wanted(&row) {
                    return row;
                }
                tokio::task::yield_now().await;
            }
        });
        patience.await.expect("the row never came to be like that")
    }

    async fn restart(mut self) -> Self {
        end(self.child).await;
        (self.delivery, self.child) =
            start(&self.db, &self.clock, &self.outbox, &self.senders).await;
        self
    }
}

fn delivery(kind: &'static str, key: &str) -> Delivery {
    Delivery {
        kind,
        key: key.to_owned(),
        organization: None,
        payload: json!({ "secret": "marked-payload" }),
    }
}

async fn start(
    db: &StateDb,
    clock: &Clock,
    outbox: &Outbox,
    senders: &Senders,
) -> (Handle<Deliveries>, Child) {
    let env = DeliveryEnv {
        db: db.clone(),
        clock: clock.clone(),
        outbox: outbox.clone(),
        senders: senders.clone(),
    };
    let on = Arbiter::current();
    supervise(env, &on, RestartPolicy::default()).await.unwrap()
}

async fn end(child: Child) {
    let late = drain_all(vec![child], Duration::from_secs(5)).await;
    assert!(late.is_empty(), "{late:?}");
}

fn passing(what: &str) -> Result<(), Failure> {
    Err(Failure::again(what))
}

#[actix::test]
async fn a_delivery_is_sent_once_its_cause_is_stored_and_its_payload_is_gone() {
    let mut fixture = Fixture::open(Vec::new()).await;
    let write = fixture.db.begin().await.unwrap();
    let undone = fixture
        .outbox
        .put(&write, delivery("test", "undone"), NOW)
        .await;
    assert!(undone.unwrap());
    drop(write);

    assert!(fixture.put("done").await);
    let attempt = fixture.attempts.recv().await.unwrap();
    assert_eq!(attempt.payload, json!({ "secret": "marked-payload" }));
    assert_eq!(attempt.tried, 0);
    let row = fixture.row("done", |row| row.state == "delivered").await;
    assert_eq!((row.id, row.attempts, row.payload), (attempt.id, 1, None));
    assert!(!fixture.put("done").await, "the same key never again");
    assert!(fixture.attempts.try_recv().is_err());
    let rows = table::Entity::find()
        .all(fixture.db.reader())
        .await
        .unwrap();
    assert_eq!(rows.len(), 1, "what was taken back was never there");
    end(fixture.child).await;
}

#[actix::test]
async fn what_waits_is_sealed() {
    let fixture = Fixture::open(vec![passing("later")]).await;
    fixture.put("sealed").await;
    let row = fixture.row("sealed", |row| row.attempts == 1).await;
    let sealed = row.payload.unwrap();
    assert!(!sealed.windows(6).any(|part| part == b"marked"));
    let other = Outbox::new(&InstanceSecret::from_bytes([8; 32]));
    assert_eq!(other.open(&row.id, &sealed), None);
    assert_eq!(fixture.outbox.open("another", &sealed), None);
    assert!(fixture.outbox.open(&row.id, &sealed).is_some());
    end(fixture.child).await;
}

#[actix::test]
async fn what_fails_is_tried_again_later_under_the_same_id() {
    let mut fixture = Fixture::open(vec![passing("twice"), passing("once")]).await;
    fixture.put("retried").await;
    let first = fixture.attempts.recv().await.unwrap();
    let row = fixture.row("retried", |row| row.attempts == 1).await;
    assert_eq!(row.last_error.as_deref(), Some("once"));
    assert_eq!(row.next_attempt_at.timestamp_millis(), NOW + 10_000);

    fixture.clock.advance(Duration::from_millis(9_999));
    fixture.put("other").await;
    let other = fixture.attempts.recv().await.unwrap();
    assert_ne!(other.id, first.id, "nothing is tried before its time");
    fixture.row("other", |row| row.attempts == 1).await;

    fixture.clock.advance(Duration::from_millis(1));
    fixture.outbox.ring();
    let second = fixture.attempts.recv().await.unwrap();
    assert_eq!((second.id, second.tried), (first.id, 1));
    end(fixture.child).await;
}

#[actix::test]
async fn what_is_of_no_use_is_given_up_and_stays_visible() {
    let refused = Err(Failure::forever("no such mailbox"));
    let mut fixture = Fixture::open(vec![refused]).await;
    fixture.put("hopeless").await;
    fixture.attempts.recv().await.unwrap();
    let row = fixture.row("hopeless", |row| row.state == "dead").await;
    assert_eq!(row.last_error.as_deref(), Some("no such mailbox"));
    assert_eq!(row.payload, None);
    let failed = FailedDelivery {
        key: "hopeless".to_owned(),
        at_ms: NOW,
        is_gone: false,
    };
    let listed = |prefix: &'static str, since_ms: i64| list_failed(&fixture.db, prefix, since_ms);
    assert_eq!(listed("hope", NOW).await.unwrap(), [failed]);
    assert!(listed("hope", NOW + 1).await.unwrap().is_empty());
    assert!(listed("other", NOW).await.unwrap().is_empty());
    let fixture = fixture.restart().await;
    let view = fixture.delivery.view();
    assert_eq!((view.dead, view.waiting), (1, 0));
    end(fixture.child).await;
}

#[actix::test]
async fn a_kind_that_nobody_delivers_waits() {
    let fixture = Fixture::open(Vec::new()).await;
    fixture.put_as("pigeon", "email").await;
    let row = fixture.row("email", |row| row.attempts == 1).await;
    assert_eq!(row.state, "waiting");
    assert!(row.last_error.unwrap().contains("pigeon"));
    end(fixture.child).await;
}

#[actix::test]
async fn what_was_on_its_way_when_the_program_stopped_is_delivered_after_it() {
    let mut fixture = Fixture::open(vec![passing("stopped")]).await;
    fixture.put("late").await;
    fixture.attempts.recv().await.unwrap();
    fixture.row("late", |row| row.attempts == 1).await;
    fixture.clock.advance(Duration::from_secs(10));
    let mut fixture = fixture.restart().await;
    let again = fixture.attempts.recv().await.unwrap();
    assert_eq!(again.tried, 1);
    fixture.row("late", |row| row.state == "delivered").await;
    end(fixture.child).await;
}
