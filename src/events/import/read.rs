//! Reads a file in chunks that are stored at once.

use std::{io, path::Path};

use super::{Import, NamedPerson, Outcome, Record, Report, open, prefix::Prefix};
use crate::events::{import::Format, store::Accepted, threads::lower_priority};

/// Events of a chunk, at most, and bytes of the file that they come from.
const CHUNK: usize = 5_000;
const CHUNK_BYTES: u64 = 8 << 20;
/// Bytes of properties of a chunk, at most: what is packed in a file may be much larger than the file.
const CHUNK_PROPERTIES: usize = 8 << 20;
/// Records after which a chunk is handed over although it is not full: progress is shown, and an end is noticed.
const CHUNK_RECORDS: usize = 50_000;
/// Requests of visitors come first.
const NICE: i32 = 10;

/// Events that are stored together, and what is known of the file when they are.
#[derive(Debug)]
pub struct Chunk {
    pub events: Vec<Accepted>,
    /// What is said about people, in the order of the file.
    pub people: Vec<NamedPerson>,
    /// Bytes of the file that were read.
    pub read: u64,
    /// Bytes of the file that are done when the events are stored.
    pub done: u64,
    /// BLAKE3 of these bytes.
    pub digest: String,
    /// All records until here, those of earlier chunks included.
    pub report: Report,
    /// Whether the file ends here.
    pub is_last: bool,
}

/// A file, and what of it is done already.
#[derive(Debug)]
pub struct Reading<'a> {
    pub format: Format,
    pub path: &'a Path,
    /// Bytes of the file that are done: records that end within them are passed over.
    pub position: u64,
    /// What these records came to.
    pub report: Report,
}

impl Reading<'_> {
    /// Reads the file from its beginning, because visits follow from what came before, and hands over chunks until `take`
    /// wants no more.
    ///
    /// # Errors
    /// The file cannot be read, or is not of this format.
    pub fn run(self, import: &Import<'_>, mut take: impl FnMut(Chunk) -> bool) -> io::Result<()> {
        let mut source = open(self.format, self.path)?;
        let mut prefix = Prefix::open(self.path)?;
        // What a chunk says is of records that are done: those behind them are read again after a cut.
        let (mut report, mut unsettled) = (self.report, Report::default());
        let mut filling = Filling::new(self.position);
        let (mut end, mut done) = (0, self.position);
        while let Some(record) = source.next(import)? {
            end = record.end;
            if end <= self.position {
                continue;
            }
            done = record.done.max(done);
            let is_settled = record.done >= end;
            let counts = if is_settled && unsettled.is_empty() {
                &mut report
            } else {
                &mut unsettled
            };
            filling.take(record, counts);
            if is_settled {
                report.append(std::mem::take(&mut unsettled));
            }
            if filling.is_full(end) {
                let (events, people) = filling.empty(end);
                let chunk = Chunk {
                    events,
                    people,
                    read: end,
                    done,
                    digest: prefix.digest(done)?,
                    report: report.clone(),
                    is_last: false,
                };
                if !take(chunk) {
                    return Ok(());
                }
            }
        }
        report.append(unsettled);
        let digest = prefix.digest(done)?;
        let (events, people) = filling.empty(end);
        take(Chunk {
            events,
            people,
            read: end.max(done),
            done,
            digest,
            report,
            is_last: true,
        });
        Ok(())
    }
}

/// A chunk that is being filled.
struct Filling {
    events: Vec<Accepted>,
    people: Vec<NamedPerson>,
    /// Where it begins in the file.
    begun: u64,
    records: usize,
    /// Bytes of properties.
    properties: usize,
}

impl Filling {
    fn new(begun: u64) -> Self {
        Self {
            events: Vec::with_capacity(CHUNK),
            people: Vec::new(),
            begun,
            records: 0,
            properties: 0,
        }
    }

    /// Takes a record, and counts what it came to.
    fn take(&mut self, record: Record, counts: &mut Report) {
        self.records += 1;
        for omission in record.omitted {
            counts.omit(omission);
        }
        if let Some(person) = record.person {
            counts.people += 1;
            self.people.push(*person);
        }
        if let Some(accepted) = counts.take(record.outcome, record.line) {
            self.properties += accepted.event.properties.as_deref().map_or(0, str::len);
            self.events.push(accepted);
        }
    }

    /// Whether it is enough, of a file that was read up to there.
    fn is_full(&self, end: u64) -> bool {
        self.events.len() == CHUNK
            || self.people.len() == CHUNK
            || end.saturating_sub(self.begun) >= CHUNK_BYTES
            || self.properties >= CHUNK_PROPERTIES
            || self.records == CHUNK_RECORDS
    }

    /// What is in it; the next one begins there.
    fn empty(&mut self, end: u64) -> (Vec<Accepted>, Vec<NamedPerson>) {
        let full = std::mem::replace(self, Self::new(end));
        (full.events, full.people)
    }
}

impl Report {
    /// Counts a record; its event, if it is one.
    fn take(&mut self, outcome: Outcome, line: u64) -> Option<Accepted> {
        match outcome {
            Outcome::Event(accepted) => {
                self.count(&accepted.event);
                return Some(*accepted);
            }
            Outcome::Person => {}
            Outcome::LeftOut(why) => self.leave_out(why),
            Outcome::Refused(why) => self.refuse(line, &why),
        }
        None
    }
}

/// Lets the calling thread read without keeping requests waiting.
pub fn yield_to_requests() {
    lower_priority(NICE);
}
