//! The value of the first row in time, or of the last one.

#![expect(unsafe_code, reason = "long texts lie in the arena of the run")]

use std::{cmp::Ordering, ffi::CStr, ptr::NonNull, slice};

use crate::{
    arena::{Arena, Full},
    function::{Aggregate, Chunk, Column, Kind, Results, Text},
};

/// A value that a row may have, as it is kept.
///
/// # Safety
/// It needs no drop, and is valid if all of it is 0.
pub(crate) unsafe trait Value: Copy + Default {
    const KIND: Kind;
    /// As it stands in a row.
    type Read<'c>: Copy;

    fn read<'c>(column: &Column<'c, Self::Stored>, row: usize) -> Option<Self::Read<'c>>;

    /// How columns hold it.
    type Stored: Copy + 'static;

    fn keep(read: Self::Read<'_>, arena: &Arena) -> Result<Self, Full>;

    /// Gives back what it took.
    fn leave(self, _: &Arena) {}

    fn compare(&self, read: Self::Read<'_>) -> Ordering;

    /// The same for what another state has kept.
    fn order(&self, other: &Self) -> Ordering;

    fn give(&self, results: &mut Results<'_>);
}

/// `earliest_by(value, at)`, or `latest_by(value, at)` if `LATEST`: of rows of the same time the one with the smallest or the
/// largest value. Rows without either don't count.
#[derive(Debug, Default)]
pub(crate) struct Extreme<V, const LATEST: bool> {
    at: i64,
    is_known: bool,
    value: V,
}

impl<V, const LATEST: bool> Extreme<V, LATEST> {
    /// Whether a row at this time is wanted more than the one that is kept, whose value compares so with the row's.
    fn is_beaten(&self, at: i64, kept: Ordering) -> bool {
        let wanted = if LATEST {
            Ordering::Less
        } else {
            Ordering::Greater
        };
        !self.is_known || self.at.cmp(&at).then(kept) == wanted
    }
}

// SAFETY: numbers, and values that promise the same.
unsafe impl<V: Value, const LATEST: bool> Aggregate for Extreme<V, LATEST> {
    const NAME: &'static CStr = if LATEST { c"latest_by" } else { c"earliest_by" };
    const PARAMETERS: &'static [Kind] = &[V::KIND, Kind::Whole];
    const RESULTS: &'static [(&'static CStr, Kind)] = &[(c"value", V::KIND)];

    type Input<'c> = (Column<'c, V::Stored>, Column<'c, i64>);

    fn input<'c>(chunk: &Chunk<'c>) -> Self::Input<'c> {
        (chunk.column(0), chunk.column(1))
    }

    fn add(
        &mut self,
        (values, times): &Self::Input<'_>,
        row: usize,
        arena: &Arena,
    ) -> Result<(), Full> {
        let (Some(read), Some(at)) = (V::read(values, row), times.get(row)) else {
            return Ok(());
        };
        if self.is_beaten(at, self.value.compare(read)) {
            self.value.leave(arena);
            *self = Self::default();
            self.value = V::keep(read, arena)?;
            (self.at, self.is_known) = (at, true);
        }
        Ok(())
    }

    fn merge(&mut self, other: &mut Self) -> Result<(), Full> {
        if other.is_known && self.is_beaten(other.at, self.value.order(&other.value)) {
            std::mem::swap(self, other);
        }
        Ok(())
    }

    fn finish(&mut self, results: &mut Results<'_>) -> Result<(), Full> {
        if self.is_known {
            self.value.give(results);
        } else {
            results.null(0);
        }
        Ok(())
    }
}

macro_rules! number {
    ($number:ty, $kind:ident) => {
        // SAFETY: it is a number.
        unsafe impl Value for $number {
            const KIND: Kind = Kind::$kind;
            type Read<'c> = Self;
            type Stored = Self;

            fn read(column: &Column<'_, Self>, row: usize) -> Option<Self> {
                column.get(row)
            }

            fn keep(read: Self, _: &Arena) -> Result<Self, Full> {
                Ok(read)
            }

            fn compare(&self, read: Self) -> Ordering {
                self.cmp(&read)
            }

            fn order(&self, other: &Self) -> Ordering {
                self.cmp(other)
            }

            fn give(&self, results: &mut Results<'_>) {
                results.number(0, *self);
            }
        }
    };
}

number!(u64, Id);
number!(i64, Whole);

/// Bytes of a text that need no memory of their own. Most are names, or paths of a page.
const SHORT: usize = 28;

/// A text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    length: u32,
    short: [u8; SHORT],
    /// The bytes of a longer one.
    long: Option<NonNull<u64>>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            length: 0,
            short: [0; SHORT],
            long: None,
        }
    }
}

impl Kept {
    fn bytes(&self) -> &[u8] {
        let length = self.length as usize;
        match self.long {
            // SAFETY: so many bytes were copied there, and stay in the arena.
            Some(long) => unsafe { slice::from_raw_parts(long.as_ptr().cast(), length) },
            None => self.short.get(..length).unwrap_or_default(),
        }
    }

    fn words(&self) -> usize {
        (self.length as usize)
            .div_ceil(size_of::<u64>())
            .next_power_of_two()
    }
}

// SAFETY: numbers, and a pointer that is none if it is 0.
unsafe impl Value for Kept {
    const KIND: Kind = Kind::Text;
    type Read<'c> = &'c [u8];
    type Stored = Text;

    fn read<'c>(column: &Column<'c, Text>, row: usize) -> Option<&'c [u8]> {
        column.text(row)
    }

    fn keep(read: &[u8], arena: &Arena) -> Result<Self, Full> {
        let mut kept = Self {
            length: u32::try_from(read.len()).map_err(|_| Full)?,
            ..Self::default()
        };
        if let Some(place) = kept.short.get_mut(..read.len()) {
            place.copy_from_slice(read);
            return Ok(kept);
        }
        let place = arena.take(kept.words())?;
        // SAFETY: the words have place for the bytes.
        unsafe {
            let from = NonNull::from(read).cast::<u8>();
            place.cast().copy_from_nonoverlapping(from, read.len());
        }
        kept.long = Some(place);
        Ok(kept)
    }

    fn leave(self, arena: &Arena) {
        if let Some(long) = self.long {
            arena.give_back(long, self.words());
        }
    }

    fn compare(&self, read: &[u8]) -> Ordering {
        self.bytes().cmp(read)
    }

    fn order(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }

    fn give(&self, results: &mut Results<'_>) {
        results.text(0, self.bytes());
    }
}
