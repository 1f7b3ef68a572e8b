//! The time that a type is about, where it is not the one that was asked for.

use chrono_tz::Tz;

use crate::analytics::range::{Preset, Range};

/// Which time a type is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The range that was asked for.
    Asked,
    /// The current day, whatever was asked for.
    Today,
    /// The last minutes up to now, whatever was asked for.
    Minutes(i64),
}

impl Window {
    /// The span at `now_ms`; `None` when it is the one that was asked for.
    pub fn range(self, now_ms: i64, zone: Tz) -> Option<Range> {
        match self {
            Self::Asked => None,
            Self::Today => Some(Range::preset(Preset::Today, now_ms, zone)),
            Self::Minutes(minutes) => Some(Range::last(minutes * 60_000, now_ms, zone)),
        }
    }
}
