//! A closed generation as a segment.

use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::{SegmentRow, write::SegmentFile};
use crate::events::{
    batch,
    error::EngineError,
    event::{Details, Event},
    files::{file::Apart, portion::PORTION},
    ledger::{self, Reason},
    log::Lsn,
    record::{self, Unreadable},
    tail::{Generation, records},
};

/// Events that are decoded at a time, at most: one takes several times the room of its record.
const MAX_DECODED: usize = 2_048;

/// A generation on disk.
pub struct SealOutput {
    /// Its row of the manifest, which does not know it yet. `None` if nothing of it can be read.
    pub segment: Option<SegmentRow>,
    /// Rows of the generation that are in it; counters are added up on the way.
    pub read: u64,
}

pub fn seal(
    directory: &Path,
    generation: &Generation,
    lsns: (Lsn, Lsn),
) -> Result<SealOutput, EngineError> {
    let file = SegmentFile::create(directory, 0, 0, &Apart::default())?;
    let (file, read) = write_rows(file, generation)?;
    let segment = if file.is_empty() {
        None
    } else {
        Some(file.finish(lsns)?)
    };
    Ok(SealOutput { segment, read })
}

/// Writes a closed generation as a file that queries read until it is sealed. It is not durable and goes at start.
pub fn write_stand_in(directory: &Path, generation: &Generation) -> Result<PathBuf, EngineError> {
    let file = SegmentFile::plain(directory, 0, &Apart::default())?;
    write_rows(file, generation)?.0.leave()
}

/// The rows of a generation in a file that is not finished, and how many of the generation's they are.
fn write_rows(
    mut file: SegmentFile,
    generation: &Generation,
) -> Result<(SegmentFile, u64), EngineError> {
    let (rows, mut counters) = sorted(generation)?;
    let mut read = rows.len() as u64 + counters.len() as u64;
    counters = ledger::merged(counters);
    counters.sort_by_key(sort_key);
    let mut counters = counters.into_iter().peekable();
    let (mut events, mut bytes) = (Vec::with_capacity(MAX_DECODED), 0);
    for row in rows {
        bytes += row.record.len();
        while let Some(counter) = counters.next_if(|counter| sort_key(counter) < row.key) {
            events.push(counter);
        }
        match record::decode(row.version, &row.record, row.lsn) {
            Ok(event) => events.push(event),
            Err(Unreadable) => read -= 1,
        }
        if events.len() >= MAX_DECODED || bytes >= PORTION {
            file.push(&batch::columns(&events)?)?;
            events.clear();
            bytes = 0;
        }
    }
    events.extend(counters);
    if !events.is_empty() {
        file.push(&batch::columns(&events)?)?;
    }
    Ok((file, read))
}

/// What segments are sorted by: website, time, time of receipt.
type SortKey = (i64, i64, i64);

fn sort_key(event: &Event) -> SortKey {
    (event.website, event.time, event.received)
}

/// An event that is not decoded.
struct Row {
    key: SortKey,
    version: u8,
    lsn: Lsn,
    record: Bytes,
}

/// The rows of a generation in order, what arrived first first among equals; and its counters.
fn sorted(generation: &Generation) -> Result<(Vec<Row>, Vec<Event>), EngineError> {
    let mut rows = Vec::with_capacity(generation.rows() as usize);
    let mut counters = Vec::new();
    for frame in generation.frames_from(0)? {
        for record in records(&frame) {
            let Some(head) = record::head(&record) else {
                // Says so in the log.
                let _ = record::decode(frame.version, &record, frame.lsn);
                continue;
            };
            let key = (head.website, head.time, head.received);
            // Events of people may be called like that, too.
            if head.name.parse::<Reason>().is_ok()
                && let Ok(event) = record::decode(frame.version, &record, frame.lsn)
                && matches!(event.details, Details::Counter { .. })
            {
                counters.push(event);
                continue;
            }
            rows.push(Row {
                key,
                version: frame.version,
                lsn: frame.lsn,
                record,
            });
        }
    }
    rows.sort_by_key(|row| row.key);
    Ok((rows, counters))
}
