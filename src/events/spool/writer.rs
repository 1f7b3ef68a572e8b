//! The spool thread: the only writer of the log and the only judge of duplicates.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::Ordering::Relaxed,
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use bytes::Bytes;
use rustix::io::Errno;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::outcome::{AppendError, Appended};

pub use super::{
    command::{Command, Rules, Submission},
    health::Health,
};
use crate::{
    clock::Clock,
    events::{
        dedup::RecentKeys,
        disk::{Disk, Room},
        ledger::Counters,
        log::{
            Key, Lsn,
            file::LogFile,
            frame::{self, Record},
        },
        record,
        snapshot::{self, Current},
        tail::{Generation, TailFrame},
    },
};

/// How much is taken into one sync at most.
const BATCH_BYTES: usize = 4 << 20;
/// A log file is closed when it has grown to this.
const FILE_BYTES: u64 = 64 << 20;
/// When so many requests came together, more are on their way.
const MANY: usize = 16;
/// How long they are given to gather: a sync costs the processor the same for one request as for hundreds.
const GATHER: Duration = Duration::from_micros(200);
/// How often a closed log is tried again.
const PROBE: Duration = Duration::from_secs(1);
/// Failures in a row after which the log is closed: the second file is tried at once, a third one is not.
const MAX_FAILURES: u32 = 2;

pub struct Writer {
    pub rules: Rules,
    pub clock: Clock,
    pub seen: RecentKeys,
    /// Where new generations are shown.
    pub current: Arc<Current>,
    pub open: Arc<Generation>,
    /// The log file being written; made when first needed.
    pub file: Option<LogFile>,
    /// Finished log files with the last position each may hold.
    pub finished: Vec<(PathBuf, Lsn)>,
    /// Position of the next frame.
    pub next_lsn: Lsn,
    /// Number of the next file.
    pub next_number: u64,
    /// Notified when a generation was closed and is due for sealing.
    pub seal_due: Arc<tokio::sync::Notify>,
    /// Receives outcomes: syncs, failures.
    pub health: Arc<Health>,
    /// Files that failed in a row.
    pub failures: u32,
    pub disk: Arc<Disk>,
    /// When the ledger's counts are due, while there are some.
    pub tallies_due: Option<Instant>,
}

/// However the thread ends, the log counts as closed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.health.closed.store(true, Relaxed);
    }
}

/// A submission that was looked at: what of it is new.
struct PendingReply {
    reply: oneshot::Sender<Result<Appended, AppendError>>,
    outcome: Appended,
    _permit: OwnedSemaphorePermit,
}

impl Writer {
    /// Runs until [`Command::Stop`] or until every sender is gone.
    pub fn run(mut self, commands: &Receiver<Command>) {
        let mut many = false;
        let mut probe_due = None;
        loop {
            self.probe_when_due(&mut probe_due);
            let mut next = match self.next(commands) {
                Ok(command) => Some(command),
                Err(RecvTimeoutError::Timeout) => {
                    self.write_tallies();
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return self.write_tallies(),
            };
            if many {
                gather();
            }
            let mut batch = Vec::new();
            let mut bytes = 0;
            // Take what has queued up while the last sync ran; a command ends the batch.
            while let Some(Command::Append(submission)) = next {
                bytes += submission
                    .records
                    .iter()
                    .map(|record| record.event.len())
                    .sum::<usize>();
                batch.push(submission);
                next = if bytes < BATCH_BYTES {
                    commands.try_recv().ok()
                } else {
                    None
                };
            }
            many = batch.len() >= MANY;
            if !batch.is_empty() {
                self.store(batch);
            }
            match next {
                Some(Command::Freeze(reply)) => {
                    self.freeze();
                    let _ = reply.send(());
                }
                Some(Command::Sealed(cursor)) => self.sealed(cursor),
                Some(Command::Counter(None)) => self.expect_counters(),
                Some(Command::Counter(Some(reply))) => {
                    self.write_tallies();
                    let _ = reply.send(());
                }
                Some(Command::Stop) => return self.write_tallies(),
                Some(Command::Append(_)) | None => {}
            }
        }
    }

    /// The next command; while something is wrong, only for so long.
    fn next(&self, commands: &Receiver<Command>) -> Result<Command, RecvTimeoutError> {
        if self.failures > 0 {
            return commands.recv_timeout(PROBE);
        }
        if let Some(patience) = self.until_tallies() {
            return commands.recv_timeout(patience);
        }
        commands.recv().map_err(|_| RecvTimeoutError::Disconnected)
    }

    /// Probes a closed log every [`PROBE`], also while events keep coming and leave the thread no pause.
    fn probe_when_due(&mut self, due: &mut Option<Instant>) {
        if self.failures == 0 {
            *due = None;
            return;
        }
        let now = Instant::now();
        if *due.get_or_insert(now + PROBE) <= now {
            *due = None;
            self.probe();
        }
    }

    /// Checks whether the disk has recovered: no client sends events to a node that is not ready.
    fn probe(&mut self) {
        if self.disk.room() == Room::Enough {
            match self.ready_file() {
                Ok(file) => {
                    self.file = Some(file);
                    self.recovered();
                }
                Err(error) => tracing::warn!(%error, "the event log still cannot be written"),
            }
        }
    }

    fn recovered(&mut self) {
        self.failures = 0;
        self.health.closed.store(false, Relaxed);
    }

    fn failed(&mut self, error: &io::Error) {
        tracing::error!(%error, "the event log cannot be written; nothing of the batch is acknowledged");
        self.health.failures.fetch_add(1, Relaxed);
        self.health.closed.store(true, Relaxed);
        if lacks_descriptors(error) {
            // The disk is sound: the next batch tries again, and nothing ends because of it.
            self.failures = self.failures.max(1);
            return;
        }
        self.failures += 1;
        if self.failures >= MAX_FAILURES && !is_full(error) {
            self.health.broken.notify_one();
        }
    }

    /// Makes a batch durable, shows it and answers it: all of it or nothing.
    pub(super) fn store(&mut self, batch: Vec<Submission>) {
        if self.room() < Room::Enough {
            return refuse(batch, &AppendError::DiskFull);
        }
        if self.failures >= MAX_FAILURES {
            return refuse(batch, &AppendError::Closed("the disk refuses".into()));
        }
        self.seen.refresh();
        let mut fresh: Vec<Key> = Vec::new();
        let mut frames = Vec::new();
        let mut judged = Vec::with_capacity(batch.len());
        let (refused, mut again) = (self.due_counters(), Counters::default());
        for Submission {
            received,
            records,
            reply,
            permit,
        } in batch
        {
            let before = records.len();
            let keep = |record: &Record| self.is_new(record, received, &mut fresh, &mut again);
            let kept: Vec<Record> = records.into_iter().filter(keep).collect();
            let duplicates = before - kept.len();
            let outcome = Appended {
                stored: kept.len(),
                duplicates,
            };
            if !kept.is_empty() {
                frames.push((received, kept));
            }
            judged.push(PendingReply {
                reply,
                outcome,
                _permit: permit,
            });
        }
        if !(refused.is_empty() && again.is_empty()) {
            frames.push((self.clock.now_ms(), counter_records(&refused, &again)));
        }
        if frames.is_empty() && judged.is_empty() {
            return;
        }
        match self.write(&frames) {
            Ok(rows) => {
                self.open.push(rows);
                let records = frames.iter().flat_map(|(_, records)| records);
                self.current.positions.moved(records, self.next_lsn - 1);
                self.count(&judged);
                for answer in judged {
                    let _ = answer.reply.send(Ok(answer.outcome));
                }
                self.freeze_when_full();
            }
            Err(error) => {
                for key in fresh {
                    self.seen.take_back(key);
                }
                self.keep_counters(refused);
                self.give_up(judged, &error);
            }
        }
    }

    /// Generations stay small whatever the sealer does: it works off one after the other.
    fn freeze_when_full(&mut self) {
        let (rows, bytes) = (self.open.rows(), self.open.bytes());
        if rows >= self.rules.seal_rows || bytes >= self.rules.seal_bytes {
            self.freeze();
            self.seal_due.notify_one();
        }
    }

    /// Answers a batch that the disk refused.
    fn give_up(&mut self, judged: Vec<PendingReply>, error: &io::Error) {
        self.failed(error);
        let error = if is_full(error) {
            AppendError::DiskFull
        } else if lacks_descriptors(error) {
            AppendError::Descriptors
        } else {
            AppendError::Closed(error.to_string())
        };
        for answer in judged {
            let _ = answer.reply.send(Err(error.clone()));
        }
    }

    /// Whether a record was not stored before; a duplicate is counted instead.
    fn is_new(
        &mut self,
        record: &Record,
        received: i64,
        fresh: &mut Vec<Key>,
        again: &mut Counters,
    ) -> bool {
        let Some(key) = record.key else {
            return true;
        };
        let untold = record.untold;
        if self.seen.contains(key) || untold.is_some_and(|key| self.seen.contains_untold(key)) {
            again.duplicate(&record.event, received);
            return false;
        }
        self.seen.insert(key);
        fresh.push(key);
        true
    }

    /// Appends the frames and waits for the disk. After a failure the file is left for good; a second file is tried
    /// by the next batch, a third one only by [`Self::probe`].
    fn write(&mut self, frames: &[(i64, Vec<Record>)]) -> io::Result<Vec<TailFrame>> {
        if frames.is_empty() {
            return Ok(Vec::new());
        }
        let mut file = self.ready_file()?;
        let mut lsn = self.next_lsn;
        let mut buffer = Vec::with_capacity(size(frames));
        let mut places = Vec::with_capacity(frames.len());
        for (received, records) in frames {
            let (number, version) = (file.number, record::SCHEMA);
            let place = frame::encode(&mut buffer, number, version, lsn, *received, |out| {
                for record in records {
                    frame::push_record(out, record.key, &record.event);
                }
            });
            places.push(place);
            lsn += 1;
        }
        // The tail keeps the very bytes that are written, in one piece of memory per batch.
        let buffer = Bytes::from(buffer);
        let rows = frames.iter().zip(places).zip(self.next_lsn..);
        let rows = rows.map(|(((received, records), place), lsn)| TailFrame {
            lsn,
            version: record::SCHEMA,
            received: *received,
            payload: buffer.slice(place),
            rows: records.len() as u32,
        });
        let rows: Vec<TailFrame> = rows.collect();
        // Positions are used up even if the write fails: the frames may be on the disk all the same.
        self.next_lsn = lsn;
        let written = file
            .append(&buffer)
            .and_then(|()| if self.rules.sync { file.sync() } else { Ok(()) });
        match written {
            Ok(()) => {
                self.file = Some(file);
                self.recovered();
                Ok(rows)
            }
            Err(error) => {
                self.finished.push((file.path, lsn - 1));
                Err(error)
            }
        }
    }

    /// The file to append to: the current one, or a new one when that is full, failed or missing.
    fn ready_file(&mut self) -> io::Result<LogFile> {
        if let Some(file) = self.file.take() {
            if file.len < FILE_BYTES {
                return Ok(file);
            }
            self.finished.push((file.path, self.next_lsn - 1));
        }
        let created = LogFile::create(
            &self.rules.directory,
            self.rules.node,
            self.next_number,
            self.next_lsn,
        );
        // Neither name nor number is used again, whether it worked or not: a file whose sync failed may be on the
        // disk or not.
        self.next_number += 1;
        if created.is_err() {
            self.next_lsn += 1;
        }
        created
    }

    /// Closes the open generation and opens the next.
    fn freeze(&mut self) {
        if self.open.rows() == 0 {
            return;
        }
        // Files end where generations end, so a seal frees whole files.
        if let Some(file) = self.file.take() {
            self.finished.push((file.path, self.next_lsn - 1));
        }
        let next = Arc::new(self.open.next());
        self.open.freeze_keys(&mut self.seen);
        self.current.update(|snapshot| {
            snapshot::let_go(&snapshot.generations);
            snapshot.generations.push(Arc::clone(&next));
        });
        self.open = next;
    }

    fn sealed(&mut self, cursor: Lsn) {
        self.finished.retain(|(path, last)| {
            let keep = *last > cursor;
            if !keep && let Err(error) = std::fs::remove_file(path) {
                tracing::warn!(%error, file = %path.display(), "cannot delete a spool file that is sealed");
            }
            keep
        });
    }

    /// Room on the disk; looked at afresh before a file is begun.
    fn room(&self) -> Room {
        if self.file.as_ref().is_some_and(|file| file.len < FILE_BYTES) {
            self.disk.room()
        } else {
            self.disk.look()
        }
    }

    fn count(&self, judged: &[PendingReply]) {
        self.health.syncs.fetch_add(1, Relaxed);
        for PendingReply { outcome, .. } in judged {
            self.health.rows.fetch_add(outcome.stored as u64, Relaxed);
            self.health
                .duplicates
                .fetch_add(outcome.duplicates as u64, Relaxed);
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Whether the process or the machine has no file descriptor left, which says nothing about the disk.
fn lacks_descriptors(error: &io::Error) -> bool {
    let lacks = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| lacks.contains(&code))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the spool thread has no async runtime"
)]
fn gather() {
    thread::sleep(GATHER);
}

/// Bytes that the frames take on disk.
fn size(frames: &[(i64, Vec<Record>)]) -> usize {
    let records = frames.iter().flat_map(|(_, records)| records);
    let records: usize = records
        .map(|record| record.event.len() + frame::RECORD_HEADER)
        .sum();
    records + frames.len() * (frame::HEADER + frame::TRAILER)
}

fn refuse(batch: Vec<Submission>, error: &AppendError) {
    for submission in batch {
        let _ = submission.reply.send(Err(error.clone()));
    }
}

fn counter_records(refused: &Counters, duplicates: &Counters) -> Vec<Record> {
    let mut records = duplicates.records();
    records.append(&mut refused.records());
    records
}
