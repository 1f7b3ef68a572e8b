//! How many sessions there are, and what they are like.

#![expect(
    unsafe_code,
    reason = "entries and states promise what they consist of"
)]

use std::{ffi::CStr, slice};

use crate::{
    arena::{Arena, Full},
    function::{Aggregate, Chunk, Column, Kind, Results},
    quantiles::{ordered, quantile},
    table::{Entry, Table},
};

/// A session that takes less, in seconds, may be a bounce.
const BRIEF: f64 = 10.0;

#[derive(Debug, Clone, Copy)]
struct Sums {
    session: u64,
    seconds: f64,
    views: i32,
    actions: i32,
}

// SAFETY: it is three words of numbers.
unsafe impl Entry for Sums {
    fn id(&self) -> u64 {
        self.session
    }

    fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.views = self.views.saturating_add(other.views);
        self.actions = self.actions.saturating_add(other.actions);
    }
}

impl Sums {
    fn is_bounce(&self) -> bool {
        self.views == 1 && self.actions == 0 && self.seconds < BRIEF
    }
}

/// `session_sums(session, views, seconds, actions)`
#[derive(Debug, Default)]
pub(crate) struct SessionSums(Table<Sums>);

/// The parameters, in order.
pub(crate) struct Rows<'c> {
    sessions: Column<'c, u64>,
    views: Column<'c, i32>,
    seconds: Column<'c, f64>,
    actions: Column<'c, i32>,
}

impl Rows<'_> {
    fn get(&self, row: usize) -> Option<Sums> {
        Some(Sums {
            session: self.sessions.get(row).filter(|session| *session != 0)?,
            views: self.views.get(row)?,
            seconds: self.seconds.get(row)?,
            actions: self.actions.get(row)?,
        })
    }
}

// SAFETY: it is a table.
unsafe impl Aggregate for SessionSums {
    const NAME: &'static CStr = c"session_sums";
    const PARAMETERS: &'static [Kind] = &[Kind::Id, Kind::Count, Kind::Real, Kind::Count];
    const RESULTS: &'static [(&'static CStr, Kind)] = &[
        (c"sessions", Kind::Whole),
        (c"bounces", Kind::Whole),
        (c"median_duration", Kind::Real),
        (c"mean_duration", Kind::Real),
    ];

    type Input<'c> = Rows<'c>;

    fn input<'c>(chunk: &Chunk<'c>) -> Self::Input<'c> {
        Rows {
            sessions: chunk.column(0),
            views: chunk.column(1),
            seconds: chunk.column(2),
            actions: chunk.column(3),
        }
    }

    fn add(&mut self, rows: &Self::Input<'_>, row: usize, arena: &Arena) -> Result<(), Full> {
        match rows.get(row) {
            None => Ok(()),
            Some(sums) => self.0.add(sums, arena),
        }
    }

    fn merge(&mut self, other: &mut Self) -> Result<(), Full> {
        self.0.merge(&mut other.0)
    }

    fn finish(&mut self, results: &mut Results<'_>) -> Result<(), Full> {
        let seen = || self.0.entries().filter(|sums| sums.views > 0);
        let sessions = seen().count();
        results.number(0, sessions as i64);
        results.number(1, seen().filter(|sums| sums.is_bounce()).count() as i64);
        let (Some(arena), 1..) = (self.0.arena(), sessions) else {
            results.null(2);
            results.null(3);
            return Ok(());
        };
        let words = sessions.next_power_of_two();
        let place = arena.take(words)?;
        // SAFETY: there are at least so many words, all 0.
        let durations = unsafe { slice::from_raw_parts_mut(place.as_ptr(), sessions) };
        let mut total = 0.0;
        for (duration, sums) in durations.iter_mut().zip(seen()) {
            *duration = ordered(sums.seconds);
            total += sums.seconds;
        }
        results.number(2, quantile(durations, 0.5, &mut 0));
        results.number(3, total / sessions as f64);
        arena.give_back(place, words);
        Ok(())
    }
}
