//! What the storekeeper can be asked.

use std::collections::BTreeSet;

use actix::Message;

use super::IngestError;
use crate::events::{
    deletion::Person,
    segments::{RowCounts, SegmentRow},
};

/// Seals the oldest closed generation; answers whether there was one.
#[derive(Debug, Message)]
#[rtype(result = "Result<bool, IngestError>")]
pub struct SealNext;

/// Seals everything that was acknowledged until now; answers with the number of segments written.
#[derive(Debug, Message)]
#[rtype(result = "Result<usize, IngestError>")]
pub struct Seal;

/// Merges segments if enough have gathered; answers whether it did.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<bool, IngestError>")]
pub struct Compact {
    /// Whether there is time for merges that could wait.
    pub at_rest: bool,
}

/// Deletes events that are too old: whole segments, then parts of them.
#[derive(Debug, Message)]
#[rtype(result = "Result<RetentionOutcome, IngestError>")]
pub struct Retain;

/// Erases every event of an organization that takes none any more; answers with how many rows went.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<u64, IngestError>")]
pub struct EraseOwner {
    /// The organization's number in event rows.
    pub organization: i64,
}

/// Erases every event of things that take none any more (links, websites, monitors); answers with how many rows went.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<u64, IngestError>")]
pub struct EraseThings {
    /// Their numbers in event rows.
    pub keys: BTreeSet<i64>,
}

/// Says how many events of a website would go, by kind, if its events were kept for so many days.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<ExpiredRows, IngestError>")]
pub struct CountExpired {
    /// The website's number in event rows.
    pub website: i64,
    /// Days after which events would be deleted, 0 = never; `None` = as many as hold now.
    pub days: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredRows {
    /// Days after which events are deleted; 0 = never.
    pub days: u32,
    /// How many rows are older, by kind.
    pub gone: RowCounts,
}

/// Says how many rows of a person [`ErasePerson`] would take away, by kind.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<RowCounts, IngestError>")]
pub struct CountPerson {
    pub person: Person,
}

/// Erases every event of a person on a website, as far as it is stored when this is asked; answers with how many rows went, by kind.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<RowCounts, IngestError>")]
pub struct ErasePerson {
    pub person: Person,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionOutcome {
    /// Segments that went whole.
    pub dropped: usize,
    /// Segments that were written anew without some of their events.
    pub rewritten: usize,
}

/// Compares segments with their files: damaged ones are named in the manifest and moved away, restored ones count again.
/// Answers with their number.
#[derive(Debug, Message)]
#[rtype(result = "Result<usize, IngestError>")]
pub struct Mend;

/// Puts segments that were written beside the mailbox in the place of others.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), IngestError>")]
pub(super) struct Exchange {
    /// Ids of those that go.
    pub(super) replaced: Vec<String>,
    /// Those that come.
    pub(super) written: Vec<SegmentRow>,
}

/// A minute has passed: salts are renewed, a tail older than a day is sealed, old events are deleted once a day.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), IngestError>")]
pub struct Tick;
