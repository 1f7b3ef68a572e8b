//! Percentiles of numbers.

#![expect(unsafe_code, reason = "numbers lie in the arena of the run")]

use std::{ffi::CStr, ptr, slice};

use crate::{
    arena::{Arena, Full},
    function::{Aggregate, Chunk, Column, Kind, Lists, Results},
};

/// Percentiles that a statement may ask for at once; of more, the first ones count.
const MOST: usize = 8;
/// Numbers that a state has place for at first.
const FEWEST: usize = 8;

/// `quantiles(number, [portion, …])`: between two numbers in proportion. Rows without a number don't count.
#[derive(Debug)]
pub(crate) struct Quantiles {
    /// Numbers as they are ordered ([`ordered`]).
    numbers: *mut u64,
    length: usize,
    /// A power of two, or 0.
    capacity: usize,
    /// That of the run, which lasts longer than the run's states.
    arena: *const Arena,
    portions: [f64; MOST],
    asked: usize,
}

impl Default for Quantiles {
    fn default() -> Self {
        Self {
            numbers: ptr::null_mut(),
            length: 0,
            capacity: 0,
            arena: ptr::null(),
            portions: [0.0; MOST],
            asked: 0,
        }
    }
}

impl Quantiles {
    /// Makes room for so many numbers.
    fn grow(&mut self, length: usize, arena: &Arena) -> Result<(), Full> {
        if length <= self.capacity {
            return Ok(());
        }
        let capacity = length.next_power_of_two().max(FEWEST);
        let numbers = arena.take(capacity)?.as_ptr();
        // SAFETY: the new place has more words than there are numbers, and is not the old one.
        unsafe { ptr::copy_nonoverlapping(self.slice_mut().as_ptr(), numbers, self.length) };
        self.give_back(arena);
        (self.numbers, self.capacity, self.arena) = (numbers, capacity, arena);
        Ok(())
    }

    fn slice_mut(&mut self) -> &mut [u64] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: so many numbers were written there, which stay in the arena, and no other state has them.
        unsafe { slice::from_raw_parts_mut(self.numbers, self.length) }
    }

    fn give_back(&self, arena: &Arena) {
        if let Some(numbers) = ptr::NonNull::new(self.numbers) {
            arena.give_back(numbers, self.capacity);
        }
    }
}

/// The parameters, in order.
pub(crate) struct Rows<'c> {
    numbers: Column<'c, f64>,
    portions: Lists<'c, f64>,
}

// SAFETY: numbers, and pointers that are none if they are 0.
unsafe impl Aggregate for Quantiles {
    const NAME: &'static CStr = c"quantiles";
    const PARAMETERS: &'static [Kind] = &[Kind::Real, Kind::Reals];
    const RESULTS: &'static [(&'static CStr, Kind)] = &[(c"quantiles", Kind::Reals)];

    type Input<'c> = Rows<'c>;

    fn input<'c>(chunk: &Chunk<'c>) -> Self::Input<'c> {
        Rows {
            numbers: chunk.column(0),
            portions: chunk.lists(1),
        }
    }

    fn add(&mut self, rows: &Self::Input<'_>, row: usize, arena: &Arena) -> Result<(), Full> {
        let Some(number) = rows.numbers.get(row) else {
            return Ok(());
        };
        if self.asked == 0 {
            let portions = rows.portions.get(row).unwrap_or_default();
            for (portion, asked) in self.portions.iter_mut().zip(portions) {
                *portion = *asked;
                self.asked += 1;
            }
        }
        self.grow(self.length + 1, arena)?;
        // SAFETY: there is room for one more.
        unsafe { self.numbers.add(self.length).write(ordered(number)) };
        self.length += 1;
        Ok(())
    }

    fn merge(&mut self, other: &mut Self) -> Result<(), Full> {
        if self.length < other.length {
            std::mem::swap(self, other);
        }
        // SAFETY: it lasts as long as both.
        let Some(arena) = (unsafe { other.arena.as_ref() }) else {
            return Ok(());
        };
        self.grow(self.length + other.length, arena)?;
        // SAFETY: there is room for all of them behind the others.
        unsafe {
            let end = self.numbers.add(self.length);
            ptr::copy_nonoverlapping(other.slice_mut().as_ptr(), end, other.length);
        }
        self.length += other.length;
        other.give_back(arena);
        *other = Self::default();
        Ok(())
    }

    fn finish(&mut self, results: &mut Results<'_>) -> Result<(), Full> {
        if self.length == 0 {
            results.null(0);
            return Ok(());
        }
        let (portions, asked) = (self.portions, self.asked);
        let (numbers, mut from) = (self.slice_mut(), 0);
        let portions = portions[..asked].iter();
        results.reals(portions.map(|portion| quantile(numbers, *portion, &mut from)));
        Ok(())
    }
}

/// The number at this portion of all ([`ordered`]), of which there is at least one. They change places: those before `from` are not
/// greater than any of the others, so a larger portion is looked for among these alone.
pub(crate) fn quantile(numbers: &mut [u64], portion: f64, from: &mut usize) -> f64 {
    let place = (numbers.len() - 1) as f64 * portion.clamp(0.0, 1.0);
    let (below, part) = (place.floor() as usize, place - place.floor());
    if below < *from {
        *from = 0;
    }
    let rest = &mut numbers[*from..];
    let (_, lower, above) = rest.select_nth_unstable(below - *from);
    *from = below;
    let lower = number(*lower);
    match above.iter().min() {
        Some(upper) if part > 0.0 => lower * (1.0 - part) + number(*upper) * part,
        _ => lower,
    }
}

/// A number whose order among whole numbers is that of the number.
pub(crate) fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// The number that was [`ordered`].
fn number(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 0 {
        !ordered
    } else {
        ordered & !(1 << 63)
    })
}
