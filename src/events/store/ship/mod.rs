//! The shipper's thread: closes the open generation now and then, and sends what is closed.
//!
//! One batch: *record, send, keep the keys, note, adopt*. A crash after any of them is a crash before the next: the recorded
//! batch is sent again, as the same rows under the same name, and ClickHouse knows it.

mod claims;
#[cfg(test)]
mod model;

use std::{
    collections::HashSet,
    io,
    sync::{Arc, PoisonError, Weak, atomic::Ordering::Relaxed},
    thread,
    time::Duration,
};

use super::{EventStore, Inner};
use crate::events::{
    clickhouse::{Batch, Failure, Finished, MigrateError},
    log::{Lsn, frame, recovery::write_durably},
    priority::lower_priority,
    record,
    segments::Manifest,
    shipper::{
        Pace, Shipping,
        journal::{Journal, Stretch},
        send::send,
    },
    tail::{Generation, TailFrame},
};

/// Below listeners, but not so far that load keeps a backlog waiting.
const NICE: i32 = 3;
/// How long an answer waits for events that were acknowledged before it was asked for.
pub(super) const FRESH: Duration = Duration::from_secs(1);

/// Why nothing could be shipped.
#[derive(Debug, thiserror::Error)]
enum ShipError {
    #[error(transparent)]
    Failure(#[from] Failure),
    #[error(transparent)]
    Tables(#[from] MigrateError),
    #[error(transparent)]
    Disk(#[from] io::Error),
}

pub(super) fn start(store: &Arc<Inner>, shipping: &Arc<Shipping>) -> io::Result<()> {
    let (weak, own) = (Arc::downgrade(store), Arc::clone(shipping));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let thread = thread::Builder::new().name("ship".into()).spawn(move || {
        lower_priority(NICE);
        runtime.block_on(async {
            tokio::select! {
                () = own.stop.cancelled() => {}
                () = run(&weak, &own) => {}
            }
        });
    })?;
    let mut held = shipping
        .thread
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    *held = Some(thread);
    Ok(())
}

async fn run(store: &Weak<Inner>, shipping: &Shipping) {
    let Pace {
        every,
        least,
        first_pause,
        longest_pause,
    } = shipping.remote.pace;
    let mut pause = first_pause;
    loop {
        let Some(inner) = store.upgrade() else {
            return;
        };
        let shipped = turn(&EventStore(inner), shipping).await;
        match shipped {
            Ok(true) => pause = first_pause,
            Ok(false) => {
                pause = first_pause;
                // Alone, a waiting request would make a batch of every event.
                tokio::time::sleep(least).await;
                let more = every.saturating_sub(least);
                let _ = tokio::time::timeout(more, shipping.wanted.notified()).await;
            }
            Err(error) => {
                tracing::error!(%error, "events cannot be shipped; they stay in the spool");
                shipping.failed(error.to_string());
                tokio::time::sleep(pause).await;
                pause = longest_pause.min(pause * 2);
            }
        }
    }
}

/// Ships the oldest closed generation, or what the open one holds, if there is no other; whether more are closed.
async fn turn(store: &EventStore, shipping: &Shipping) -> Result<bool, ShipError> {
    if !shipping.progress.borrow().is_ready {
        shipping.remote.engine.migrate().await?;
        shipping.progress.send_modify(|progress| {
            progress.is_ready = true;
            progress.trouble = None;
        });
    }
    let mut snapshot = store.snapshot();
    if let [open] = &snapshot.generations[..] {
        if open.rows() == 0 {
            return Ok(false);
        }
        store.freeze().await;
        snapshot = store.snapshot();
    }
    let Some((_, [oldest, more @ ..])) = snapshot.generations.split_last() else {
        return Ok(false);
    };
    ship(store, shipping, oldest).await?;
    Ok(!more.is_empty())
}

async fn ship(
    store: &EventStore,
    shipping: &Shipping,
    generation: &Generation,
) -> Result<(), ShipError> {
    let points = &store.0.options.failpoints;
    let pass = |place: &str| points.pass(place, || shipping.stop.is_cancelled());
    let cursor = shipping.progress.borrow().cursor;
    let frames = generation.frames_from(0)?;
    let mut stretch = Stretch::behind(cursor, generation.last_lsn(), &generation.lsns());
    let known = Journal::read(&shipping.data_dir)?.and_then(|journal| journal.batch);
    if let Some(known) = known.filter(|known| known.is_of(&stretch)) {
        // What is sent under one name is always the same.
        stretch = known;
    } else {
        stretch.elsewhere = claims::elsewhere(shipping, &frames).await;
        let recorded = Journal {
            cursor,
            batch: Some(stretch.clone()),
        };
        recorded.write(&shipping.data_dir)?;
    }
    pass("ship-recorded")?;
    let batch = encode(&frames, &shipping.node, &stretch.elsewhere);
    let left_out = stretch.elsewhere.len() as u64;
    if batch.len() as u64 + left_out < generation.rows() {
        store.keep_unreadable(generation)?;
    }
    let token = stretch.token(&shipping.node);
    let bad = send(&shipping.remote.engine, &batch, &token).await?;
    set_aside(store, shipping, &frames, &batch, &bad)?;
    pass("ship-sent")?;
    store.0.index.confirm(generation.id)?;
    pass("ship-kept")?;
    let noted = Journal {
        cursor: stretch.to,
        batch: None,
    };
    noted.write(&shipping.data_dir)?;
    pass("ship-noted")?;
    store.adopt(&Manifest {
        segments: Vec::new(),
        cursor: stretch.to,
        version: 0,
    });
    let figures = &shipping.figures;
    figures.batches.fetch_add(1, Relaxed);
    figures
        .events
        .fetch_add((batch.len() - bad.len()) as u64, Relaxed);
    // Whoever waits for the cursor finds everything counted.
    claims::count(store, shipping, &frames, &stretch.elsewhere);
    shipping.progress.send_modify(|progress| {
        progress.cursor = stretch.to;
        progress.trouble = None;
    });
    Ok(())
}

/// The rows of some frames but for those that are `elsewhere`, the same every time.
fn encode(frames: &[TailFrame], node: &str, elsewhere: &[(Lsn, u32)]) -> Finished {
    let elsewhere: HashSet<_> = elsewhere.iter().copied().collect();
    let mut batch = Batch::default();
    for tail in frames {
        for (number, found) in frame::records(&tail.payload).enumerate() {
            let number = number as u32;
            if elsewhere.contains(&(tail.lsn, number)) {
                continue;
            }
            let Ok(event) = record::decode(tail.version, &found.event, tail.lsn) else {
                continue;
            };
            let key = found.key.unwrap_or_else(|| key(node, tail.lsn, number));
            batch.push((tail.lsn, number), &event, key);
        }
    }
    batch.finish()
}

/// What tells an event apart that came without an id: its place in the log.
fn key(node: &str, lsn: Lsn, number: u32) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(node.as_bytes());
    hasher.update(&lsn.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(key)
}

/// Keeps the records that ClickHouse refuses: their part of the log goes.
fn set_aside(
    store: &EventStore,
    shipping: &Shipping,
    frames: &[TailFrame],
    batch: &Finished,
    bad: &[usize],
) -> io::Result<()> {
    if bad.is_empty() {
        return Ok(());
    }
    let directory = store.0.options.data_dir.join("spool").join("quarantine");
    std::fs::create_dir_all(&directory)?;
    for row in bad {
        let place = batch.place(*row);
        let tail = frames.iter().find(|frame| frame.lsn == place.lsn);
        let record =
            tail.and_then(|frame| frame::records(&frame.payload).nth(place.record as usize));
        if let Some(record) = record {
            let path = directory.join(format!("{:020}-{}.record", place.lsn, place.record));
            write_durably(&path, &record.event)?;
            tracing::error!(file = %path.display(), "an event that ClickHouse refuses was set aside");
        }
    }
    shipping
        .figures
        .quarantined
        .fetch_add(bad.len() as u64, Relaxed);
    Ok(())
}
