//! Events of a segment, in its order, as rows of its extracts.

use std::{hash::BuildHasher, sync::Arc};

use duckdb::arrow::{
    array::{
        Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    },
    compute::filter,
    datatypes::{DataType, Field, Float32Type, Int64Type, Schema, UInt8Type, UInt64Type},
    error::ArrowError,
    row::{RowConverter, SortField},
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::{Extract, FIGURES, LAST_KIND, NO_PAGE, PAGE, QUARTER};
use crate::events::{batch, column::kind, event::TIMELESS};

/// Rows that are gathered before they are written. Events of a row lie close together in a segment; those that do not
/// make a second row.
const GATHERED: usize = 16_384;

/// Turns events into rows of every extract.
pub(super) struct RowAggregator {
    /// What all extracts keep apart, and what only the finest does.
    coarse: RowConverter,
    fine: RowConverter,
    /// In the order of [`Extract::ALL`].
    open: [Gathering; 2],
}

/// Rows of one extract, in the order of their first events.
#[derive(Default)]
struct Gathering {
    hasher: RandomState,
    places: HashTable<usize>,
    /// Where each key is in `bytes`, and the length of its coarse part.
    keys: Vec<(usize, usize, usize)>,
    bytes: Vec<u8>,
    figures: Vec<SessionSums>,
}

#[derive(Debug, Clone, Copy, Default)]
struct SessionSums {
    seen: i32,
    happened: i32,
    stayed: f64,
    acted: i32,
    opened: i64,
}

impl SessionSums {
    fn add(&mut self, other: Self) {
        self.seen += other.seen;
        self.happened += other.happened;
        self.stayed += other.stayed;
        self.acted += other.acted;
        self.opened = self.opened.min(other.opened);
    }
}

/// Columns of an extract's files.
pub(super) fn schema(extract: Extract) -> Arc<Schema> {
    let events = batch::schema();
    let shared = extract
        .shared()
        .filter_map(|name| events.field_with_name(name).ok().cloned());
    let figures = FIGURES.iter().map(|(name, _)| {
        let kind = match *name {
            "stayed" => DataType::Float64,
            "opened" => DataType::Int64,
            _ => DataType::Int32,
        };
        Field::new(*name, kind, false)
    });
    Arc::new(Schema::new(shared.chain(figures).collect::<Vec<_>>()))
}

impl RowAggregator {
    pub(super) fn new() -> Result<Self, ArrowError> {
        let events = batch::schema();
        let fields = |names: &mut dyn Iterator<Item = &'static str>| {
            let kinds = names.map(|name| {
                let field = events.field_with_name(name)?;
                Ok(SortField::new(field.data_type().clone()))
            });
            RowConverter::new(kinds.collect::<Result<_, ArrowError>>()?)
        };
        Ok(Self {
            coarse: fields(&mut Extract::Visits.shared())?,
            fine: fields(&mut [PAGE].into_iter())?,
            open: Default::default(),
        })
    }

    pub(super) fn add(&mut self, events: &RecordBatch) -> Result<(), ArrowError> {
        let (wanted, figures) = counted(events)?;
        if figures.is_empty() {
            return Ok(());
        }
        let column = |name: &str| -> Result<ArrayRef, ArrowError> {
            let column = events.column_by_name(name);
            let column = column.ok_or_else(|| ArrowError::SchemaError(name.to_owned()))?;
            let column = filter(column, &wanted)?;
            if name != "time" {
                return Ok(column);
            }
            let times = column.as_primitive::<Int64Type>().values().iter();
            Ok(Arc::new(Int64Array::from_iter_values(
                times.map(|time| time - time.rem_euclid(QUARTER)),
            )))
        };
        let columns: Result<Vec<_>, _> = Extract::Visits.shared().map(column).collect();
        let coarse = self.coarse.convert_columns(&columns?)?;
        let fine = self.fine.convert_columns(&[column(PAGE)?])?;
        let [visits, pages] = &mut self.open;
        for (row, figures) in figures.into_iter().enumerate() {
            let (coarse, fine) = (coarse.row(row), fine.row(row));
            visits.add(coarse.as_ref(), &[], figures);
            pages.add(coarse.as_ref(), fine.as_ref(), figures);
        }
        Ok(())
    }

    /// Rows of an extract that should be written now: those that were gathered, if they are many or `all` are wanted.
    pub(super) fn take(
        &mut self,
        extract: Extract,
        all: bool,
    ) -> Result<Option<RecordBatch>, ArrowError> {
        let [visits, pages] = &mut self.open;
        let gathering = match extract {
            Extract::Visits => visits,
            Extract::Pages => pages,
        };
        let rows = gathering.figures.len();
        if rows == 0 || rows < GATHERED && !all {
            return Ok(None);
        }
        let (parser, finer) = (self.coarse.parser(), self.fine.parser());
        let key = |&(from, middle, to): &(usize, usize, usize)| {
            (&gathering.bytes[from..middle], &gathering.bytes[middle..to])
        };
        let keys = || gathering.keys.iter().map(key);
        let mut columns =
            (self.coarse).convert_rows(keys().map(|(coarse, _)| parser.parse(coarse)))?;
        if extract == Extract::Pages {
            let pages = (self.fine).convert_rows(keys().map(|(_, fine)| finer.parse(fine)))?;
            columns.extend(pages);
        }
        let whole = |of: fn(&SessionSums) -> i32| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values(
                gathering.figures.iter().map(of),
            ))
        };
        let stayed = gathering.figures.iter().map(|figures| figures.stayed);
        columns.push(whole(|figures| figures.seen));
        columns.push(whole(|figures| figures.happened));
        columns.push(Arc::new(Float64Array::from_iter_values(stayed)));
        columns.push(whole(|figures| figures.acted));
        let opened = gathering.figures.iter().map(|figures| figures.opened);
        columns.push(Arc::new(Int64Array::from_iter_values(opened)));
        gathering.clear();
        RecordBatch::try_new(schema(extract), columns).map(Some)
    }
}

impl Gathering {
    fn add(&mut self, coarse: &[u8], fine: &[u8], figures: SessionSums) {
        let hash = self.hasher.hash_one((coarse, fine));
        let (keys, bytes) = (&self.keys, &self.bytes);
        let same = |&at: &usize| {
            let (from, middle, to) = keys[at];
            bytes[from..middle] == *coarse && bytes[middle..to] == *fine
        };
        if let Some(&at) = self.places.find(hash, same) {
            self.figures[at].add(figures);
            return;
        }
        let (from, at) = (self.bytes.len(), self.figures.len());
        self.bytes.extend_from_slice(coarse);
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(fine);
        self.keys.push((from, middle, self.bytes.len()));
        self.figures.push(figures);
        let (keys, bytes, hasher) = (&self.keys, &self.bytes, &self.hasher);
        self.places.insert_unique(hash, at, |&at| {
            let (from, middle, to) = keys[at];
            hasher.hash_one((&bytes[from..middle], &bytes[middle..to]))
        });
    }

    fn clear(&mut self) {
        self.places.clear();
        self.keys.clear();
        self.bytes.clear();
        self.figures.clear();
    }
}

/// Which events count, and what each of them says.
fn counted(events: &RecordBatch) -> Result<(BooleanArray, Vec<SessionSums>), ArrowError> {
    let missing = || ArrowError::SchemaError("these are no events".to_owned());
    let column = |name: &str| events.column_by_name(name).ok_or_else(missing);
    let kinds = column("kind")?;
    let kinds = kinds.as_primitive_opt::<UInt8Type>().ok_or_else(missing)?;
    let times = column("time")?;
    let times = times.as_primitive_opt::<Int64Type>().ok_or_else(missing)?;
    let names = column("name")?.as_string_opt::<i32>().ok_or_else(missing)?;
    let spent = column("time_on_page")?;
    let spent = spent
        .as_primitive_opt::<Float32Type>()
        .ok_or_else(missing)?;
    let sessions = column("session")?;
    let sessions = sessions
        .as_primitive_opt::<UInt64Type>()
        .ok_or_else(missing)?;
    let of_visits = |row: usize| i64::from(kinds.value(row)) <= LAST_KIND;
    let counts =
        |row: usize| times.value(row) > TIMELESS && (of_visits(row) || sessions.value(row) != 0);
    let mut figures = Vec::new();
    for row in (0..events.num_rows()).filter(|row| counts(*row)) {
        let name = if names.is_null(row) {
            ""
        } else {
            names.value(row)
        };
        let page = i64::from(kinds.value(row)) == kind::PAGE;
        let (seen, left) = (page && name == "screen_view", page && name == "page_exit");
        let stayed = if left && spent.is_valid(row) {
            spent.value(row)
        } else {
            0.0
        };
        figures.push(SessionSums {
            seen: i32::from(seen),
            happened: i32::from(of_visits(row)),
            stayed: f64::from(stayed).max(0.0),
            acted: i32::from(of_visits(row) && !seen && !left),
            opened: times.value(row) + if page { 0 } else { NO_PAGE },
        });
    }
    let wanted = (0..events.num_rows()).map(|row| Some(counts(row)));
    Ok((wanted.collect(), figures))
}
