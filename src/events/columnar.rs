//! Tables of plain values as Parquet, a row group a page, in pieces that are taken as they are written.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

use duckdb::arrow::{
    array::{ArrayRef, Float64Array, Int64Array, StringArray, TimestampMillisecondArray},
    datatypes::{DataType, Field, Schema, TimeUnit},
    record_batch::RecordBatch,
};
use parquet::arrow::ArrowWriter;
use serde_json::Value;

/// What a column holds; anything else in it is null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Whole,
    Number,
    /// Unix milliseconds.
    Time,
}

/// Why a table cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("Parquet: {0}")]
pub struct ColumnarError(String);

fn wrong(error: impl std::fmt::Display) -> ColumnarError {
    ColumnarError(error.to_string())
}

/// Bytes that were written and not taken yet.
#[derive(Debug, Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A Parquet file in the making.
#[derive(Debug)]
pub struct Columnar {
    writer: ArrowWriter<SharedBuffer>,
    written: SharedBuffer,
    schema: Arc<Schema>,
    kinds: Vec<Kind>,
}

impl Columnar {
    /// A file with these columns.
    pub fn new(columns: &[(&str, Kind)]) -> Result<Self, ColumnarError> {
        let field = |(name, kind): &(&str, Kind)| Field::new(*name, data(*kind), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let written = SharedBuffer::default();
        let writer = ArrowWriter::try_new(written.clone(), Arc::clone(&schema), None);
        Ok(Self {
            writer: writer.map_err(wrong)?,
            written,
            schema,
            kinds: columns.iter().map(|(_, kind)| *kind).collect(),
        })
    }

    /// Rows, and the bytes that came of the file by that.
    pub fn page(&mut self, rows: &[Vec<Value>]) -> Result<Vec<u8>, ColumnarError> {
        let columns = self.kinds.iter().enumerate();
        let arrays = columns.map(|(place, kind)| array(*kind, rows, place));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect());
        self.writer.write(&batch.map_err(wrong)?).map_err(wrong)?;
        self.writer.flush().map_err(wrong)?;
        Ok(self.written.take())
    }

    /// The rest of the file.
    pub fn end(self) -> Result<Vec<u8>, ColumnarError> {
        let Self {
            writer, written, ..
        } = self;
        writer.close().map_err(wrong)?;
        Ok(written.take())
    }
}

fn data(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Whole => DataType::Int64,
        Kind::Number => DataType::Float64,
        Kind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
    }
}

fn array(kind: Kind, rows: &[Vec<Value>], place: usize) -> ArrayRef {
    let cells = rows
        .iter()
        .map(|row| row.get(place).unwrap_or(&Value::Null));
    match kind {
        Kind::Text => Arc::new(cells.map(Value::as_str).collect::<StringArray>()),
        Kind::Whole => Arc::new(cells.map(Value::as_i64).collect::<Int64Array>()),
        Kind::Number => Arc::new(cells.map(Value::as_f64).collect::<Float64Array>()),
        Kind::Time => {
            let times = cells.map(Value::as_i64);
            let times = times.collect::<TimestampMillisecondArray>();
            Arc::new(times.with_timezone("UTC"))
        }
    }
}
