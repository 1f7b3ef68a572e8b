//! Counts seals and notes what memory did at each, by reading the program's own figures.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::{child::Server, wire::Connection};

/// How often the program is asked; a seal takes about as long.
const LOOK: Duration = Duration::from_millis(100);
const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// What was seen right after a seal.
#[derive(Clone, Copy)]
pub(crate) struct Seal {
    /// The how many-th.
    pub(crate) number: u64,
    /// Events stored so far.
    pub(crate) events: u64,
    /// Events that no segment holds yet.
    pub(crate) unsealed: u64,
    /// Segments in use.
    pub(crate) segments: u64,
    /// Resident memory.
    pub(crate) resident_mb: f64,
}

/// The seals so far.
pub(crate) struct Seals {
    seen: Arc<Mutex<Vec<Seal>>>,
    stored: Arc<AtomicU64>,
}

impl Seals {
    /// Watches from now on, on the calling thread's runtime.
    pub(crate) async fn watch(server: Arc<Server>) -> anyhow::Result<Self> {
        let watched = Self {
            seen: Arc::default(),
            stored: Arc::default(),
        };
        let (seen, stored) = (Arc::clone(&watched.seen), Arc::clone(&watched.stored));
        let mut connection = Connection::open(server.api).await?;
        actix_web::rt::spawn(async move {
            while connection.exchange(METRICS).await.is_ok() {
                let text = String::from_utf8_lossy(connection.body()).into_owned();
                let seal = Seal {
                    number: value(&text, "pharos_seals_total"),
                    events: value(&text, "pharos_events_stored_total"),
                    unsealed: value(&text, "pharos_unsealed_events"),
                    segments: value(&text, "pharos_segments"),
                    resident_mb: server.resident_mb().unwrap_or_default(),
                };
                stored.store(seal.events, Ordering::Relaxed);
                note(&seen, seal);
                tokio::time::sleep(LOOK).await;
            }
        });
        Ok(watched)
    }

    /// How many.
    pub(crate) fn count(&self) -> u64 {
        self.lock().last().map_or(0, |seal| seal.number)
    }

    /// Events stored so far.
    pub(crate) fn stored(&self) -> u64 {
        self.stored.load(Ordering::Relaxed)
    }

    /// Every one of them that was seen.
    pub(crate) fn seen(&self) -> Vec<Seal> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Seal>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(seen: &Mutex<Vec<Seal>>, seal: Seal) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.last().map_or(0, |last| last.number) < seal.number {
        seen.push(seal);
    }
}

fn value(text: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(known, _)| *known == name);
    found.map_or(0, |(_, value)| {
        value.parse::<f64>().unwrap_or_default() as u64
    })
}
