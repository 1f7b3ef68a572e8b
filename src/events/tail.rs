//! Generations: durable rows that no segment holds yet.
//!
//! A generation keeps the frames exactly as they are on disk (compact, bounded by the seal size) and decodes them
//! only when a query or a seal needs the rows. The spool thread pushes to the one open generation; a frozen one never
//! changes again and disappears with the last snapshot that holds it. One that waits long for its seal is let go: it
//! reads its frames from the log when they are needed, so a long backlog takes no memory.

use std::{
    fs, io,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use bytes::Bytes;

use super::{dedup::RecentKeys, event::Event, record};
use crate::events::log::{Lsn, frame, recovery};

/// Rows of a stretch of the log.
#[derive(Debug)]
pub struct Generation {
    /// Grows by one with every seal; names the engine's table.
    pub id: u64,
    held: Mutex<GenerationFrames>,
    rows: AtomicU64,
    bytes: AtomicU64,
    last_lsn: AtomicU64,
    oldest: AtomicI64,
    newest: AtomicI64,
    /// How much of it the engine has loaded.
    pub(super) loaded: Mutex<Loaded>,
    /// Shared by all generations of a store.
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct GenerationFrames {
    /// In memory, or `None` when they are in the log only.
    frames: Option<Vec<TailFrame>>,
    /// Their positions, in order. Those between were not acknowledged.
    lsns: Vec<RangeInclusive<Lsn>>,
    /// Whether a frame of the log holds more than belongs here.
    amended: bool,
}

/// What all generations of a store share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    spool: PathBuf,
    /// Tables that are no longer needed.
    pub(super) retired: Retired,
    /// One generation at a time is turned into a file for queries: that takes memory.
    pub(super) turning: Mutex<()>,
}

/// Engine tables of generations that are no longer in use; the next statement drops them.
#[derive(Debug, Default)]
pub(super) struct Retired(Mutex<Vec<String>>);

impl Retired {
    /// Takes the tables to drop.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives tables (back), to be dropped later.
    pub(super) fn add(&self, tables: impl IntoIterator<Item = String>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(tables);
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        let table = self.table();
        let loaded = self
            .loaded
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if loaded.epoch > 0 {
            self.shared.retired.add([table]);
        }
        if let Some(file) = &loaded.file
            && let Err(error) = fs::remove_file(file)
        {
            tracing::warn!(%error, file = %file.display(), "cannot delete a file of the tail");
        }
    }
}

/// What the engine's copy of a generation holds.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The engine's life in which the table was made; tables of an earlier life are gone.
    pub(super) epoch: u64,
    /// Frames that are in the table.
    pub(super) frames: usize,
    /// The file that represents the table once the generation was let go.
    pub(super) file: Option<PathBuf>,
}

/// One request's rows in the tail.
#[derive(Debug, Clone)]
pub struct TailFrame {
    /// Position in the log.
    pub lsn: Lsn,
    /// Schema version of the events.
    pub version: u8,
    /// Receive time, Unix ms.
    pub received: i64,
    pub payload: Bytes,
    pub rows: u32,
}

impl From<frame::Frame> for TailFrame {
    fn from(frame: frame::Frame) -> Self {
        let rows = frame::records(&frame.payload).count() as u32;
        let frame::Frame {
            version,
            lsn,
            received,
            payload,
        } = frame;
        Self {
            lsn,
            version,
            received,
            payload,
            rows,
        }
    }
}

impl Generation {
    /// The first of a store's life, empty; the log lies in `spool`.
    pub fn first(spool: &Path) -> Self {
        let shared = Shared {
            spool: spool.to_owned(),
            ..Shared::default()
        };
        Self::numbered(1, Arc::new(shared))
    }

    /// The empty one that follows this one.
    pub fn next(&self) -> Self {
        Self::numbered(self.id + 1, Arc::clone(&self.shared))
    }

    fn numbered(id: u64, shared: Arc<Shared>) -> Self {
        let held = GenerationFrames {
            frames: Some(Vec::new()),
            ..GenerationFrames::default()
        };
        Self {
            id,
            shared,
            held: Mutex::new(held),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            last_lsn: AtomicU64::new(0),
            oldest: AtomicI64::new(i64::MAX),
            newest: AtomicI64::new(i64::MIN),
            loaded: Mutex::default(),
        }
    }

    /// Adds durable frames, in order. Only the spool thread does so.
    pub fn push(&self, frames: impl IntoIterator<Item = TailFrame>) {
        let mut held = self.lock_frames();
        for frame in frames {
            self.rows
                .fetch_add(u64::from(frame.rows), Ordering::Relaxed);
            self.bytes
                .fetch_add(frame.payload.len() as u64, Ordering::Relaxed);
            self.last_lsn.fetch_max(frame.lsn, Ordering::Relaxed);
            self.oldest.fetch_min(frame.received, Ordering::Relaxed);
            self.newest.fetch_max(frame.received, Ordering::Relaxed);
            held.push(frame);
        }
    }

    /// [`Self::push`] for a frame that is a part of the one in the log.
    pub fn push_amended(&self, frame: TailFrame) {
        self.lock_frames().amended = true;
        self.push([frame]);
    }

    /// Forgets the frames of a closed generation, which are read from the log when they are needed.
    pub fn let_go(&self) {
        let mut held = self.lock_frames();
        if !held.amended {
            held.frames = None;
        }
    }

    /// Whether its frames are in the log only.
    pub fn is_let_go(&self) -> bool {
        self.lock_frames().frames.is_none()
    }

    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Bytes of all payloads.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Its last log position; 0 when empty.
    pub fn last_lsn(&self) -> Lsn {
        self.last_lsn.load(Ordering::Relaxed)
    }

    /// The positions of its frames, as first and last of each run.
    pub fn lsns(&self) -> Vec<RangeInclusive<Lsn>> {
        self.lock_frames().lsns.clone()
    }

    /// When its oldest row was received, Unix ms; `None` when empty.
    pub fn oldest(&self) -> Option<i64> {
        let oldest = self.oldest.load(Ordering::Relaxed);
        (oldest < i64::MAX).then_some(oldest)
    }

    /// Hands the keys of this generation, which is closed now, on to be written.
    pub fn freeze_keys(&self, seen: &mut RecentKeys) {
        let received = (&self.oldest, &self.newest);
        let received = (
            received.0.load(Ordering::Relaxed),
            received.1.load(Ordering::Relaxed),
        );
        seen.freeze(self.id, self.last_lsn(), received);
    }

    /// Name of the engine's table for it.
    pub fn table(&self) -> String {
        format!("tail_{}", self.id)
    }

    /// The frames from the `skip`-th on. Frames that are damaged in the log by now are left out and reported.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] when the generation was let go, sealed, and its part of the log is gone.
    pub fn frames_from(&self, skip: usize) -> io::Result<Vec<TailFrame>> {
        let lsns = {
            let held = self.lock_frames();
            if let Some(frames) = &held.frames {
                return Ok(frames.get(skip..).unwrap_or_default().to_vec());
            }
            held.lsns.clone()
        };
        let (frames, damaged) = recovery::reread(&self.shared.spool, &lsns)?;
        if damaged {
            tracing::error!(
                generation = self.id,
                "events of the spool are damaged; what is left of them is used"
            );
        }
        let frames = frames.into_iter().skip(skip).map(TailFrame::from);
        Ok(frames.collect())
    }

    /// Frames with unreadable records.
    pub fn unreadable(&self) -> io::Result<Vec<TailFrame>> {
        let mut frames = self.frames_from(0)?;
        frames.retain(|frame| decode(frame).len() < frame.rows as usize);
        Ok(frames)
    }

    fn lock_frames(&self) -> MutexGuard<'_, GenerationFrames> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GenerationFrames {
    fn push(&mut self, frame: TailFrame) {
        match self.lsns.last_mut() {
            Some(range) if range.end() + 1 == frame.lsn => *range = *range.start()..=frame.lsn,
            _ => self.lsns.push(frame.lsn..=frame.lsn),
        }
        self.frames.get_or_insert_default().push(frame);
    }
}

/// The events of a frame as they were written.
pub fn records(frame: &TailFrame) -> impl Iterator<Item = Bytes> + use<> {
    frame::records(&frame.payload).map(|record| record.event)
}

/// The events of a frame. What does not decode is left out, so one bad row cannot stop every answer.
pub fn decode(frame: &TailFrame) -> Vec<Event> {
    let events =
        records(frame).filter_map(|record| record::decode(frame.version, &record, frame.lsn).ok());
    events.collect()
}
