//! How many different ids there are.

#![expect(
    unsafe_code,
    reason = "entries and states promise what they consist of"
)]

use std::ffi::CStr;

use crate::{
    arena::{Arena, Full},
    function::{Aggregate, Chunk, Column, Kind, Results},
    table::{Entry, Table},
};

/// An id by itself.
#[derive(Debug, Clone, Copy)]
struct Id(u64);

// SAFETY: it is a word.
unsafe impl Entry for Id {
    fn id(&self) -> u64 {
        self.0
    }

    fn add(&mut self, _: &Self) {}
}

/// `distinct_ids(id)`
#[derive(Debug, Default)]
pub(crate) struct DistinctIds(Table<Id>);

// SAFETY: it is a table.
unsafe impl Aggregate for DistinctIds {
    const NAME: &'static CStr = c"distinct_ids";
    const PARAMETERS: &'static [Kind] = &[Kind::Id];
    const RESULTS: &'static [(&'static CStr, Kind)] = &[(c"ids", Kind::Whole)];

    type Input<'c> = Column<'c, u64>;

    fn input<'c>(chunk: &Chunk<'c>) -> Self::Input<'c> {
        chunk.column(0)
    }

    fn add(&mut self, ids: &Self::Input<'_>, row: usize, arena: &Arena) -> Result<(), Full> {
        match ids.get(row) {
            None | Some(0) => Ok(()),
            Some(id) => self.0.add(Id(id), arena),
        }
    }

    fn merge(&mut self, other: &mut Self) -> Result<(), Full> {
        self.0.merge(&mut other.0)
    }

    fn finish(&mut self, results: &mut Results<'_>) -> Result<(), Full> {
        results.number(0, self.0.ids() as i64);
        Ok(())
    }
}
