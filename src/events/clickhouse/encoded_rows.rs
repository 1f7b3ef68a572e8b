//! Rows of files in `RowBinary`, as they are sent and compared.

use duckdb::arrow::{
    array::{
        ArrayAccessor, ArrayRef, AsArray, Float32Array, Float64Array, StringArray, UInt32Array,
    },
    datatypes::{Float32Type, Float64Type, Int64Type, UInt8Type, UInt32Type, UInt64Type},
    error::ArrowError,
    record_batch::RecordBatch,
};

use super::binary::{optional, text};
use crate::events::tables::{COLUMNS, Read};

/// Rows as they are sent, without their keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedRows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// The values of one column.
enum Values<'b> {
    Int(&'b [i64]),
    Hash(&'b [u64]),
    Tiny(&'b [u8]),
    Count(&'b UInt32Array),
    Float(&'b Float32Array),
    Double(&'b Float64Array),
    Text(&'b StringArray),
}

impl EncodedRows {
    /// These rows, which have today's columns.
    pub fn from_rows(rows: &RecordBatch) -> Result<Self, ArrowError> {
        let columns = COLUMNS.iter().map(|column| {
            let found = rows.column_by_name(column.name);
            found
                .and_then(|array| Values::new(array, column.read))
                .ok_or_else(|| ArrowError::SchemaError(format!("no column `{}`", column.name)))
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let mut encoded = Self::default();
        for row in 0..rows.num_rows() {
            for column in &columns {
                column.write(&mut encoded.bytes, row);
            }
            encoded.ends.push(encoded.bytes.len());
        }
        Ok(encoded)
    }

    /// The bytes of every row.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, end)| &self.bytes[start..*end])
    }
}

impl<'b> Values<'b> {
    fn new(array: &'b ArrayRef, read: Read) -> Option<Self> {
        Some(match read {
            Read::Int(_) => Self::Int(array.as_primitive_opt::<Int64Type>()?.values()),
            Read::Hash(_) => Self::Hash(array.as_primitive_opt::<UInt64Type>()?.values()),
            Read::Tiny(_) => Self::Tiny(array.as_primitive_opt::<UInt8Type>()?.values()),
            Read::Count(_) => Self::Count(array.as_primitive_opt::<UInt32Type>()?),
            Read::Float(_) => Self::Float(array.as_primitive_opt::<Float32Type>()?),
            Read::Double(_) => Self::Double(array.as_primitive_opt::<Float64Type>()?),
            Read::Text(_) => Self::Text(array.as_string_opt::<i32>()?),
        })
    }

    fn write(&self, out: &mut Vec<u8>, row: usize) {
        match *self {
            Self::Int(values) => out.extend_from_slice(&values[row].to_le_bytes()),
            Self::Hash(values) => out.extend_from_slice(&values[row].to_le_bytes()),
            Self::Tiny(values) => out.push(values[row]),
            Self::Count(values) => optional(out, value_at(values, row).map(u32::to_le_bytes)),
            Self::Float(values) => optional(out, value_at(values, row).map(f32::to_le_bytes)),
            Self::Double(values) => optional(out, value_at(values, row).map(f64::to_le_bytes)),
            Self::Text(values) => text(out, value_at(values, row)),
        }
    }
}

/// The value of a row, if it has one.
fn value_at<T: ArrayAccessor + Copy>(values: T, row: usize) -> Option<T::Item> {
    values.is_valid(row).then(|| values.value(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{
        batch,
        clickhouse::Batch,
        event::{Details, Event, Page},
    };

    #[test]
    fn a_row_of_a_file_is_sent_as_its_event_was() {
        let page = Page {
            load_time: Some(1.5),
            interactions: Some(7),
            ..Page::default()
        };
        let events = [
            Event {
                website: 7,
                visitor: u64::MAX,
                city: Some("Riga".into()),
                title: Some("x".repeat(300)),
                details: Details::Page(page),
                ..Event::default()
            },
            Event {
                city: Some(String::new()),
                details: Details::Vital { value: -0.0 },
                ..Event::default()
            },
        ];
        let encoded = EncodedRows::from_rows(&batch::columns(&events).unwrap()).unwrap();
        assert_eq!(encoded.rows().count(), 2);
        let mut sent = Batch::default();
        for (number, event) in (0..).zip(&events) {
            sent.push((0, number), event, number.into());
        }
        let mut again = Batch::default();
        again.push_encoded(&encoded, u128::from);
        let (sent, again) = (sent.finish(), again.finish());
        assert_eq!(sent.len(), again.len());
        assert_eq!(sent.bytes(), again.bytes());
    }

    #[test]
    fn rows_without_a_column_are_refused() {
        let whole = batch::columns(&[Event::default()]).unwrap();
        let some = whole.project(&[0, 1, 2]).unwrap();
        assert!(EncodedRows::from_rows(&some).is_err());
    }
}
