//! Two nodes that were sent the same events.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use futures_util::{FutureExt as _, future::BoxFuture};

use super::{EventStore, Fake, Options, fs, names, options, send, until};
use crate::{
    clock::Clock,
    events::{
        segments::Manifest,
        store::{shipper::Claims, tests::NOW},
    },
};

/// Who has claimed what.
#[derive(Debug, Default)]
struct Register {
    owners: Mutex<HashMap<u128, String>>,
    is_away: AtomicBool,
}

impl Claims for Register {
    fn claim<'a>(
        &'a self,
        node: &'a str,
        ids: &'a [u128],
    ) -> BoxFuture<'a, Result<Vec<bool>, String>> {
        async move {
            if self.is_away.load(SeqCst) {
                return Err("away".to_owned());
            }
            let mut owners = self.owners.lock().unwrap();
            let own = |id: &u128| owners.entry(*id).or_insert_with(|| node.to_owned()) == node;
            Ok(ids.iter().map(own).collect())
        }
        .boxed()
    }
}

fn open(directory: &Path, fake: &Fake, register: &Arc<Register>) -> EventStore {
    let mut options: Options = options(directory, fake);
    if let Some(remote) = &mut options.remote {
        remote.claims = Some(Arc::clone(register) as Arc<dyn Claims>);
    }
    EventStore::share_ids(directory, &[7; 32], true).unwrap();
    EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap()
}

fn sorted(fake: &Fake) -> Vec<String> {
    let mut names = fake.names();
    names.sort();
    names
}

#[tokio::test]
async fn an_event_that_reaches_two_nodes_is_stored_by_one_of_them() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (fake, register) = (Fake::start(), Arc::default());
    let stores = [one.path(), other.path()].map(|home| open(home, &fake, &register));
    for n in 0..10 {
        // Some only to one of them, some to both, in either order.
        for at in [n % 2, (n + 1) % 2].iter().take(1 + n % 3) {
            assert_eq!(send(&stores[*at], n).await.stored, 1);
        }
    }
    for store in &stores {
        store.ship_all().await.unwrap();
    }
    assert_eq!(sorted(&fake), names(10));
    let left_out: u64 = stores.iter().map(|store| store.shipped().elsewhere).sum();
    assert_eq!(left_out, 6, "0 is sent to one, 1 and 2 to both, and so on");
    for store in stores {
        assert_eq!(store.shipped().unclaimed, 0);
        store.close();
    }
}

#[tokio::test]
async fn what_was_left_out_of_a_batch_once_is_left_out_when_it_is_sent_again() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (fake, register) = (Fake::start(), Arc::default());
    let first = open(one.path(), &fake, &register);
    send(&first, 0).await;
    first.ship_all().await.unwrap();

    let points = other.path().join("points");
    fs::create_dir(&points).unwrap();
    fs::write(points.join("ship-sent"), "fail").unwrap();
    let second = open(other.path(), &fake, &register);
    for n in 0..3 {
        send(&second, n).await;
    }
    until("it was sent and nobody noted it", || {
        second.shipped().retries > 0
    })
    .await;
    second.close();
    fs::remove_file(points.join("ship-sent")).unwrap();
    // The claims are lost now.
    register.owners.lock().unwrap().clear();

    let second = open(other.path(), &fake, &register);
    second.ship_all().await.unwrap();
    assert_eq!(sorted(&fake), names(3));
    for store in [first, second] {
        store.close();
    }
}

#[tokio::test]
async fn while_nobody_can_be_asked_events_are_shipped_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (fake, register) = (Fake::start(), Arc::<Register>::default());
    register.is_away.store(true, SeqCst);
    let store = open(directory.path(), &fake, &register);
    for n in 0..2 {
        send(&store, n).await;
    }
    store.ship_all().await.unwrap();
    assert_eq!(fake.names(), names(2));
    assert_eq!(
        (store.shipped().unclaimed, store.shipped().elsewhere),
        (2, 0)
    );
    store.close();
}
