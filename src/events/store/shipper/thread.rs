//! The shipper's thread: closes the open generation from time to time, and sends closed ones.
//!
//! Steps of a batch: record, send, keep the keys, confirm, adopt. After a crash between two steps the recorded batch is sent
//! again, as the same rows under the same name, and ClickHouse recognizes it.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, PoisonError, Weak, atomic::Ordering::Relaxed},
    thread,
    time::Duration,
};

use super::{
    super::{EventStore, Inner},
    Pace, Shipper, claims,
    journal::{Journal, LogRange},
    send::send,
};
use crate::events::{
    clickhouse::{Batch, Failure, Finished, MigrateError},
    log::{Lsn, frame, recovery::write_durably},
    record,
    segments::Manifest,
    tail::{Generation, TailFrame},
    threads::lower_priority,
};

/// Below listeners, but not so far that load keeps a backlog waiting.
const NICE: i32 = 3;
/// How long a query waits for events that were acknowledged before it.
pub(in crate::events::store) const MAX_STALENESS: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
enum ShipError {
    #[error(transparent)]
    Failure(#[from] Failure),
    #[error(transparent)]
    Tables(#[from] MigrateError),
    #[error(transparent)]
    Disk(#[from] io::Error),
}

pub(in crate::events::store) fn start(
    store: &Arc<Inner>,
    shipper: &Arc<Shipper>,
) -> io::Result<()> {
    let (weak, own) = (Arc::downgrade(store), Arc::clone(shipper));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let thread = thread::Builder::new().name("ship".into()).spawn(move || {
        lower_priority(NICE);
        runtime.block_on(async {
            tokio::select! {
                () = own.stopping.cancelled() => {}
                () = run(&weak, &own) => {}
            }
        });
    })?;
    let mut held = shipper
        .thread
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    *held = Some(thread);
    Ok(())
}

async fn run(store: &Weak<Inner>, shipper: &Shipper) {
    let Pace {
        every,
        least,
        first_pause,
        longest_pause,
    } = shipper.remote.pace;
    let mut pause = first_pause;
    loop {
        let Some(inner) = store.upgrade() else {
            return;
        };
        let shipped = ship_next(&EventStore(inner), shipper).await;
        match shipped {
            Ok(true) => pause = first_pause,
            Ok(false) => {
                pause = first_pause;
                // Without it, a waiting request would turn every event into a batch.
                tokio::time::sleep(least).await;
                let more = every.saturating_sub(least);
                let _ = tokio::time::timeout(more, shipper.waiting.notified()).await;
            }
            Err(error) => {
                tracing::error!(%error, "events cannot be shipped; they stay in the spool");
                shipper.note_failure(error.to_string());
                tokio::time::sleep(pause).await;
                pause = longest_pause.min(pause * 2);
            }
        }
    }
}

/// Ships the oldest closed generation, or the open one if it is the only one. Returns whether more are closed.
async fn ship_next(store: &EventStore, shipper: &Shipper) -> Result<bool, ShipError> {
    if !shipper.progress.borrow().is_ready {
        shipper.remote.engine.migrate().await?;
        shipper.progress.send_modify(|progress| {
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
    ship(store, shipper, oldest).await?;
    Ok(!more.is_empty())
}

async fn ship(
    store: &EventStore,
    shipper: &Shipper,
    generation: &Generation,
) -> Result<(), ShipError> {
    let points = &store.0.options.failpoints;
    let pass = |point: &str| points.pass(point, || shipper.stopping.is_cancelled());
    let cursor = shipper.progress.borrow().cursor;
    let frames = generation.frames_from(0)?;
    let mut range = LogRange::after(cursor, generation.last_lsn(), &generation.lsns());
    let recorded = Journal::read(&shipper.data_dir)?.and_then(|journal| journal.batch);
    if let Some(recorded) = recorded.filter(|recorded| recorded.has_same_frames(&range)) {
        // A name always represents the same rows.
        range = recorded;
    } else {
        range.elsewhere = claims::claimed_elsewhere(shipper, &frames).await;
        let recorded = Journal {
            cursor,
            batch: Some(range.clone()),
        };
        recorded.write(&shipper.data_dir)?;
    }
    pass("ship-recorded")?;
    let batch = encode(&frames, &shipper.node, &range.elsewhere);
    let left_out = range.elsewhere.len() as u64;
    if batch.len() as u64 + left_out < generation.rows() {
        store.keep_unreadable(generation)?;
    }
    let token = range.token(&shipper.node);
    let bad = send(&shipper.remote.engine, &batch, &token).await?;
    set_aside(store, shipper, &frames, &batch, &bad)?;
    pass("ship-sent")?;
    store.0.index.confirm(generation.id)?;
    pass("ship-kept")?;
    let noted = Journal {
        cursor: range.to,
        batch: None,
    };
    noted.write(&shipper.data_dir)?;
    pass("ship-noted")?;
    store.adopt(&Manifest {
        segments: Vec::new(),
        cursor: range.to,
        version: 0,
    });
    let metrics = &shipper.metrics;
    metrics.batches.fetch_add(1, Relaxed);
    metrics
        .events
        .fetch_add((batch.len() - bad.len()) as u64, Relaxed);
    // Count before the cursor moves: callers that wait for it expect the counts.
    claims::count_duplicates(store, shipper, &frames, &range.elsewhere);
    shipper.progress.send_modify(|progress| {
        progress.cursor = range.to;
        progress.trouble = None;
    });
    Ok(())
}

/// The rows of frames without those in `elsewhere`; the same input gives the same bytes.
fn encode(frames: &[TailFrame], node: &str, elsewhere: &[(Lsn, u32)]) -> Finished {
    let elsewhere: HashSet<_> = elsewhere.iter().copied().collect();
    let mut batch = Batch::default();
    for tail in frames {
        for (number, record) in frame::records(&tail.payload).enumerate() {
            let number = number as u32;
            if elsewhere.contains(&(tail.lsn, number)) {
                continue;
            }
            let Ok(event) = record::decode(tail.version, &record.event, tail.lsn) else {
                continue;
            };
            let key = record.key.unwrap_or_else(|| key(node, tail.lsn, number));
            batch.push((tail.lsn, number), &event, key);
        }
    }
    batch.finish()
}

/// The key of an event without an id: its position in the log.
fn key(node: &str, lsn: Lsn, number: u32) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(node.as_bytes());
    hasher.update(&lsn.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(key)
}

/// Writes the records that ClickHouse refuses to `spool/quarantine`, because their part of the log is deleted.
fn set_aside(
    store: &EventStore,
    shipper: &Shipper,
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
        let source = batch.source(*row);
        let tail = frames.iter().find(|frame| frame.lsn == source.lsn);
        let record =
            tail.and_then(|frame| frame::records(&frame.payload).nth(source.record as usize));
        if let Some(record) = record {
            let path = directory.join(format!("{:020}-{}.record", source.lsn, source.record));
            write_durably(&path, &record.event)?;
            tracing::error!(file = %path.display(), "an event that ClickHouse refuses was set aside");
        }
    }
    shipper
        .metrics
        .quarantined
        .fetch_add(bad.len() as u64, Relaxed);
    Ok(())
}
