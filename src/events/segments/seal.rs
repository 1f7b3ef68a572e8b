//! A closed generation as a segment.

use std::path::{Path, PathBuf};

use super::{
    SegmentRow,
    write::{ROW_GROUP, SegmentFile},
};
use crate::events::{
    engine::{EngineError, batch},
    event::{Details, Event},
    ledger,
    spool::Lsn,
    tail::{Generation, decode},
};

/// A generation on disk.
pub struct Written {
    /// Its row of the manifest, which does not know it yet. `None` if nothing of it can be read.
    pub segment: Option<SegmentRow>,
    /// Rows of the generation that are in it; tallies are added up on the way.
    pub read: u64,
}

/// Writes a closed generation, sorted.
pub fn seal(
    directory: &Path,
    generation: &Generation,
    lsns: (Lsn, Lsn),
) -> Result<Written, EngineError> {
    let (file, read) = written(directory, generation)?;
    let segment = if file.is_empty() {
        None
    } else {
        Some(file.finish(lsns)?)
    };
    Ok(Written { segment, read })
}

/// Writes a closed generation as a file that queries read until it is sealed. It is not durable and goes at start.
pub fn stand_in(directory: &Path, generation: &Generation) -> Result<PathBuf, EngineError> {
    written(directory, generation)?.0.leave()
}

/// The rows of a generation in a file that is not finished, and how many of the generation's they are.
fn written(directory: &Path, generation: &Generation) -> Result<(SegmentFile, u64), EngineError> {
    let mut events: Vec<Event> = Vec::with_capacity(generation.rows() as usize);
    let mut tallies = Vec::new();
    for frame in generation.frames_from(0)? {
        for event in decode(&frame) {
            match event.details {
                Details::Tally { .. } => tallies.push(event),
                _ => events.push(event),
            }
        }
    }
    let read = (events.len() + tallies.len()) as u64;
    events.append(&mut ledger::merged(tallies));
    let mut sorted: Vec<&Event> = events.iter().collect();
    // Stable: what arrived first comes first among equals.
    sorted.sort_by_key(|event| (event.website, event.time, event.received));
    let mut file = SegmentFile::create(directory, 0)?;
    for group in sorted.chunks(ROW_GROUP) {
        file.push(&batch::columns(group)?)?;
    }
    Ok((file, read))
}
