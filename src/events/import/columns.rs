//! Rows of a Parquet file as JSON objects.

use std::{collections::VecDeque, fs::File, io, sync::Arc};

use crate::events::tree::{Object, Value};
use duckdb::arrow::{
    array::{Array as _, ArrayRef, AsArray as _, RecordBatch, StringViewArray, StructArray},
    compute::cast,
    datatypes::{DataType, Field, FieldRef, Fields, Float64Type, Int64Type, Schema, TimeUnit},
};
use parquet::{
    arrow::arrow_reader::{
        ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
        ParquetRecordBatchReaderBuilder,
    },
    basic::Compression,
    file::metadata::{ParquetMetaData, RowGroupMetaData},
};

/// Rows that are decoded at a time.
const BATCH: usize = 256;
/// Bytes of a column in a group of rows, unpacked: it is decoded page by page, and a page may be all of it.
const MAX_COLUMN: i64 = 256 << 20;
/// Values of a batch, each text counting by its bytes. Many rows may share a text in the file, but not in memory.
const MAX_BATCH: usize = 32 << 20;

pub(super) struct Columns {
    reader: ParquetRecordBatchReader,
    rows: VecDeque<Object<'static>>,
    /// All rows of the file, and those that were given out.
    total: u64,
    given: u64,
}

impl Columns {
    /// Opens a file that has these columns.
    pub(super) fn open(file: File, required: &[&str]) -> io::Result<Self> {
        let options = ArrowReaderOptions::new();
        let found =
            ArrowReaderMetadata::load(&file, options.clone()).map_err(|error| broken(&error))?;
        check_compression(found.metadata())?;
        check_sizes(found.metadata())?;
        let views = options.with_schema(Arc::new(Schema::new(with_views(found.schema().fields()))));
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, views);
        let builder = builder.map_err(|error| broken(&error))?;
        let missing: Vec<&str> = required
            .iter()
            .copied()
            .filter(|name| builder.schema().column_with_name(name).is_none())
            .collect();
        if !missing.is_empty() {
            let what = format!("the Parquet file has no column {}", missing.join(", "));
            return Err(invalid(what));
        }
        let total = builder.metadata().file_metadata().num_rows();
        let reader = builder
            .with_batch_size(BATCH)
            .build()
            .map_err(|error| broken(&error))?;
        Ok(Self {
            reader,
            rows: VecDeque::new(),
            total: u64::try_from(total).unwrap_or_default(),
            given: 0,
        })
    }

    /// The next row with its number, from 1.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Object<'static>)>> {
        while self.rows.is_empty() {
            let Some(batch) = self.reader.next() else {
                return Ok(None);
            };
            let batch = batch.map_err(|error| broken(&error))?;
            self.rows = rows_of(&batch)?;
        }
        self.given += 1;
        Ok(self.rows.pop_front().map(|row| (self.given, row)))
    }

    /// Where a row ends, in bytes of a file of this length, and up to where the file is done with it: several rows may share
    /// a byte.
    pub(super) fn place(&self, row: u64, length: u64) -> (u64, u64) {
        let end = |row: u64| {
            let share = u128::from(row) * u128::from(length) / u128::from(self.total.max(1));
            u64::try_from(share).unwrap_or(length).max(1)
        };
        let is_last = row >= self.total;
        if is_last || end(row + 1) > end(row) {
            (end(row), end(row))
        } else {
            (end(row), end(row) - 1)
        }
    }
}

/// Refuses what can't be unpacked here, before any of it is stored.
fn check_compression(metadata: &ParquetMetaData) -> io::Result<()> {
    let groups = metadata.row_groups().iter();
    let mut columns = groups.flat_map(RowGroupMetaData::columns);
    let found = columns.find_map(|column| match column.compression() {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        _ => None,
    });
    found.map_or(Ok(()), |name| {
        Err(invalid(format!(
            "the Parquet file is compressed with {name}. Export it with Snappy, gzip, LZ4 or Zstandard"
        )))
    })
}

/// Refuses what would need much memory to unpack.
fn check_sizes(metadata: &ParquetMetaData) -> io::Result<()> {
    let mut columns = metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns);
    if columns.any(|column| column.uncompressed_size() > MAX_COLUMN) {
        return Err(invalid(
            "a column of a row group has more than 256 MiB".to_owned(),
        ));
    }
    Ok(())
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn broken(error: &dyn std::fmt::Display) -> io::Error {
    invalid(format!("the Parquet file can't be read: {error}"))
}

/// The same fields with texts that are not copied out of their pages.
fn with_views(fields: &Fields) -> Fields {
    let view = |field: &FieldRef| -> Field {
        let kind = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Struct(inner) => DataType::Struct(with_views(inner)),
            DataType::List(item) => {
                let item = with_views(&Fields::from(vec![Arc::clone(item)]));
                DataType::List(Arc::clone(&item[0]))
            }
            other => other.clone(),
        };
        field.as_ref().clone().with_data_type(kind)
    };
    fields.iter().map(view).collect()
}

fn rows_of(batch: &RecordBatch) -> io::Result<VecDeque<Object<'static>>> {
    let whole: ArrayRef = Arc::new(StructArray::from(batch.clone()));
    let values = Values { left: MAX_BATCH }.read(&whole)?;
    let object = |value| match value {
        Value::Object(object) => object,
        _ => Object::new(),
    };
    Ok(values.into_iter().map(object).collect())
}

/// Turns arrays into values, as many as there is memory for.
struct Values {
    left: usize,
}

impl Values {
    fn take(&mut self, bytes: usize) -> io::Result<()> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| invalid(format!("{BATCH} rows have more than 32 MiB")))?;
        Ok(())
    }

    /// Every value of an array.
    fn read(&mut self, array: &ArrayRef) -> io::Result<Vec<Value<'static>>> {
        self.take(array.len())?;
        match array.data_type() {
            DataType::Struct(fields) => self.structs(array.as_struct(), fields),
            DataType::List(_) => self.lists(array),
            DataType::Boolean => Ok(values(array.as_boolean().iter())),
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32 => {
                let numbers = cast_to(array, &DataType::Int64)?;
                Ok(values(numbers.as_primitive::<Int64Type>().iter()))
            }
            DataType::UInt64
            | DataType::Float16
            | DataType::Float32
            | DataType::Float64
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => {
                let numbers = cast_to(array, &DataType::Float64)?;
                Ok(values(numbers.as_primitive::<Float64Type>().iter()))
            }
            DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => {
                let moments = cast_to(array, &DataType::Timestamp(TimeUnit::Millisecond, None))?;
                let moments = cast_to(&moments, &DataType::Int64)?;
                Ok(values(moments.as_primitive::<Int64Type>().iter()))
            }
            DataType::Utf8View => self.texts(array.as_string_view()),
            // UUIDs are stored like this.
            DataType::FixedSizeBinary(16) => {
                let uuid =
                    |bytes: &[u8]| uuid::Uuid::from_slice(bytes).ok().map(|id| id.to_string());
                let uuids = array.as_fixed_size_binary().iter();
                Ok(values(uuids.map(|bytes| bytes.and_then(uuid))))
            }
            _ => self.texts(cast_to(array, &DataType::Utf8View)?.as_string_view()),
        }
    }

    fn texts(&mut self, array: &StringViewArray) -> io::Result<Vec<Value<'static>>> {
        let mut texts = Vec::with_capacity(array.len());
        for text in array {
            self.take(text.map_or(0, str::len))?;
            texts.push(text.map_or(Value::Null, |text| text.to_owned().into()));
        }
        Ok(texts)
    }

    fn structs(&mut self, array: &StructArray, fields: &Fields) -> io::Result<Vec<Value<'static>>> {
        let mut objects: Vec<Object<'static>> = vec![Object::new(); array.len()];
        for (field, column) in fields.iter().zip(array.columns()) {
            for (object, value) in objects.iter_mut().zip(self.read(column)?) {
                if !value.is_null() {
                    object.insert(field.name().clone(), value);
                }
            }
        }
        let objects = objects.into_iter().enumerate();
        let there = |(at, object)| {
            if array.is_valid(at) {
                Value::Object(object)
            } else {
                Value::Null
            }
        };
        Ok(objects.map(there).collect())
    }

    fn lists(&mut self, array: &ArrayRef) -> io::Result<Vec<Value<'static>>> {
        let array = array.as_list::<i32>();
        let mut items = self.read(array.values())?;
        let offset = |at: usize| {
            let offset = array.value_offsets().get(at).copied().unwrap_or_default();
            usize::try_from(offset).unwrap_or_default()
        };
        items.truncate(offset(array.len()));
        let mut lists = Vec::with_capacity(array.len());
        // From the end, so that each list is split off.
        for at in (0..array.len()).rev() {
            let list = items.split_off(offset(at).min(items.len()));
            lists.push(if array.is_valid(at) {
                Value::Array(list)
            } else {
                Value::Null
            });
        }
        lists.reverse();
        Ok(lists)
    }
}

fn values<T: Into<Value<'static>>>(all: impl Iterator<Item = Option<T>>) -> Vec<Value<'static>> {
    all.map(|value| value.map_or(Value::Null, Into::into))
        .collect()
}

fn cast_to(array: &ArrayRef, kind: &DataType) -> io::Result<ArrayRef> {
    cast(array, kind).map_err(|error| broken(&error))
}
