//! A Parquet file in the making, whole and durable under its name or not there.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use duckdb::arrow::{datatypes::Schema, record_batch::RecordBatch};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding, ZstdLevel},
    file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion},
    schema::types::ColumnPath,
};

use crate::events::{engine::EngineError, spool::file::sync_directory};

/// Rows per row group: small enough that a small website reads little, large enough to compress.
pub(super) const ROW_GROUP: usize = 20_480;
/// Columns whose values hardly repeat but lie close together.
const RISING: [&str; 3] = ["time", "received", "opened"];
/// Rows per row group of extracts.
const EXTRACT_GROUP: usize = 65_536;
/// Columns of hashes in extracts.
const HASHES: [&str; 2] = ["visitor", "session"];

/// A file that is being written. Dropped before [`NewFile::finish`], it leaves nothing behind.
pub(in crate::events) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<ArrowWriter<File>>,
    rows: u64,
}

/// A file that is done.
pub(in crate::events) struct Done {
    /// Rows.
    pub(in crate::events) rows: u64,
    /// Bytes on disk.
    pub(in crate::events) bytes: u64,
    /// BLAKE3, hex.
    pub(in crate::events) checksum: String,
}

impl NewFile {
    /// Begins a file that will be called `name`.
    pub(in crate::events) fn create(
        directory: &Path,
        name: &str,
        schema: Arc<Schema>,
        properties: WriterProperties,
    ) -> Result<Self, EngineError> {
        let temporary = directory.join(format!("{name}.tmp"));
        let writer = ArrowWriter::try_new(File::create(&temporary)?, schema, Some(properties))?;
        Ok(Self {
            path: directory.join(name),
            temporary,
            writer: Some(writer),
            rows: 0,
        })
    }

    /// Adds rows.
    pub(in crate::events) fn push(&mut self, rows: &RecordBatch) -> Result<(), EngineError> {
        self.rows += rows.num_rows() as u64;
        if let Some(writer) = &mut self.writer {
            writer.write(rows)?;
        }
        Ok(())
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file and leaves it where it is, which is not durable.
    pub(super) fn leave(mut self) -> Result<PathBuf, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.into_inner()?;
        }
        let place = self.temporary.with_extension("tail");
        fs::rename(&self.temporary, &place)?;
        Ok(place)
    }

    /// Makes the file durable under its name.
    pub(in crate::events) fn finish(mut self) -> Result<Done, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.into_inner()?.sync_all()?;
        }
        fs::rename(&self.temporary, &self.path)?;
        if let Some(directory) = self.path.parent() {
            sync_directory(directory)?;
        }
        Ok(Done {
            rows: self.rows,
            bytes: fs::metadata(&self.path)?.len(),
            checksum: checksum(&self.path)?,
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // After a rename there is nothing of that name any more.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// How files of events are written. What was never merged soon will be: that much care would be wasted.
pub(super) fn of_events(level: u32) -> Result<WriterProperties, EngineError> {
    let properties = properties(level)?.set_max_row_group_row_count(Some(ROW_GROUP));
    Ok(properties.build())
}

/// How extracts are written. Few of their columns are read, and those whole; hashes hardly repeat, so that neither
/// dictionaries nor compression are worth their time.
pub(in crate::events) fn of_extracts(level: u32) -> Result<WriterProperties, EngineError> {
    let mut properties = properties(level)?.set_max_row_group_row_count(Some(EXTRACT_GROUP));
    for hash in HASHES {
        let path = ColumnPath::from(hash);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_compression(path, Compression::UNCOMPRESSED);
    }
    Ok(properties.build())
}

fn properties(level: u32) -> Result<WriterPropertiesBuilder, EngineError> {
    let level = ZstdLevel::try_new(if level == 0 { 1 } else { 3 })?;
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_compression(Compression::ZSTD(level));
    for column in RISING {
        let path = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties)
}

/// BLAKE3 of a file, hex.
pub(super) fn checksum(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}
