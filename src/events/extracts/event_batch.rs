//! A batch of events as figures are made of them.

use duckdb::arrow::{
    array::{Array, ArrayRef, AsArray, PrimitiveArray, RecordBatch, StringArray},
    datatypes::{ArrowPrimitiveType, Float32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type},
    error::ArrowError,
};

use super::LAST_KIND;
use crate::events::{column::kind, event::TIMELESS};

pub(super) struct EventBatch {
    kinds: PrimitiveArray<UInt8Type>,
    times: PrimitiveArray<Int64Type>,
    names: StringArray,
    sessions: PrimitiveArray<UInt64Type>,
    times_on_page: PrimitiveArray<Float32Type>,
    scroll_depths: PrimitiveArray<Float32Type>,
    interactions: PrimitiveArray<UInt32Type>,
    load_times: PrimitiveArray<Float32Type>,
    first_bytes: PrimitiveArray<Float32Type>,
}

impl EventBatch {
    pub(super) fn new(events: &RecordBatch) -> Result<Self, ArrowError> {
        let names = column(events, "name")?.as_string_opt().cloned();
        Ok(Self {
            kinds: numbers(events, "kind")?,
            times: numbers(events, "time")?,
            names: names.ok_or_else(|| missing("name"))?,
            sessions: numbers(events, "session")?,
            times_on_page: numbers(events, "time_on_page")?,
            scroll_depths: numbers(events, "scroll_depth")?,
            interactions: numbers(events, "interactions")?,
            load_times: numbers(events, "load_time")?,
            first_bytes: numbers(events, "ttfb")?,
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.kinds.len()
    }

    /// Unix ms.
    pub(super) fn time(&self, row: usize) -> i64 {
        self.times.value(row)
    }

    /// Whether extracts say something of an event.
    pub(super) fn counts(&self, row: usize) -> bool {
        self.time(row) > TIMELESS && (self.is_of_a_visit(row) || self.sessions.value(row) != 0)
    }

    pub(super) fn is_of_a_visit(&self, row: usize) -> bool {
        i64::from(self.kinds.value(row)) <= LAST_KIND
    }

    pub(super) fn is_page(&self, row: usize) -> bool {
        i64::from(self.kinds.value(row)) == kind::PAGE
    }

    pub(super) fn is_view(&self, row: usize) -> bool {
        self.is_page(row) && self.is_called(row, "screen_view")
    }

    pub(super) fn is_exit(&self, row: usize) -> bool {
        self.is_page(row) && self.is_called(row, "page_exit")
    }

    fn is_called(&self, row: usize, name: &str) -> bool {
        self.names.is_valid(row) && self.names.value(row) == name
    }

    fn is_view_or_exit(&self, row: usize) -> bool {
        self.is_view(row) || self.is_exit(row)
    }

    pub(super) fn time_on_page(&self, row: usize) -> Option<f64> {
        positive(&self.times_on_page, row).filter(|_| self.is_exit(row))
    }

    pub(super) fn scroll_depth(&self, row: usize) -> Option<f64> {
        positive(&self.scroll_depths, row).filter(|_| self.is_exit(row))
    }

    pub(super) fn interactions(&self, row: usize) -> Option<f64> {
        let known = self.interactions.is_valid(row) && self.is_view_or_exit(row);
        known.then(|| f64::from(self.interactions.value(row)))
    }

    pub(super) fn load_time(&self, row: usize) -> Option<f64> {
        positive(&self.load_times, row).filter(|_| self.is_view_or_exit(row))
    }

    pub(super) fn first_byte(&self, row: usize) -> Option<f64> {
        positive(&self.first_bytes, row).filter(|_| self.is_view_or_exit(row))
    }
}

fn positive(column: &PrimitiveArray<Float32Type>, row: usize) -> Option<f64> {
    let value = column.is_valid(row).then(|| column.value(row))?;
    (value > 0.0).then(|| f64::from(value))
}

fn column<'b>(events: &'b RecordBatch, name: &str) -> Result<&'b ArrayRef, ArrowError> {
    events.column_by_name(name).ok_or_else(|| missing(name))
}

fn numbers<T: ArrowPrimitiveType>(
    events: &RecordBatch,
    name: &str,
) -> Result<PrimitiveArray<T>, ArrowError> {
    let numbers = column(events, name)?.as_primitive_opt().cloned();
    numbers.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("these are no events: they have no such `{name}`"))
}
