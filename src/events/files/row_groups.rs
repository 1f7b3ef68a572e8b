//! Row groups in the making: one of each kind of event where kinds lie apart, else one.
//!
//! The reader passes over a row group whose statistics rule a kind out, so a question about errors reads errors alone. Each
//! kind's rows keep their order; [`streams`] reads them back in the order of all.

use std::{collections::BTreeMap, fs::File, sync::Arc};

use duckdb::arrow::{
    array::{AsArray, BooleanArray},
    compute::filter_record_batch,
    datatypes::{Schema, UInt8Type},
    record_batch::RecordBatch,
};
use parquet::{
    arrow::{
        ArrowWriter,
        arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves},
    },
    file::{
        metadata::{ParquetMetaData, RowGroupMetaData},
        properties::WriterProperties,
        statistics::Statistics,
        writer::SerializedFileWriter,
    },
};

use super::portion::byte_size;
use crate::events::{column::kind, error::EngineError};

/// What row groups of mixed kinds count as.
const MIXED: u8 = 0;
/// What the kinds behind those of visitors count as, together.
const OTHERS: u8 = kind::ENGAGEMENT as u8 + 1;

/// Writes rows to row groups, which end when they are full or when they are [told to](RowGroups::end).
pub(super) struct RowGroups {
    writer: SerializedFileWriter<File>,
    factory: ArrowRowGroupWriterFactory,
    schema: Arc<Schema>,
    /// Rows of a full row group.
    full: usize,
    open: BTreeMap<u8, RowGroup>,
}

struct RowGroup {
    columns: Vec<ArrowColumnWriter>,
    rows: usize,
    /// Bytes of its rows.
    bytes: usize,
}

impl RowGroups {
    pub(super) fn create(
        file: File,
        schema: Arc<Schema>,
        properties: WriterProperties,
    ) -> Result<Self, EngineError> {
        let full = properties.max_row_group_row_count().unwrap_or(usize::MAX);
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        let (writer, factory) = writer.into_serialized_writer()?;
        Ok(Self {
            writer,
            factory,
            schema,
            full,
            open: BTreeMap::new(),
        })
    }

    /// Adds rows to one row group, or to one of each kind.
    pub(super) fn push(&mut self, rows: &RecordBatch, by_kind: bool) -> Result<(), EngineError> {
        let kinds = rows
            .column_by_name("kind")
            .and_then(|array| array.as_primitive_opt::<UInt8Type>())
            .filter(|_| by_kind);
        let Some(kinds) = kinds else {
            return self.add(MIXED, rows);
        };
        for group in 1..=OTHERS {
            let is_in: BooleanArray = kinds
                .values()
                .iter()
                .map(|kind| Some(group_of_kind(*kind) == group))
                .collect();
            if is_in.true_count() > 0 {
                self.add(group, &filter_record_batch(rows, &is_in)?)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, key: u8, rows: &RecordBatch) -> Result<(), EngineError> {
        let mut from = 0;
        while from < rows.num_rows() {
            let group = match self.open.remove(&key) {
                Some(group) => group,
                None => self.begin()?,
            };
            let group = self.open.entry(key).or_insert(group);
            let count = (self.full - group.rows).min(rows.num_rows() - from);
            let part = rows.slice(from, count);
            let mut columns = group.columns.iter_mut();
            for (field, array) in self.schema.fields().iter().zip(part.columns()) {
                for leaf in compute_leaves(field, array)? {
                    if let Some(column) = columns.next() {
                        column.write(&leaf)?;
                    }
                }
            }
            group.rows += count;
            group.bytes += byte_size(&part);
            from += count;
            if group.rows >= self.full {
                self.end(key)?;
            }
        }
        Ok(())
    }

    fn begin(&self) -> Result<RowGroup, EngineError> {
        let at = self.writer.flushed_row_groups().len();
        Ok(RowGroup {
            columns: self.factory.create_column_writers(at)?,
            rows: 0,
            bytes: 0,
        })
    }

    fn end(&mut self, key: u8) -> Result<(), EngineError> {
        let Some(group) = self.open.remove(&key) else {
            return Ok(());
        };
        let mut written = self.writer.next_row_group()?;
        for column in group.columns {
            column.close()?.append_to_row_group(&mut written)?;
        }
        written.close()?;
        Ok(())
    }

    /// Ends all row groups that have rows.
    pub(super) fn end_all(&mut self) -> Result<(), EngineError> {
        while let Some(key) = self.open.keys().next().copied() {
            self.end(key)?;
        }
        Ok(())
    }

    /// Ends the largest row groups while those in the making have more bytes than this.
    pub(super) fn bound(&mut self, bytes: usize) -> Result<(), EngineError> {
        while self.open.values().map(|group| group.bytes).sum::<usize>() >= bytes {
            let largest = self.open.iter().max_by_key(|(_, group)| group.bytes);
            let Some(key) = largest.map(|(key, _)| *key) else {
                break;
            };
            self.end(key)?;
        }
        Ok(())
    }

    /// Rows of the row groups that are in the making.
    pub(super) fn open_rows(&self) -> usize {
        self.open.values().map(|group| group.rows).sum()
    }

    /// Row groups that have ended.
    #[cfg(test)]
    pub(super) fn ended(&self) -> &[RowGroupMetaData] {
        self.writer.flushed_row_groups()
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> Result<File, EngineError> {
        self.end_all()?;
        Ok(self.writer.into_inner()?)
    }
}

/// The row group among those of a website that a kind's rows are in.
fn group_of_kind(kind: u8) -> u8 {
    kind.clamp(1, OTHERS)
}

/// The row groups of a file as streams, each of which has its rows in the file's order: by website, time and receipt.
pub(in crate::events) fn streams(file: &ParquetMetaData) -> Vec<Vec<usize>> {
    let mut streams: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for (at, group) in file.row_groups().iter().enumerate() {
        streams.entry(group_of_rows(group)).or_default().push(at);
    }
    streams.into_values().collect()
}

/// What a row group counts as by the kinds of its rows.
fn group_of_rows(group: &RowGroupMetaData) -> u8 {
    let mut columns = group.columns().iter();
    let kind = columns.find(|column| column.column_path().string() == "kind");
    let Some(Statistics::Int32(kinds)) = kind.and_then(|column| column.statistics()) else {
        return MIXED;
    };
    let number = |kind: Option<&i32>| kind.and_then(|kind| u8::try_from(*kind).ok());
    match (number(kinds.min_opt()), number(kinds.max_opt())) {
        (Some(least), Some(most)) if group_of_kind(least) == group_of_kind(most) => {
            group_of_kind(least)
        }
        _ => MIXED,
    }
}
