//! A Parquet file in the making, whole and durable under its name or not there.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use duckdb::arrow::{
    array::AsArray,
    datatypes::{Int64Type, Schema},
    record_batch::RecordBatch,
};
use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion},
    schema::types::ColumnPath,
};

use super::{portion::PORTION, row_groups::RowGroups};
use crate::events::{error::EngineError, log::file::sync_directory};

/// Rows per row group: small enough that a small website reads little, large enough to compress.
pub(in crate::events) const ROW_GROUP: usize = 20_480;
/// Columns whose values hardly repeat but lie close together.
const RISING: [&str; 3] = ["time", "received", "opened"];
/// Columns of measurements, whose values hardly repeat. Their bytes are written by place, so compression sees that exponents
/// are alike. A sender that rounds fills no dictionary of this size, and gets it.
const MEASURED: [&str; 9] = [
    "time_on_page",
    "active_time",
    "first_interaction",
    "load_time",
    "dom_ready_time",
    "render_time",
    "ttfb",
    "load_sum",
    "first_byte_sum",
];
/// Bytes of a dictionary of such values that are tried.
const FEW_VALUES: usize = 2 << 10;
/// Rows per row group of extracts.
const EXTRACT_GROUP: usize = 65_536;
/// A row group with so many rows ends where its last website does.
const ENOUGH: usize = 8_192;
/// Bytes of rows that end a row group. The writer holds a row group in memory until it ends, and readers go by its average
/// row (`rows_at_a_time`), so they are off by one row group at most.
const GROUP_BYTES: usize = 4 * PORTION;
/// A website with so many rows in a file has row groups of its own there.
const OWN_GROUP: u64 = 4_096;
/// A website with so many rows in a file has row groups for each kind of its events. With fewer, they would be small.
const BY_KIND: u64 = 4 * ROW_GROUP as u64;
/// Columns of hashes in extracts.
const HASHES: [&str; 2] = ["visitor", "session"];

/// A file that is being written. Dropped before [`NewFile::finish`], it leaves nothing behind.
pub(in crate::events) struct NewFile {
    path: PathBuf,
    temporary: PathBuf,
    writer: Option<RowGroups>,
    rows: u64,
    apart: Apart,
    /// The website of the last row.
    last: Option<i64>,
}

/// Websites that get row groups of their own, so a question about one reads no rows of others; and how many rows they
/// have.
#[derive(Debug, Clone, Default)]
pub(in crate::events) struct Apart(Arc<BTreeMap<i64, u64>>);

impl Apart {
    /// Those with enough of these rows.
    pub(in crate::events) fn from_counts(counts: &BTreeMap<i64, u64>) -> Self {
        let many = counts.iter().filter(|(_, rows)| **rows >= OWN_GROUP);
        Self(Arc::new(
            many.map(|(website, rows)| (*website, *rows)).collect(),
        ))
    }

    fn has(&self, website: i64) -> bool {
        self.0.contains_key(&website)
    }

    /// Whether the website's kinds of event lie apart as well.
    fn is_by_kind(&self, website: i64) -> bool {
        self.0.get(&website).is_some_and(|rows| *rows >= BY_KIND)
    }
}

/// A file that is done.
pub(in crate::events) struct FinishedFile {
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
        apart: Apart,
    ) -> Result<Self, EngineError> {
        let temporary = directory.join(format!("{name}.tmp"));
        let writer = RowGroups::create(File::create(&temporary)?, schema, properties)?;
        Ok(Self {
            path: directory.join(name),
            temporary,
            writer: Some(writer),
            rows: 0,
            apart,
            last: None,
        })
    }

    /// Adds rows, sorted by website. Row groups end with a website where it is worth it, so its rows are read without
    /// many of others.
    pub(in crate::events) fn push(&mut self, rows: &RecordBatch) -> Result<(), EngineError> {
        let websites = rows
            .column_by_name("website")
            .and_then(|array| array.as_primitive_opt::<Int64Type>())
            .map_or(&[][..], |array| array.values());
        let (mut from, mut at) = (0, 0);
        for run in websites.chunk_by(|a, b| a == b) {
            let website = run.first().copied();
            if self.is_border(website, at - from) {
                self.write(&rows.slice(from, at - from))?;
                from = at;
                self.end_group()?;
            }
            self.last = website;
            at += run.len();
        }
        self.write(&rows.slice(from, rows.num_rows() - from))
    }

    /// Whether a row group ends before the rows of this website, when so many of the rows before are not written yet.
    fn is_border(&self, website: Option<i64>, waiting: usize) -> bool {
        let is_apart = |website: Option<i64>| website.is_some_and(|id| self.apart.has(id));
        self.last != website
            && (self.grouped() + waiting >= ENOUGH || is_apart(self.last) || is_apart(website))
    }

    fn write(&mut self, rows: &RecordBatch) -> Result<(), EngineError> {
        self.rows += rows.num_rows() as u64;
        // Such a website begins and ends at a border, so all of these rows are its own.
        let by_kind = self.last.is_some_and(|id| self.apart.is_by_kind(id));
        if let Some(writer) = &mut self.writer {
            writer.push(rows, by_kind)?;
            writer.bound(GROUP_BYTES)?;
        }
        Ok(())
    }

    /// Ends the row groups that are being written.
    fn end_group(&mut self) -> Result<(), EngineError> {
        let writer = self.writer.as_mut();
        writer.map_or(Ok(()), RowGroups::end_all)
    }

    /// Rows of the row groups that are being written.
    fn grouped(&self) -> usize {
        self.writer.as_ref().map_or(0, RowGroups::open_rows)
    }

    pub(in crate::events) fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file and leaves it where it is, which is not durable.
    pub(in crate::events) fn leave(mut self) -> Result<PathBuf, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?;
        }
        let place = self.temporary.with_extension("tail");
        fs::rename(&self.temporary, &place)?;
        Ok(place)
    }

    /// Makes the file durable under its name.
    pub(in crate::events) fn finish(mut self) -> Result<FinishedFile, EngineError> {
        if let Some(writer) = self.writer.take() {
            writer.finish()?.sync_all()?;
        }
        fs::rename(&self.temporary, &self.path)?;
        if let Some(directory) = self.path.parent() {
            sync_directory(directory)?;
        }
        Ok(FinishedFile {
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
pub(in crate::events) fn event_properties(level: u32) -> Result<WriterProperties, EngineError> {
    let properties = properties(level)?.set_max_row_group_row_count(Some(ROW_GROUP));
    Ok(properties.build())
}

/// How extracts are written. Few of their columns are read, and those whole; hashes hardly repeat, so neither
/// dictionaries nor compression are worth their time.
pub(in crate::events) fn extract_properties(level: u32) -> Result<WriterProperties, EngineError> {
    let mut properties = properties(level)?.set_max_row_group_row_count(Some(EXTRACT_GROUP));
    for hash in HASHES {
        let path = ColumnPath::from(hash);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path.clone(), Encoding::PLAIN)
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
    for column in MEASURED {
        let path = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_page_size_limit(path.clone(), FEW_VALUES)
            .set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT);
    }
    Ok(properties)
}

/// BLAKE3 of a file, hex.
pub(in crate::events) fn checksum(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use duckdb::arrow::{
        array::{ArrayRef, Float32Array, Int64Array},
        datatypes::{DataType, Field},
    };
    use parquet::file::metadata::RowGroupMetaData;

    use super::*;

    /// Rows of the row groups of a file of extracts with so many rows of websites 0, 1, …, given so many at a time.
    fn groups(counts: &[usize], at_a_time: usize) -> Vec<usize> {
        let directory = tempfile::tempdir().unwrap();
        let field = Field::new("website", DataType::Int64, false);
        let schema = Arc::new(Schema::new(vec![field]));
        let rows = || (0_i64..).zip(counts);
        let apart = Apart::from_counts(&rows().map(|(id, rows)| (id, *rows as u64)).collect());
        let (properties, place) = (extract_properties(1).unwrap(), directory.path());
        let file = NewFile::create(place, "a", Arc::clone(&schema), properties, apart);
        let mut file = file.unwrap();
        let websites: Vec<i64> = rows()
            .flat_map(|(website, count)| std::iter::repeat_n(website, *count))
            .collect();
        for rows in websites.chunks(at_a_time) {
            let column = Arc::new(Int64Array::from(rows.to_vec()));
            let rows = RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap();
            file.push(&rows).unwrap();
        }
        file.end_group().unwrap();
        assert_eq!(file.rows(), websites.len() as u64);
        let writer = file.writer.take().unwrap();
        let groups = writer.ended().iter();
        groups
            .map(|group| usize::try_from(RowGroupMetaData::num_rows(group)).unwrap())
            .collect()
    }

    /// Writes these load times, and returns how they are written and what the engine reads.
    fn written(times: Vec<Option<f32>>) -> (Vec<Encoding>, (i64, f64)) {
        let directory = tempfile::tempdir().unwrap();
        let fields = [
            Field::new("website", DataType::Int64, false),
            Field::new("load_time", DataType::Float32, true),
        ];
        let schema = Arc::new(Schema::new(fields.to_vec()));
        let websites = Int64Array::from(vec![1; times.len()]);
        let columns: [ArrayRef; 2] = [Arc::new(websites), Arc::new(Float32Array::from(times))];
        let rows = RecordBatch::try_new(Arc::clone(&schema), columns.to_vec()).unwrap();
        let (properties, place) = (event_properties(1).unwrap(), directory.path());
        let file = NewFile::create(place, "a", schema, properties, Apart::default());
        let mut file = file.unwrap();
        file.push(&rows).unwrap();
        file.end_group().unwrap();
        let encodings = file.writer.as_mut().unwrap().ended()[0].columns()[1].encodings();
        let encodings = encodings.collect();
        file.finish().unwrap();
        let engine = duckdb::Connection::open_in_memory().unwrap();
        let asked = format!(
            "SELECT count(load_time), sum(load_time) FROM read_parquet('{}')",
            place.join("a").display()
        );
        let read = engine.query_row(&asked, [], |row| Ok((row.get(0)?, row.get(1)?)));
        (encodings, read.unwrap())
    }

    #[test]
    fn measured_values_are_written_by_place_unless_they_repeat() {
        let several = |values: u16| {
            let times = (0..10_000_u16).map(|at| (at % 7 > 0).then(|| f32::from(at % values)));
            let times: Vec<_> = times.collect();
            let known = || times.iter().flatten();
            let sum: f64 = known().map(|time| f64::from(*time)).sum();
            let said = (known().count() as i64, sum);
            let (encodings, read) = written(times);
            assert_eq!(read, said);
            encodings.contains(&Encoding::BYTE_STREAM_SPLIT)
        };
        assert!(several(10_000));
        assert!(!several(300));
    }

    #[test]
    fn row_groups_end_where_a_website_does() {
        let own = usize::try_from(OWN_GROUP).unwrap();
        let few = own - 1;
        let many_of_few = ENOUGH.div_ceil(few);
        for at_a_time in [100, 4_096, 1 << 20] {
            let groups = |counts: &[usize]| groups(counts, at_a_time);
            assert_eq!(
                groups(&vec![few; many_of_few + 2]),
                [many_of_few * few, 2 * few],
                "small ones share until it is enough"
            );
            assert_eq!(
                groups(&[few, few, own, own, few, 1]),
                [2 * few, own, own, few + 1],
                "others have their own"
            );
            assert_eq!(
                groups(&[EXTRACT_GROUP + 5, 7, EXTRACT_GROUP, 1]),
                [EXTRACT_GROUP, 5, 7, EXTRACT_GROUP, 1],
                "and several"
            );
        }
    }
}
