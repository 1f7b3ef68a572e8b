//! Events as columns, in the order of [`COLUMNS`].

use std::{
    borrow::Borrow,
    sync::{Arc, LazyLock},
};

use duckdb::arrow::{
    array::{
        ArrayRef, Float32Array, Float64Array, Int64Array, StringArray, UInt8Array, UInt32Array,
        UInt64Array,
    },
    datatypes::{DataType, Field, Schema},
    error::ArrowError,
    record_batch::RecordBatch,
};

use crate::events::{
    event::Event,
    tables::{COLUMNS, Read},
};

static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let fields: Vec<Field> = COLUMNS
        .iter()
        .map(|column| {
            let (kind, nullable) = match column.read {
                Read::Int(_) => (DataType::Int64, false),
                Read::Hash(_) => (DataType::UInt64, false),
                Read::Tiny(_) => (DataType::UInt8, false),
                Read::Count(_) => (DataType::UInt32, true),
                Read::Float(_) => (DataType::Float32, true),
                Read::Double(_) => (DataType::Float64, true),
                Read::Text(_) => (DataType::Utf8, true),
            };
            Field::new(column.name, kind, nullable)
        })
        .collect();
    Arc::new(Schema::new(fields))
});

/// Names and types of the columns.
pub(in crate::events) fn schema() -> Arc<Schema> {
    Arc::clone(&SCHEMA)
}

/// The columns of these events.
pub(in crate::events) fn columns<E: Borrow<Event>>(
    events: &[E],
) -> Result<RecordBatch, ArrowError> {
    let arrays = COLUMNS
        .iter()
        .map(|column| array(column.read, events.iter().map(Borrow::borrow)))
        .collect();
    RecordBatch::try_new(schema(), arrays)
}

fn array<'a>(read: Read, events: impl Iterator<Item = &'a Event>) -> ArrayRef {
    match read {
        Read::Int(get) => Arc::new(Int64Array::from_iter_values(events.map(get))),
        Read::Hash(get) => Arc::new(UInt64Array::from_iter_values(events.map(get))),
        Read::Tiny(get) => Arc::new(UInt8Array::from_iter_values(events.map(get))),
        Read::Count(get) => Arc::new(events.map(get).collect::<UInt32Array>()),
        Read::Float(get) => Arc::new(events.map(get).collect::<Float32Array>()),
        Read::Double(get) => Arc::new(events.map(get).collect::<Float64Array>()),
        Read::Text(get) => Arc::new(events.map(get).collect::<StringArray>()),
    }
}
