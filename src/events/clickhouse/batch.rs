//! Rows on their way to ClickHouse, in its format `RowBinary`.

use std::ops::Range;

use bytes::Bytes;

use super::{
    ClickHouse, Failure,
    binary::{optional, text},
    encoded_rows::EncodedRows,
    schema::KEY,
};
use crate::events::{
    event::Event,
    log::Lsn,
    tables::{COLUMNS, Read},
};

/// Where a row comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowSource {
    /// Position of its frame in the log; 0 for a row of a file.
    pub lsn: Lsn,
    /// Which record of the frame, or row of the file, it is.
    pub record: u32,
    bytes: Range<usize>,
}

/// Rows in the order in which they are sent.
#[derive(Debug, Default)]
pub struct Batch {
    encoded: Vec<u8>,
    sources: Vec<RowSource>,
}

impl Batch {
    /// Adds an event under its unique key.
    pub fn push(&mut self, (lsn, record): (Lsn, u32), event: &Event, key: u128) {
        let start = self.encoded.len();
        for column in COLUMNS {
            value(&mut self.encoded, column.read, event);
        }
        self.end((lsn, record), start, key);
    }

    /// Adds rows of a file, each under the key of its number.
    pub fn push_encoded(&mut self, rows: &EncodedRows, key: impl Fn(u32) -> u128) {
        for (number, row) in (0..).zip(rows.rows()) {
            let start = self.encoded.len();
            self.encoded.extend_from_slice(row);
            self.end((0, number), start, key(number));
        }
    }

    /// Ends the row that begins at `start`.
    fn end(&mut self, (lsn, record): (Lsn, u32), start: usize, key: u128) {
        // What `dedup_key` holds.
        debug_assert_eq!(KEY, "dedup_key");
        self.encoded.extend_from_slice(&key.to_le_bytes());
        self.sources.push(RowSource {
            lsn,
            record,
            bytes: start..self.encoded.len(),
        });
    }

    /// Makes the batch ready to be sent.
    pub fn finish(self) -> Finished {
        Finished {
            encoded: self.encoded.into(),
            sources: self.sources,
        }
    }
}

/// A batch that does not change any more.
#[derive(Debug, Clone)]
pub struct Finished {
    encoded: Bytes,
    sources: Vec<RowSource>,
}

impl Finished {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Where a row comes from.
    pub fn source(&self, row: usize) -> &RowSource {
        &self.sources[row]
    }

    /// All of it.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.encoded
    }

    /// What of the batch carries these rows.
    fn rows(&self, rows: &Range<usize>) -> Bytes {
        match (
            self.sources.get(rows.start),
            self.sources[..rows.end].last(),
        ) {
            (Some(first), Some(last)) if !rows.is_empty() => {
                self.encoded.slice(first.bytes.start..last.bytes.end)
            }
            _ => Bytes::new(),
        }
    }
}

impl ClickHouse {
    /// Stores rows of a batch. Sent again with the same token, the same rows are not stored twice.
    ///
    /// # Errors
    /// [`Failure::Away`] leaves open whether they are stored.
    pub async fn insert(
        &self,
        batch: &Finished,
        rows: Range<usize>,
        token: &str,
    ) -> Result<(), Failure> {
        let statement = self.0.schema.insertion(token);
        let asked = [("query".to_owned(), statement)];
        let patience = self.0.options.patience;
        self.ask(&asked, batch.rows(&rows), patience)
            .await
            .map(drop)
    }
}

fn value(out: &mut Vec<u8>, read: Read, event: &Event) {
    match read {
        Read::Int(of) => out.extend_from_slice(&of(event).to_le_bytes()),
        Read::Hash(of) => out.extend_from_slice(&of(event).to_le_bytes()),
        Read::Tiny(of) => out.push(of(event)),
        Read::Count(of) => optional(out, of(event).map(u32::to_le_bytes)),
        Read::Float(of) => optional(out, of(event).map(f32::to_le_bytes)),
        Read::Double(of) => optional(out, of(event).map(f64::to_le_bytes)),
        Read::Text(of) => text(out, of(event)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_batch_are_the_bytes_of_their_rows() {
        let mut batch = Batch::default();
        for n in 0..3 {
            let event = Event {
                website: n,
                ..Event::default()
            };
            batch.push((7, n as u32), &event, 9);
        }
        let batch = batch.finish();
        assert_eq!((batch.len(), batch.is_empty()), (3, false));
        assert_eq!((batch.source(2).lsn, batch.source(2).record), (7, 2));
        let parts = [batch.rows(&(0..1)), batch.rows(&(1..3))].concat();
        assert_eq!(parts, batch.rows(&(0..3)));
        assert!(batch.rows(&(3..3)).is_empty() && batch.rows(&(1..1)).is_empty());
    }
}
