//! Events as columns, in the order of [`COLUMNS`].

use std::{
    borrow::Borrow,
    sync::{Arc, LazyLock},
};

use duckdb::arrow::{
    array::{
        ArrayRef, AsArray as _, Float32Builder, Float64Builder, Int64Array, Int64Builder,
        StringBuilder, UInt8Array, UInt8Builder, UInt32Builder, UInt64Array, UInt64Builder,
        new_null_array,
    },
    datatypes::{DataType, Field, Int64Type, Schema},
    error::ArrowError,
    record_batch::RecordBatch,
};

use crate::events::{
    event::Event,
    tables::{COLUMNS, Read},
};

/// Events that fit into a core's cache together.
const AT_HAND: usize = 128;

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

/// Rows of a file of an earlier version of the table, with the columns of today.
pub(in crate::events) fn completed(rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let arrays = SCHEMA.fields().iter().map(|field| {
        let known = rows.column_by_name(field.name()).map(Arc::clone);
        known.unwrap_or_else(|| stand_in(field, rows.num_rows()))
    });
    RecordBatch::try_new(schema(), arrays.collect())
}

/// What a column holds in rows that were written before there was such a column: null, or 0 where that cannot be.
fn stand_in(field: &Field, rows: usize) -> ArrayRef {
    match field.data_type() {
        DataType::Int64 => Arc::new(Int64Array::from(vec![0; rows])),
        DataType::UInt64 => Arc::new(UInt64Array::from(vec![0; rows])),
        DataType::UInt8 => Arc::new(UInt8Array::from(vec![0; rows])),
        nullable => new_null_array(nullable, rows),
    }
}

/// The columns of these events.
///
/// Events are far apart in memory and wide: every column takes its values of a few of them while they are at hand,
/// instead of each column passing through all of them.
pub(in crate::events) fn columns<E: Borrow<Event>>(
    events: &[E],
) -> Result<RecordBatch, ArrowError> {
    let mut builders: Vec<Builder> = COLUMNS
        .iter()
        .map(|column| Builder::new(column.read, events.len()))
        .collect();
    for some in events.chunks(AT_HAND) {
        for builder in &mut builders {
            builder.extend(some.iter().map(Borrow::borrow));
        }
    }
    let arrays = builders.into_iter().map(Builder::finish).collect();
    RecordBatch::try_new(schema(), arrays)
}

/// One column in the making, with how its values are read.
enum Builder {
    Int(fn(&Event) -> i64, Int64Builder),
    Hash(fn(&Event) -> u64, UInt64Builder),
    Tiny(fn(&Event) -> u8, UInt8Builder),
    Count(fn(&Event) -> Option<u32>, UInt32Builder),
    Float(fn(&Event) -> Option<f32>, Float32Builder),
    Double(fn(&Event) -> Option<f64>, Float64Builder),
    Text(fn(&Event) -> Option<&str>, StringBuilder),
}

impl Builder {
    fn new(read: Read, rows: usize) -> Self {
        match read {
            Read::Int(get) => Self::Int(get, Int64Builder::with_capacity(rows)),
            Read::Hash(get) => Self::Hash(get, UInt64Builder::with_capacity(rows)),
            Read::Tiny(get) => Self::Tiny(get, UInt8Builder::with_capacity(rows)),
            Read::Count(get) => Self::Count(get, UInt32Builder::with_capacity(rows)),
            Read::Float(get) => Self::Float(get, Float32Builder::with_capacity(rows)),
            Read::Double(get) => Self::Double(get, Float64Builder::with_capacity(rows)),
            Read::Text(get) => Self::Text(get, StringBuilder::with_capacity(rows, 0)),
        }
    }

    fn extend<'a>(&mut self, events: impl Iterator<Item = &'a Event>) {
        match self {
            Self::Int(get, to) => events.for_each(|event| to.append_value(get(event))),
            Self::Hash(get, to) => events.for_each(|event| to.append_value(get(event))),
            Self::Tiny(get, to) => events.for_each(|event| to.append_value(get(event))),
            Self::Count(get, to) => events.for_each(|event| to.append_option(get(event))),
            Self::Float(get, to) => events.for_each(|event| to.append_option(get(event))),
            Self::Double(get, to) => events.for_each(|event| to.append_option(get(event))),
            Self::Text(get, to) => events.for_each(|event| to.append_option(get(event))),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Int(_, mut made) => Arc::new(made.finish()),
            Self::Hash(_, mut made) => Arc::new(made.finish()),
            Self::Tiny(_, mut made) => Arc::new(made.finish()),
            Self::Count(_, mut made) => Arc::new(made.finish()),
            Self::Float(_, mut made) => Arc::new(made.finish()),
            Self::Double(_, mut made) => Arc::new(made.finish()),
            Self::Text(_, mut made) => Arc::new(made.finish()),
        }
    }
}

/// The values of a column of whole numbers.
pub(in crate::events) fn numbers(batch: &RecordBatch, column: &str) -> Int64Array {
    let array = batch
        .column_by_name(column)
        .and_then(|array| array.as_primitive_opt::<Int64Type>());
    array
        .cloned()
        .unwrap_or_else(|| Int64Array::from(vec![0; batch.num_rows()]))
}

#[cfg(test)]
mod tests {
    use duckdb::arrow::{
        array::AsArray,
        datatypes::{Int64Type, UInt8Type, UInt64Type},
        record_batch::RecordBatchOptions,
    };

    use super::*;

    #[test]
    fn columns_that_a_file_lacks_are_null_or_zero() {
        let event = Event {
            website: 7,
            visitor: 9,
            city: Some("Riga".into()),
            ..Event::default()
        };
        let whole = columns(&[event]).unwrap();
        assert_eq!(completed(&whole).unwrap(), whole);
        let all = whole.schema();
        let kept = |name: &String| !["visitor", "city", "bot", "value"].contains(&name.as_str());
        let kept: Vec<usize> = (0..all.fields().len())
            .filter(|at| kept(all.field(*at).name()))
            .collect();
        let rows = completed(&whole.project(&kept).unwrap()).unwrap();
        assert_eq!(rows.schema(), all);
        let numbers = |name| rows.column_by_name(name).unwrap();
        assert_eq!(numbers("website").as_primitive::<Int64Type>().value(0), 7);
        assert_eq!(numbers("visitor").as_primitive::<UInt64Type>().value(0), 0);
        assert_eq!(numbers("bot").as_primitive::<UInt8Type>().value(0), 0);
        assert!(numbers("city").is_null(0) && numbers("value").is_null(0));
        let none = RecordBatch::try_new_with_options(
            Arc::new(Schema::empty()),
            vec![],
            &RecordBatchOptions::new().with_row_count(Some(3)),
        );
        assert_eq!(completed(&none.unwrap()).unwrap().num_rows(), 3);
    }
}
