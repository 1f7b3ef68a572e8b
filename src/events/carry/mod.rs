//! Carrying every sealed event from segments to ClickHouse, and back.
//!
//! What is not sealed, or not shipped, is in the log, which stays where it is: whichever store is opened next reads on where
//! the rows that were carried end. Both ways note how far they are after every step, so that one that is cut off is gone on with; and
//! whatever was carried is read again on both sides and compared ([`Sums`]).

mod inward;
mod outward;
mod sums;

use super::clickhouse::{Failure, ReadError};
use crate::events::error::EngineError;

pub use inward::{Inward, sums_of_clickhouse};
pub use outward::{Outward, Sent, sums_of_segments};
pub use sums::{Sum, Sums, difference};

/// Why rows were not carried; what was noted stays.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    /// ClickHouse takes none.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// It gives none.
    #[error(transparent)]
    Unread(#[from] ReadError),
    /// A segment cannot be read or written.
    #[error(transparent)]
    Segment(#[from] EngineError),
    /// A segment's file is not what it was.
    #[error("the segment `{0}` is damaged or missing")]
    Damaged(String),
    /// It was not noted how far it is.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
}
