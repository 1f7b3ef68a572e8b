//! A closed generation as a segment.

use std::path::Path;

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
    let mut events: Vec<Event> = Vec::with_capacity(generation.rows() as usize);
    let mut tallies = Vec::new();
    for frame in generation.frames_from(0) {
        for event in decode(&frame) {
            match event.details {
                Details::Tally { .. } => tallies.push(event),
                _ => events.push(event),
            }
        }
    }
    let read = (events.len() + tallies.len()) as u64;
    events.append(&mut ledger::merged(tallies));
    if events.is_empty() {
        return Ok(Written {
            segment: None,
            read,
        });
    }
    let mut sorted: Vec<&Event> = events.iter().collect();
    // Stable: what arrived first comes first among equals.
    sorted.sort_by_key(|event| (event.website, event.time, event.received));
    let mut file = SegmentFile::create(directory, 0)?;
    for group in sorted.chunks(ROW_GROUP) {
        file.push(&batch::columns(group)?)?;
    }
    Ok(Written {
        segment: Some(file.finish(lsns)?),
        read,
    })
}
