//! One segment file in the making: sorted batches in; a durable file, its extracts and its row of the manifest out.
//!
//! Written here and not by the query engine, so sealing neither competes with queries for the engine's memory nor
//! waits for an engine that is being opened anew.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use duckdb::arrow::{array::AsArray, datatypes::Int64Type, record_batch::RecordBatch};

use super::{SegmentRow, file_name, tenant_index::Census};
use crate::events::{
    batch,
    error::EngineError,
    event::TIMELESS,
    extracts::ExtractFiles,
    files::file::{Apart, NewFile, event_properties},
    log::Lsn,
    versions,
};

/// A segment that is being written. Dropped before [`SegmentFile::finish`], it leaves nothing behind.
pub(super) struct SegmentFile {
    id: String,
    file: NewFile,
    extracts: Option<ExtractFiles>,
    level: u32,
    depth: u32,
    census: Census,
    websites: (i64, i64),
    times: (i64, i64),
    aliases: bool,
}

impl SegmentFile {
    /// Begins a segment in `directory` that is the `level`-th merge of its rows, for a bucket of this depth.
    pub(super) fn create(
        directory: &Path,
        level: u32,
        depth: u32,
        apart: &Apart,
    ) -> Result<Self, EngineError> {
        let plain = Self::plain(directory, level, apart)?;
        let extracts = ExtractFiles::create(directory, &plain.id, level, apart)?;
        Ok(Self {
            extracts: Some(extracts),
            depth,
            ..plain
        })
    }

    /// The same without extracts.
    pub(super) fn plain(directory: &Path, level: u32, apart: &Apart) -> Result<Self, EngineError> {
        let id = uuid::Uuid::now_v7().to_string();
        let (name, schema, properties) =
            (file_name(&id), batch::schema(), event_properties(level)?);
        Ok(Self {
            file: NewFile::create(directory, &name, schema, properties, apart.clone())?,
            id,
            extracts: None,
            level,
            depth: 0,
            census: Census::default(),
            websites: (i64::MAX, i64::MIN),
            times: (i64::MAX, TIMELESS),
            aliases: false,
        })
    }

    /// Adds rows, which sort behind those that were added before.
    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        widen(&mut self.websites, numbers(batch, "website"));
        numbers(batch, "website").for_each(|website| self.census.add(*website));
        let happened = numbers(batch, "time").filter(|time| **time != TIMELESS);
        widen(&mut self.times, happened);
        self.aliases |= numbers(batch, "time").any(|time| *time == TIMELESS);
        if let Some(extracts) = &mut self.extracts {
            extracts.push(batch)?;
        }
        self.file.push(batch)
    }

    pub(super) fn rows(&self) -> u64 {
        self.file.rows()
    }

    /// Whether there are no rows in it.
    pub(super) fn is_empty(&self) -> bool {
        self.file.rows() == 0
    }

    /// Ends the file and leaves it where it is.
    pub(super) fn leave(self) -> Result<PathBuf, EngineError> {
        self.file.leave()
    }

    /// Makes the file durable under its name, behind its extracts.
    pub(super) fn finish(mut self, lsns: (Lsn, Lsn)) -> Result<SegmentRow, EngineError> {
        let extracts = self.extracts.map_or(Ok(Vec::new()), ExtractFiles::finish)?;
        let file = self.file.finish()?;
        Ok(SegmentRow {
            id: self.id,
            websites: self.websites,
            times: (self.times.0.min(self.times.1), self.times.1),
            aliases: self.aliases,
            rows: file.rows,
            bytes: file.bytes,
            lsns,
            level: self.level,
            depth: self.depth,
            tenants: Arc::new(self.census.finish()),
            schema: versions::SCHEMA,
            checksum: file.checksum,
            extracts,
            quarantined: false,
        })
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
