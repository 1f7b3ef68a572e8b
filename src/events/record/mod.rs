//! Events as records of the log, in every version that was ever written.
//!
//! A log outlives an upgrade: what was acknowledged before it is read by the program after it. So a change of [`Event`]
//! that changes its serialized form makes a new version: [`SCHEMA`] grows, the former shape stays behind as a type that
//! [`decode`] turns into today's, and a file of its records joins those that the tests read. Every version begins like
//! [`Head`].

#[cfg(test)]
mod tests;

use serde::Deserialize;

use super::event::Event;
use crate::events::log::Lsn;

/// Version of the records that are written now, in every frame of the log.
pub const SCHEMA: u8 = 2;

/// A record that is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Head<'r> {
    pub organization: i64,
    pub website: i64,
    /// When it happened, Unix ms.
    pub time: i64,
    /// When it was received, Unix ms.
    pub received: i64,
    pub name: &'r str,
}

/// Appends the record of an event.
pub fn encode(event: &Event, out: Vec<u8>) -> postcard::Result<Vec<u8>> {
    postcard::to_extend(event, out)
}

/// The event of a record that was written by this version, in the frame at `lsn`.
///
/// # Errors
/// When that cannot be done, which is a bug or damage that the checksum missed; it is in the log then.
pub fn decode(version: u8, record: &[u8], lsn: Lsn) -> Result<Event, Unreadable> {
    let event = match version {
        SCHEMA => postcard::from_bytes(record).map_err(|error| error.to_string()),
        // It ends before the link, which did not exist.
        1 => postcard::from_bytes(&[record, &[0]].concat()).map_err(|error| error.to_string()),
        _ => Err(format!("version {version} is unknown")),
    };
    event.map_err(|error| {
        tracing::error!(error, lsn, "cannot decode an event of the spool");
        Unreadable
    })
}

/// How a record begins; `None` when it is no event.
pub fn head(record: &[u8]) -> Option<Head<'_>> {
    let (head, _) = postcard::take_from_bytes(record).ok()?;
    Some(head)
}

/// Organization and website of a record; `None` when it is no event.
pub fn owner(record: &[u8]) -> Option<(i64, i64)> {
    let (owner, _) = postcard::take_from_bytes(record).ok()?;
    Some(owner)
}
