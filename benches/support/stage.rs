//! What stages are measured with: events as they come, a spool, an engine.

use std::{path::Path, time::Duration};

use bytes::Bytes;
use criterion::{BenchmarkGroup, measurement::WallTime};
use futures_util::future::join_all;
use pharos::events::log::frame::{self, Frame};
use pharos::{
    clock::Clock,
    events::{
        demo::{Generator, Plan, Site},
        engine::{self, Root},
        segments::Manifest,
        store::{Accepted, EventStore, Options},
        tail::{Generation, TailFrame},
    },
    ids::{OrganizationKey, WebsiteKey},
};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::machine::process_time;

/// 2025-10-15T12:00:00Z, a Wednesday.
pub(crate) const NOW: i64 = 1_760_529_600_000;
/// Events after which a spool is thrown away: it is never sealed.
const FULL: u64 = 500_000;

/// Measures work on some events at a time; an iteration is one event.
pub(crate) fn per_event(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    events: u32,
    mut work: impl FnMut(),
) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|times| timed(times, events, &mut work));
    });
}

/// Processor time per event of doing some work so many times.
pub(crate) fn timed(times: u64, events: u32, mut work: impl FnMut()) -> Duration {
    let start = process_time();
    for _ in 0..times {
        work();
    }
    process_time().saturating_sub(start) / events
}

/// A runtime for what is asynchronous.
pub(crate) fn runtime() -> Runtime {
    let built = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    built.unwrap()
}

/// Realistic events of every kind.
pub(crate) fn rows(count: u64) -> Vec<Accepted> {
    let site = |key| Site {
        key: WebsiteKey(key),
        domain: format!("site-{key}.example"),
    };
    let plan = Plan {
        organization: OrganizationKey(11),
        websites: (1..=50).map(site).collect(),
        events: count,
        days: 1,
        end: NOW,
        seed: 1,
    };
    Generator::new(plan).flatten().collect()
}

/// The events as the tail holds them, one request each.
pub(crate) fn frames(events: &[Accepted]) -> Vec<TailFrame> {
    events
        .iter()
        .zip(1..)
        .map(|(accepted, lsn)| frame_of(accepted, lsn))
        .collect()
}

fn frame_of(accepted: &Accepted, lsn: u64) -> TailFrame {
    let mut payload = Vec::new();
    let event = postcard::to_stdvec(&accepted.event).unwrap();
    frame::push_record(&mut payload, None, &event);
    let received = accepted.event.received;
    let frame = Frame {
        version: 1,
        lsn,
        received,
        payload: Bytes::from(payload),
    };
    frame.into()
}

/// A generation that no engine has loaded yet.
pub(crate) fn generation(frames: &[TailFrame]) -> Generation {
    let generation = Generation::first(Path::new(""));
    generation.push(frames.iter().cloned());
    generation
}

/// An engine of its own, with a place for segments.
pub(crate) struct Engine {
    /// Where segments go.
    pub(crate) directory: TempDir,
    /// A connection to it.
    pub(crate) connection: engine::Handle,
    /// Its life.
    pub(crate) epoch: u64,
    _root: Root,
}

impl Engine {
    /// Opens it as production does.
    pub(crate) fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = engine::Options {
            segments: directory.path().to_owned(),
            spill: directory.path().join("spill"),
            memory: 192 << 20,
            threads: 2,
            concurrent: 1,
        };
        let root = Root::open(options).unwrap();
        let (epoch, connection) = root.connect().unwrap();
        Self {
            directory,
            connection,
            epoch,
            _root: root,
        }
    }
}

/// A store that does not sync, in memory where the machine has such a place.
pub(crate) struct Spool {
    runtime: Runtime,
    events: Vec<Accepted>,
    next: u64,
    store: EventStore,
    appended: u64,
    directory: TempDir,
}

impl Spool {
    /// Opens one over an empty directory.
    pub(crate) fn open() -> Self {
        let (store, directory) = empty_store();
        Self {
            runtime: runtime(),
            events: rows(4_096),
            next: 0,
            store,
            appended: 0,
            directory,
        }
    }

    /// Appends `times` events at least, in requests of `size`, `waiting` of them at the same time; gives the
    /// processor time of `times` events.
    pub(crate) fn append(&mut self, times: u64, waiting: usize, size: usize) -> Duration {
        let turn = (waiting * size) as u64;
        let turns = times.div_ceil(turn);
        let mut spent = Duration::ZERO;
        for _ in 0..turns {
            if self.appended > FULL {
                self.renew();
            }
            let requests: Vec<_> = (0..waiting).map(|_| self.request(size)).collect();
            let start = process_time();
            let answers = self.runtime.block_on(join_all(
                requests.into_iter().map(|events| self.store.append(events)),
            ));
            spent += process_time().saturating_sub(start);
            let stored: usize = answers
                .into_iter()
                .map(|answer| answer.unwrap().stored)
                .sum();
            assert_eq!(stored as u64, turn);
            self.appended += turn;
        }
        spent.mul_f64(times as f64 / (turns * turn) as f64)
    }

    /// Ends its threads.
    pub(crate) fn close(self) {
        self.store.close();
    }

    fn request(&mut self, size: usize) -> Vec<Accepted> {
        (0..size)
            .map(|_| {
                self.next += 1;
                let at = self.next as usize % self.events.len();
                Accepted {
                    event_id: Some(format!("evt_{:016x}", self.next)),
                    ..self.events[at].clone()
                }
            })
            .collect()
    }

    fn renew(&mut self) {
        self.store.close();
        (self.store, self.directory) = empty_store();
        self.appended = 0;
    }
}

fn empty_store() -> (EventStore, TempDir) {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    }
    .unwrap();
    let options = Options {
        sync: false,
        reserve: 1,
        ..Options::new(directory.path())
    };
    let store = EventStore::open(options, Clock::fixed(NOW), &Manifest::default()).unwrap();
    (store, directory)
}
