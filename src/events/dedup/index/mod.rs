//! The thread that keeps the key files: writes closed generations' keys, merges, forgets.

mod open;
#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use arc_swap::ArcSwap;

use self::open::open_all;
use super::{KeyFile, KeySet, tiers, write};
use crate::{
    clock::Clock,
    events::{log::Lsn, threads},
};

/// How often old files are looked for when nothing else happens.
const IDLE: Duration = Duration::from_mins(1);
/// How long after a failure to write a file it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// The listeners come first.
const NICE: i32 = 10;

/// The keys of a closed generation.
pub(super) struct Frozen {
    pub(super) generation: u64,
    pub(super) lsns: (Lsn, Lsn),
    pub(super) received: (i64, i64),
    pub(super) keys: KeySet,
}

/// Where an outcome goes.
type Reply = Box<dyn FnOnce(io::Result<()>) + Send>;

pub(super) enum Work {
    /// Write these keys.
    Write(Arc<Frozen>),
    /// Say whether the keys of this generation and all before are on disk.
    Confirm(u64, Reply),
    /// The log is sealed up to here.
    Sealed(Lsn),
    /// End; nothing else comes.
    Stop,
}

/// The files as everybody sees them.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// In the order of the log.
    pub(super) list: Vec<Arc<KeyFile>>,
    /// Generations up to here are in files.
    pub(super) covered: u64,
    /// Ids of events received up to here, Unix ms, are not all known: a file was damaged.
    pub(super) gap: i64,
}

pub struct DedupIndex {
    pub(super) files: Arc<ArcSwap<Files>>,
    pub(super) queue: Sender<Work>,
    thread: Mutex<Option<JoinHandle<()>>>,
    window: i64,
    clock: Clock,
}

/// Figures of the duplicate check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DedupStats {
    /// For how many milliseconds back repeated ids are recognised, at least.
    pub window: i64,
    /// Ids of events received up to here are not all known, because a file is damaged; Unix ms.
    pub gap: Option<i64>,
    /// Key files; a key is looked up in each.
    pub files: usize,
    /// Bytes in memory and on disk.
    pub bytes: (u64, u64),
}

impl DedupIndex {
    /// Reads what is in `directory` and starts the thread. Files that end behind `cursor` are deleted: their keys are
    /// read back from the log.
    pub fn start(directory: &Path, cursor: Lsn, window: i64, clock: Clock) -> io::Result<Self> {
        let oldest = clock.now_ms() - window;
        let earlier = open_all(directory, cursor, oldest)?;
        let files = Arc::new(ArcSwap::from_pointee(earlier));
        let (queue, work) = mpsc::channel();
        let mut state = State {
            directory: directory.to_owned(),
            window,
            clock: clock.clone(),
            files: Arc::clone(&files),
            sealed: cursor,
            pending: VecDeque::new(),
            work,
            confirmations: Vec::new(),
            stopped: false,
        };
        let thread = thread::Builder::new().name("keys".into()).spawn(move || {
            threads::lower_priority(NICE);
            state.run();
        })?;
        Ok(Self {
            files,
            queue,
            thread: Mutex::new(Some(thread)),
            window,
            clock,
        })
    }

    /// Waits until the keys of a closed generation are on disk: only then may its part of the log go.
    pub fn confirm(&self, generation: u64) -> io::Result<()> {
        self.ask(|reply| Work::Confirm(generation, reply))
    }

    /// Says that the log is sealed up to here: files up to there may be merged.
    pub fn sealed(&self, cursor: Lsn) {
        // A keeper that is gone merges nothing.
        let _ = self.queue.send(Work::Sealed(cursor));
    }

    fn ask(&self, work: impl FnOnce(Reply) -> Work) -> io::Result<()> {
        let (reply, answer) = mpsc::channel();
        let work = work(Box::new(move |outcome| drop(reply.send(outcome))));
        let gone = || io::Error::other("the keeper of key files is gone");
        self.queue.send(work).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }

    /// What is known and what it costs.
    pub fn figures(&self) -> DedupStats {
        let files = self.files.load();
        let sizes = files.list.iter().map(|file| file.bytes());
        let damaged = files.list.iter().filter(|file| file.is_damaged());
        let gap = damaged.map(|file| file.facts.received.1).max();
        let gap = files.gap.max(gap.unwrap_or(0));
        DedupStats {
            window: (self.clock.now_ms() - gap).clamp(0, self.window),
            gap: (gap > self.clock.now_ms() - self.window).then_some(gap),
            files: files.list.len(),
            bytes: sizes.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1)),
        }
    }

    /// Ends the thread. A merge that is under way is given up.
    pub fn stop(&self) {
        let _ = self.queue.send(Work::Stop);
        threads::join(&self.thread, "the thread that keeps key files");
    }
}

struct State {
    directory: PathBuf,
    window: i64,
    clock: Clock,
    files: Arc<ArcSwap<Files>>,
    /// The log is sealed up to here.
    sealed: Lsn,
    /// Keys that are not on disk yet, oldest first.
    pending: VecDeque<Arc<Frozen>>,
    work: Receiver<Work>,
    confirmations: Vec<(u64, Reply)>,
    stopped: bool,
}

impl State {
    fn run(&mut self) {
        while !self.stopped {
            let patience = if self.pending.is_empty() { IDLE } else { AGAIN };
            match self.work.recv_timeout(patience) {
                Ok(work) => self.take(work),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.catch_up();
            self.forget();
            self.merge();
        }
    }

    fn take(&mut self, work: Work) {
        match work {
            Work::Write(frozen) => self.pending.push_back(frozen),
            Work::Confirm(generation, reply) => self.confirmations.push((generation, reply)),
            Work::Sealed(cursor) => self.sealed = self.sealed.max(cursor),
            Work::Stop => self.stopped = true,
        }
    }

    /// Takes what has queued up and writes it; whether to go on.
    fn catch_up(&mut self) -> bool {
        loop {
            match self.work.try_recv() {
                Ok(work) => self.take(work),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.stopped = true;
                    break;
                }
            }
        }
        let outcome = self.write();
        if let Err(error) = &outcome {
            tracing::error!(%error, "the keys of a generation cannot be written; they stay in memory, and nothing is sealed");
        }
        let open = self.pending.front().map(|frozen| frozen.generation);
        for (generation, reply) in std::mem::take(&mut self.confirmations) {
            let done = open.is_none_or(|open| generation < open);
            reply(match (&outcome, done) {
                (Err(error), false) => Err(io::Error::new(error.kind(), error.to_string())),
                _ => Ok(()),
            });
        }
        !self.stopped
    }

    fn write(&mut self) -> io::Result<()> {
        while let Some(frozen) = self.pending.front() {
            let Frozen {
                generation,
                lsns,
                received,
                keys,
            } = &**frozen;
            let keys = keys.iter().copied().collect();
            let file = Arc::new(write::write(&self.directory, *lsns, *received, keys)?);
            self.publish(*generation, |list| list.push(file));
            self.pending.pop_front();
        }
        Ok(())
    }

    fn publish(&self, covered: u64, change: impl FnOnce(&mut Vec<Arc<KeyFile>>)) {
        let files = self.files.load();
        let mut list = files.list.clone();
        change(&mut list);
        self.files.store(Arc::new(Files {
            list,
            covered: covered.max(files.covered),
            gap: files.gap,
        }));
    }

    /// Drops the files whose newest key has left the window.
    fn forget(&self) {
        let oldest = self.clock.now_ms() - self.window;
        let files = self.files.load();
        let expired = |file: &Arc<KeyFile>| file.facts.received.1 < oldest;
        if !files.list.iter().any(expired) {
            return;
        }
        self.publish(0, |list| list.retain(|file| !expired(file)));
        for file in files.list.iter().filter(|file| expired(file)) {
            file.delete();
        }
    }

    /// Merges until nothing is left to do. New keys are written in between, so they never wait for a large merge.
    fn merge(&mut self) {
        while !self.stopped {
            let list = self.files.load().list.clone();
            let parts: Vec<_> = list
                .iter()
                .take_while(|file| file.facts.lsns.1 <= self.sealed)
                .map(|file| tiers::Part {
                    keys: file.facts.keys,
                    newest: file.facts.received.1,
                })
                .collect();
            let Some(chosen) = tiers::choose(&parts, self.window, self.clock.now_ms()) else {
                return;
            };
            let directory = self.directory.clone();
            match write::merge(&directory, &list[chosen.clone()], || self.catch_up()) {
                Ok(Some(merged)) => {
                    let parts = &list[chosen];
                    self.publish(0, |list| {
                        // Files may have been added before and behind.
                        let at = list.iter().position(|file| Arc::ptr_eq(file, &parts[0]));
                        let at = at.unwrap_or(list.len());
                        list.splice(at..at + parts.len(), [Arc::new(merged)]);
                    });
                    for part in parts {
                        part.delete();
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "key files cannot be merged; looking for duplicates stays slower");
                    return;
                }
            }
        }
    }
}
