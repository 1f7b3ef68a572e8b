//! Events of a segment, in its order, as rows of its extracts.

use std::{hash::BuildHasher, sync::Arc};

use duckdb::arrow::{
    array::{ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch},
    compute::filter,
    datatypes::{Int64Type, Schema},
    error::ArrowError,
    row::{RowConverter, SortField},
};
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::{
    Extract, PAGE, QUARTER,
    event_batch::EventBatch,
    figures::{self, Figures},
};
use crate::events::batch;

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
    figures: Vec<Figures>,
}

/// Columns of an extract's files.
pub(super) fn schema(extract: Extract) -> Arc<Schema> {
    let events = batch::schema();
    let shared = extract
        .shared()
        .filter_map(|name| events.field_with_name(name).ok().cloned());
    let fields = shared.chain(figures::fields(extract));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
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
        let batch = EventBatch::new(events)?;
        let rows = 0..batch.rows();
        let wanted: BooleanArray = rows.map(|row| Some(batch.counts(row))).collect();
        if wanted.true_count() == 0 {
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
        for (at, row) in wanted.values().set_indices().enumerate() {
            let (coarse, fine) = (coarse.row(at), fine.row(at));
            let figures = Figures::of(&batch, row);
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
        columns.extend(Figures::columns(&gathering.figures, extract));
        gathering.clear();
        RecordBatch::try_new(schema(extract), columns).map(Some)
    }
}

impl Gathering {
    fn add(&mut self, coarse: &[u8], fine: &[u8], figures: Figures) {
        let hash = self.hasher.hash_one((coarse, fine));
        let (keys, bytes) = (&self.keys, &self.bytes);
        let same = |&at: &usize| {
            let (from, middle, to) = keys[at];
            bytes[from..middle] == *coarse && bytes[middle..to] == *fine
        };
        if let Some(&at) = self.places.find(hash, same) {
            self.figures[at].add(&figures);
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
