//! Decides what places found together in a slot. Pure.
//!
//! Invariants:
//! - Places that are silent count neither way.
//! - Too few reports are `Unknown`, never `Down`.
//! - A decision before the end is the one at the end, whatever the places that are waited for report.

/// What the places of a slot have reported so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Votes {
    pub(crate) ups: u32,
    pub(crate) downs: u32,
    /// Places that may still report.
    pub(crate) waiting: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Up,
    Down,
    /// Too few places have reported.
    Unknown,
}

/// The decision when nothing more comes. `quorum` is how many places have to find it down; without one, more than half of
/// those that have reported.
pub(crate) fn conclude(votes: Votes, quorum: Option<u32>) -> Decision {
    let Votes { ups, downs, .. } = votes;
    let reported = ups + downs;
    let needed = quorum.unwrap_or(reported / 2 + 1).max(1);
    if reported == 0 || quorum.is_some_and(|quorum| reported < quorum) {
        Decision::Unknown
    } else if downs >= needed {
        Decision::Down
    } else {
        Decision::Up
    }
}

/// The decision as soon as nothing that may still come can change it.
pub(crate) fn decide(votes: Votes, quorum: Option<u32>) -> Option<Decision> {
    let now = conclude(votes, quorum);
    let ends = (0..=votes.waiting)
        .flat_map(|ups| (0..=votes.waiting - ups).map(move |downs| (ups, downs)));
    let mut ends = ends.map(|(ups, downs)| Votes {
        ups: votes.ups + ups,
        downs: votes.downs + downs,
        waiting: 0,
    });
    ends.all(|end| conclude(end, quorum) == now).then_some(now)
}

#[cfg(test)]
mod tests;
