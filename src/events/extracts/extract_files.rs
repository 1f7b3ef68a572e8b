//! The files of a segment's extracts in the making.

use std::path::Path;

use duckdb::arrow::record_batch::RecordBatch;

use super::{Extract, ExtractRow, VERSION, row_aggregator, row_aggregator::RowAggregator};
use crate::events::{
    error::EngineError,
    files::file::{Apart, NewFile, extract_properties},
};

/// Every extract of a segment that is being written. Dropped before [`ExtractFiles::finish`], it leaves nothing behind.
pub(in crate::events) struct ExtractFiles {
    rows: RowAggregator,
    files: Vec<(Extract, NewFile)>,
}

impl ExtractFiles {
    /// Begins the extracts of the segment with this id.
    pub(in crate::events) fn create(
        directory: &Path,
        segment: &str,
        level: u32,
        apart: &Apart,
    ) -> Result<Self, EngineError> {
        let file = |extract: Extract| {
            let name = extract.file_name(segment);
            let schema = row_aggregator::schema(extract);
            let (properties, apart) = (extract_properties(level)?, apart.clone());
            let file = NewFile::create(directory, &name, schema, properties, apart)?;
            Ok((extract, file))
        };
        Ok(Self {
            rows: RowAggregator::new()?,
            files: Extract::ALL
                .into_iter()
                .map(file)
                .collect::<Result<_, EngineError>>()?,
        })
    }

    /// Adds the segment's next rows.
    pub(in crate::events) fn push(&mut self, events: &RecordBatch) -> Result<(), EngineError> {
        self.rows.add(events)?;
        self.write(false)
    }

    fn write(&mut self, all: bool) -> Result<(), EngineError> {
        for (extract, file) in &mut self.files {
            if let Some(rows) = self.rows.take(*extract, all)? {
                file.push(&rows)?;
            }
        }
        Ok(())
    }

    /// Makes the files durable under their names.
    pub(in crate::events) fn finish(mut self) -> Result<Vec<ExtractRow>, EngineError> {
        self.write(true)?;
        let mut rows = Vec::with_capacity(self.files.len());
        for (extract, file) in self.files {
            let done = file.finish()?;
            rows.push(ExtractRow {
                extract,
                version: VERSION,
                rows: done.rows,
                bytes: done.bytes,
                checksum: done.checksum,
            });
        }
        Ok(rows)
    }
}
