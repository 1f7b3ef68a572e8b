//! One segment file in the making: sorted batches in, a durable file and its row of the manifest out.
//!
//! Written here and not by the query engine, so that sealing neither competes with queries for the engine's memory nor
//! waits for an engine that is being opened anew.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use duckdb::arrow::{array::AsArray, datatypes::Int64Type, record_batch::RecordBatch};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding, ZstdLevel},
    file::properties::{WriterProperties, WriterVersion},
    schema::types::ColumnPath,
};

use super::{SegmentRow, file_name};
use crate::events::{
    engine::{EngineError, batch},
    event::TIMELESS,
    spool::{Lsn, file::sync_directory},
    tables,
};

/// Rows per row group: small enough that a small website reads little, large enough to compress.
pub(super) const ROW_GROUP: usize = 20_480;
/// Columns whose values hardly repeat but lie close together.
const RISING: [&str; 2] = ["time", "received"];

/// A segment that is being written. Dropped before [`SegmentFile::finish`], it leaves nothing behind.
pub(super) struct SegmentFile {
    id: String,
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<ArrowWriter<File>>,
    level: u32,
    rows: u64,
    websites: (i64, i64),
    times: (i64, i64),
    aliases: bool,
}

impl SegmentFile {
    /// Begins a segment in `directory` that is the `level`-th merge of its rows.
    pub(super) fn create(directory: &Path, level: u32) -> Result<Self, EngineError> {
        let id = uuid::Uuid::now_v7().to_string();
        let temporary = directory.join(format!("{id}.tmp"));
        let file = File::create(&temporary)?;
        let writer = ArrowWriter::try_new(file, batch::schema(), Some(properties(level)?))?;
        Ok(Self {
            path: directory.join(file_name(&id)),
            id,
            temporary,
            writer: Some(writer),
            level,
            rows: 0,
            websites: (i64::MAX, i64::MIN),
            times: (i64::MAX, TIMELESS),
            aliases: false,
        })
    }

    /// Adds rows, which sort behind those that were added before.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        widen(&mut self.websites, numbers(batch, "website"));
        let happened = numbers(batch, "time").filter(|time| **time != TIMELESS);
        widen(&mut self.times, happened);
        self.aliases |= numbers(batch, "time").any(|time| *time == TIMELESS);
        self.rows += batch.num_rows() as u64;
        if let Some(writer) = &mut self.writer {
            writer.write(batch)?;
        }
        Ok(())
    }

    /// Whether there are no rows in it.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Ends the file and leaves it where it is.
    pub(super) fn leave(mut self) -> Result<PathBuf, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.into_inner()?;
        }
        let place = self.temporary.with_extension("tail");
        fs::rename(&self.temporary, &place)?;
        Ok(place)
    }

    /// Makes the file durable under its name.
    pub(super) fn finish(mut self, lsns: (Lsn, Lsn)) -> Result<SegmentRow, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.into_inner()?.sync_all()?;
        }
        fs::rename(&self.temporary, &self.path)?;
        if let Some(directory) = self.path.parent() {
            sync_directory(directory)?;
        }
        Ok(SegmentRow {
            id: self.id.clone(),
            websites: self.websites,
            times: (self.times.0.min(self.times.1), self.times.1),
            aliases: self.aliases,
            rows: self.rows,
            bytes: fs::metadata(&self.path)?.len(),
            lsns,
            level: self.level,
            schema: tables::SCHEMA,
            checksum: checksum(&self.path)?,
            quarantined: false,
        })
    }
}

impl Drop for SegmentFile {
    fn drop(&mut self) {
        // After a rename there is nothing of that name any more.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// The values of a column of whole numbers.
fn numbers<'b>(batch: &'b RecordBatch, column: &str) -> impl Iterator<Item = &'b i64> {
    let values = batch
        .column_by_name(column)
        .and_then(|array| array.as_primitive_opt::<Int64Type>());
    values.into_iter().flat_map(|array| array.values().iter())
}

fn widen<'v>(bounds: &mut (i64, i64), values: impl Iterator<Item = &'v i64>) {
    for value in values {
        bounds.0 = bounds.0.min(*value);
        bounds.1 = bounds.1.max(*value);
    }
}

/// What was never merged soon will be: that much care would be wasted.
fn properties(level: u32) -> Result<WriterProperties, EngineError> {
    let level = ZstdLevel::try_new(if level == 0 { 1 } else { 3 })?;
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP));
    for column in RISING {
        let path = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties.build())
}

/// BLAKE3 of a file, hex.
pub(super) fn checksum(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}
