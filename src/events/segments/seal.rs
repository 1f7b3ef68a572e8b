//! A closed generation as a segment.

use std::path::Path;

use super::{
    SegmentRow,
    write::{ROW_GROUP, SegmentFile},
};
use crate::events::{
    engine::{EngineError, batch},
    event::Event,
    spool::Lsn,
    tail::{Generation, decode},
};

/// Writes a closed generation, sorted; the manifest does not know it yet. `None` if no row of it can be read, which
/// leaves nothing to write.
pub fn seal(
    directory: &Path,
    generation: &Generation,
    lsns: (Lsn, Lsn),
) -> Result<Option<SegmentRow>, EngineError> {
    let mut events: Vec<Event> = Vec::with_capacity(generation.rows() as usize);
    for frame in generation.frames_from(0) {
        events.append(&mut decode(&frame));
    }
    if events.is_empty() {
        return Ok(None);
    }
    let mut sorted: Vec<&Event> = events.iter().collect();
    // Stable: what arrived first comes first among equals.
    sorted.sort_by_key(|event| (event.website, event.time, event.received));
    let mut file = SegmentFile::create(directory)?;
    for group in sorted.chunks(ROW_GROUP) {
        file.push(&batch::columns(group)?)?;
    }
    file.finish(lsns, 0).map(Some)
}
