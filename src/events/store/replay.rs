//! Reading the log back: what no segment holds becomes generations again.

use std::{io, path::Path, sync::Arc};

use super::{Options, shipper::journal::LogRange};
use crate::events::{
    dedup::{RecentKeys, index::DedupIndex},
    log::{
        Lsn,
        frame::{self, Frame},
    },
    record,
    snapshot::{self, Current},
    tail::{Generation, TailFrame},
};

/// Generations whose keys wait for their file while the log is read back.
const MAX_BEHIND: usize = 8;

/// Whether a generation is as large as they become.
pub(super) fn due(open: &Generation, options: &Options) -> bool {
    open.rows() >= options.seal_rows || open.bytes() >= options.seal_bytes
}

/// Shows what is read back to the tail and to the duplicate check, in generations of the usual size.
///
/// An event can be in the log twice: a frame whose sync failed may have reached the disk, and the client, which was asked
/// to, has sent it again. The first one counts.
pub(super) struct Replay {
    /// Generations that are full.
    pub(super) closed: Vec<Arc<Generation>>,
    /// The one that goes on.
    pub(super) open: Arc<Generation>,
    pub(super) seen: RecentKeys,
    pub(super) events: u64,
    /// The batch that may be on its way to ClickHouse: it is one generation, of exactly these frames.
    pending: Option<LogRange>,
}

impl Replay {
    pub(super) fn new(
        spool: &Path,
        index: &DedupIndex,
        cursor: Lsn,
        pending: Option<LogRange>,
    ) -> Self {
        Self {
            closed: Vec::new(),
            open: Arc::new(Generation::first(spool)),
            seen: RecentKeys::new(index, cursor + 1),
            events: 0,
            pending,
        }
    }

    /// As queries see it.
    pub(super) fn current(&self) -> Arc<Current> {
        let current = Arc::new(Current::default());
        current.update(|snapshot| {
            snapshot.generations.clone_from(&self.closed);
            snapshot.generations.push(Arc::clone(&self.open));
        });
        current
    }

    /// The last position that was read.
    pub(super) fn last(&self) -> Lsn {
        let generations = self.closed.iter().chain([&self.open]);
        let last = generations.map(|generation| generation.last_lsn()).max();
        last.unwrap_or(0)
    }

    /// Takes the next frame of the log.
    pub(super) fn push(
        &mut self,
        frame: Frame,
        index: &DedupIndex,
        options: &Options,
    ) -> io::Result<()> {
        if frame.version > record::SCHEMA {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "the log has events of version {}, and this program reads versions up to {}: a later pharos wrote it. \
                     Start that one again, or restore a backup from before the upgrade",
                    frame.version,
                    record::SCHEMA
                ),
            ));
        }
        let is_full = match self
            .pending
            .as_ref()
            .map(|batch| (batch, batch.includes(frame.lsn)))
        {
            // Written, never acknowledged, and not in the batch: a retry of it is, or will come.
            Some((_, Some(false))) => return Ok(()),
            Some((_, Some(true))) => false,
            Some((batch, None)) => self.open.last_lsn() <= batch.to || due(&self.open, options),
            None => due(&self.open, options),
        };
        if is_full && self.open.rows() > 0 {
            self.close(index)?;
        }
        let (frame, amended) = self.unseen(frame);
        let frame = TailFrame::from(frame);
        self.events += u64::from(frame.rows);
        if amended {
            self.open.push_amended(frame);
        } else {
            self.open.push([frame]);
        }
        Ok(())
    }

    /// The log is read.
    pub(super) fn end(&mut self, index: &DedupIndex) -> io::Result<()> {
        let is_batch = |batch: &LogRange| self.open.last_lsn() <= batch.to;
        if self.open.rows() > 0 && self.pending.as_ref().is_some_and(is_batch) {
            self.close(index)?;
        }
        self.seen.refresh();
        Ok(())
    }

    /// Closes the open generation and begins the next.
    fn close(&mut self, index: &DedupIndex) -> io::Result<()> {
        let next = Arc::new(self.open.next());
        self.open.freeze_keys(&mut self.seen);
        if self.seen.behind() > MAX_BEHIND {
            index.confirm(self.open.id)?;
            self.seen.refresh();
        }
        let full = std::mem::replace(&mut self.open, next);
        self.closed.push(full);
        snapshot::let_go(&self.closed);
        Ok(())
    }

    /// The frame without the records whose keys are known, and whether there are such.
    fn unseen(&mut self, mut frame: Frame) -> (Frame, bool) {
        let mut payload = Vec::new();
        let mut dropped = false;
        for record in frame::records(&frame.payload) {
            if let Some(key) = record.key {
                if self.seen.contains(key) {
                    dropped = true;
                    continue;
                }
                self.seen.insert(key);
            }
            frame::push_record(&mut payload, record.key, &record.event);
        }
        if dropped {
            frame.payload = payload.into();
        }
        (frame, dropped)
    }
}
