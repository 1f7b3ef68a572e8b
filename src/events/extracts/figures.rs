//! What rows of extracts say of their events: sums, and the earliest time.

use std::sync::Arc;

use duckdb::arrow::{
    array::{ArrayRef, Float64Array, Int32Array, Int64Array},
    datatypes::{DataType, Field},
};

use super::{Extract, NO_PAGE, event_batch::EventBatch};
use crate::events::words::Words;

/// A sum over the events of a row.
pub(super) struct Figure {
    pub(super) name: &'static str,
    /// The first version of extracts that has it ([`VERSION`]).
    since: u32,
    /// The coarsest extract that has it.
    from: Extract,
    of: Said,
    number: Number,
}

/// Something that some events say.
#[derive(Clone, Copy)]
struct Said {
    /// Which events, over the event table.
    rows: &'static str,
    /// The column that says it; nothing for what is only counted.
    column: &'static str,
    /// The same of an event in a batch.
    read: Reader,
}

#[derive(Clone, Copy)]
enum Reader {
    /// Whether the event is one of them.
    Counted(fn(&EventBatch, usize) -> bool),
    Value(fn(&EventBatch, usize) -> Option<f64>),
}

/// What is summed up, and how it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    /// So many events said it.
    Count,
    Whole,
    Real,
}

/// Version of the extracts that are written: the newest `since`.
pub const VERSION: u32 = 2;
const FIRST: u32 = 1;
/// How many figures there are.
const FIGURES: usize = 13;
/// The time of the first page event, later than any time if there is none: by it the first of a session's rows is found.
const OPENED: &str = "opened";

const VIEW: Said = counted("kind = 1 AND name = 'screen_view'", |events, row| {
    events.is_view(row)
});
const OF_A_VISIT: Said = counted("kind <= 3", EventBatch::is_of_a_visit);
const ACT: Said = counted(
    "(kind IN (2, 3) OR kind = 1 AND name NOT IN ('screen_view', 'page_exit'))",
    |events, row| events.is_of_a_visit(row) && !events.is_view(row) && !events.is_exit(row),
);
/// Seconds on a page that was left.
const STAY: Said = Said {
    rows: "kind = 1 AND name = 'page_exit' AND time_on_page > 0",
    column: "time_on_page",
    read: Reader::Value(EventBatch::time_on_page),
};
/// How far a page that was left was scrolled, %.
const SCROLL: Said = Said {
    rows: "kind = 1 AND name = 'page_exit' AND scroll_depth > 0",
    column: "scroll_depth",
    read: Reader::Value(EventBatch::scroll_depth),
};
/// Interactions with a page.
const INTERACTIONS: Said = Said {
    rows: "kind = 1 AND name IN ('screen_view', 'page_exit') AND interactions IS NOT NULL",
    column: "interactions",
    read: Reader::Value(EventBatch::interactions),
};
/// Milliseconds until a page was loaded.
const LOAD: Said = Said {
    rows: "kind = 1 AND name IN ('screen_view', 'page_exit') AND load_time > 0",
    column: "load_time",
    read: Reader::Value(EventBatch::load_time),
};
/// Milliseconds until the first byte of a page.
const FIRST_BYTE: Said = Said {
    rows: "kind = 1 AND name IN ('screen_view', 'page_exit') AND ttfb > 0",
    column: "ttfb",
    read: Reader::Value(EventBatch::first_byte),
};

/// The sums, in the order of their columns. What was added stands behind what was there.
static SUMS: [Figure; FIGURES] = [
    figure("seen", VIEW, Number::Count),
    figure("happened", OF_A_VISIT, Number::Count),
    figure("stayed", STAY, Number::Real),
    figure("acted", ACT, Number::Count),
    figure("scroll_count", SCROLL, Number::Count).since(2),
    figure("scroll_sum", SCROLL, Number::Real).since(2),
    figure("interaction_count", INTERACTIONS, Number::Count).since(2),
    figure("interaction_sum", INTERACTIONS, Number::Whole).since(2),
    figure("stay_count", STAY, Number::Count)
        .since(2)
        .of_pages(),
    figure("load_count", LOAD, Number::Count)
        .since(2)
        .of_pages(),
    figure("load_sum", LOAD, Number::Real).since(2).of_pages(),
    figure("first_byte_count", FIRST_BYTE, Number::Count)
        .since(2)
        .of_pages(),
    figure("first_byte_sum", FIRST_BYTE, Number::Real)
        .since(2)
        .of_pages(),
];

const fn counted(rows: &'static str, is_one: fn(&EventBatch, usize) -> bool) -> Said {
    Said {
        rows,
        column: "",
        read: Reader::Counted(is_one),
    }
}

const fn figure(name: &'static str, of: Said, number: Number) -> Figure {
    Figure {
        name,
        since: FIRST,
        from: Extract::Visits,
        of,
        number,
    }
}

impl Figure {
    const fn since(self, since: u32) -> Self {
        Self { since, ..self }
    }

    const fn of_pages(self) -> Self {
        Self {
            from: Extract::Pages,
            ..self
        }
    }

    /// What a single event says.
    fn event_sql(&self) -> String {
        let (value, number) = match self.number {
            Number::Count => ("1", "INTEGER"),
            Number::Whole => (self.of.column, "BIGINT"),
            Number::Real => (self.of.column, "DOUBLE"),
        };
        let (rows, name) = (self.of.rows, self.name);
        format!("CAST(CASE WHEN {rows} THEN {value} ELSE 0 END AS {number}) AS {name}")
    }

    fn of_event(&self, events: &EventBatch, row: usize) -> f64 {
        let said = match self.of.read {
            Reader::Counted(is_one) => is_one(events, row).then_some(1.0),
            Reader::Value(value) => value(events, row),
        };
        match said {
            Some(_) if self.number == Number::Count => 1.0,
            said => said.unwrap_or_default(),
        }
    }

    fn field(&self) -> Field {
        let kind = match self.number {
            Number::Count => DataType::Int32,
            Number::Whole => DataType::Int64,
            Number::Real => DataType::Float64,
        };
        Field::new(self.name, kind, false)
    }

    fn column(&self, sums: impl Iterator<Item = f64>) -> ArrayRef {
        match self.number {
            Number::Count => Arc::new(Int32Array::from_iter_values(sums.map(|sum| sum as i32))),
            Number::Whole => Arc::new(Int64Array::from_iter_values(sums.map(|sum| sum as i64))),
            Number::Real => Arc::new(Float64Array::from_iter_values(sums)),
        }
    }
}

/// The sums that this version of an extract has.
fn sums(extract: Extract, version: u32) -> impl Iterator<Item = (usize, &'static Figure)> {
    let has = move |figure: &Figure| figure.since <= version && figure.from <= extract;
    SUMS.iter().enumerate().filter(move |(_, sum)| has(sum))
}

/// The columns of the figures, as names to select.
pub(super) fn names(extract: Extract, version: u32) -> impl Iterator<Item = &'static str> {
    let sums = sums(extract, version).map(|(_, sum)| sum.name);
    std::iter::once(OPENED).chain(sums)
}

/// What a single event says, as columns to select: the figures that these words name.
pub(super) fn event_columns(extract: Extract, words: &Words<'_>) -> impl Iterator<Item = String> {
    let opened = || format!("CASE WHEN kind = 1 THEN time ELSE time + {NO_PAGE} END AS {OPENED}");
    let sums = sums(extract, VERSION).filter(|(_, sum)| words.has(sum.name));
    let opened = words.has(OPENED).then(opened);
    opened
        .into_iter()
        .chain(sums.map(|(_, sum)| sum.event_sql()))
}

/// The fields of the figures in files that are written.
pub(super) fn fields(extract: Extract) -> impl Iterator<Item = Field> {
    let opened = Field::new(OPENED, DataType::Int64, false);
    let sums = sums(extract, VERSION).map(|(_, sum)| sum.field());
    std::iter::once(opened).chain(sums)
}

/// The version of an extract that has the figures that these words name.
pub(super) fn version_for(extract: Extract, words: &Words<'_>) -> u32 {
    let named = sums(extract, VERSION).filter(|(_, sum)| words.has(sum.name));
    named.map(|(_, sum)| sum.since).max().unwrap_or(FIRST)
}

/// The figures of a row.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    sums: [f64; FIGURES],
    opened: i64,
}

impl Figures {
    /// What one event says.
    pub(super) fn of(events: &EventBatch, row: usize) -> Self {
        let time = events.time(row);
        Self {
            sums: SUMS.each_ref().map(|sum| sum.of_event(events, row)),
            opened: if events.is_page(row) {
                time
            } else {
                time + NO_PAGE
            },
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
        self.opened = self.opened.min(other.opened);
    }

    /// The columns of rows with these figures, in the order of [`fields`].
    pub(super) fn columns(rows: &[Self], extract: Extract) -> impl Iterator<Item = ArrayRef> {
        let opened = Int64Array::from_iter_values(rows.iter().map(|row| row.opened));
        let sums = sums(extract, VERSION)
            .map(|(at, sum)| sum.column(rows.iter().map(move |row| row.sums[at])));
        std::iter::once(Arc::new(opened) as ArrayRef).chain(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::tables::COLUMNS;

    #[test]
    fn figures_are_called_like_no_column_of_events() {
        for name in names(Extract::Pages, VERSION) {
            assert!(COLUMNS.iter().all(|column| column.name != name), "{name}");
        }
    }

    #[test]
    fn the_version_that_is_written_is_the_newest_figures() {
        let newest = SUMS.iter().map(|sum| sum.since).max();
        assert_eq!(newest, Some(VERSION));
    }
}
