//! Copying every sealed event from segments to ClickHouse, and back.
//!
//! Events that are not sealed, or not shipped, stay in the log: the store that is opened next reads on where the copied rows end.
//! Both directions record their progress after every step, and resume there. Copied rows are read again on both sides and
//! compared ([`Checksums`]).

mod checksums;
mod to_clickhouse;
mod to_segments;

use super::clickhouse::{Failure, ReadError};
use crate::events::error::EngineError;

pub use checksums::{Checksum, Checksums, describe_difference};
pub use to_clickhouse::{CopyPosition, CopyToClickHouse, segment_checksums};
pub use to_segments::{CopyToSegments, clickhouse_checksums};

/// Why rows were not copied; recorded progress stays.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Failure(#[from] Failure),
    #[error(transparent)]
    Unread(#[from] ReadError),
    #[error(transparent)]
    Segment(#[from] EngineError),
    #[error("the segment `{0}` is damaged or missing")]
    Damaged(String),
    /// The progress was not recorded.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
}
