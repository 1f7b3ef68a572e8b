//! When.

use crate::analytics::range::Range;

/// When: days in a zone, seen at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    pub range: Range,
    /// The current time, Unix milliseconds.
    pub now_ms: i64,
}
