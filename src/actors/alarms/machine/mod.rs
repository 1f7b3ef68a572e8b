//! When an alarm goes off, ends, and tells people: pure functions of what was known before, a reading, and the rules.
//!
//! Two things are kept apart: what *is* ([`step`]: quiet, pending, firing, recovering), and what people *know*
//! ([`Standing::told`]). What is owed to people ([`owed`]) is the difference of the two, so that a mute window, a restart or a
//! group that waits can delay a message, but never lose, double or turn one around.

use serde::{Deserialize, Serialize};

/// What was just seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The condition holds.
    Breach,
    /// It holds no more, and the value is beyond the threshold of recovery.
    Clear,
    /// Between the two thresholds: nothing begins, nothing ends.
    Between,
    /// Nothing is known at this moment.
    Unknown,
}

/// How an alarm stands about one thing.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AlarmPhase")]
pub enum Phase {
    /// All is well.
    #[default]
    Quiet,
    /// The condition holds, not for long enough yet.
    Pending,
    /// It goes off.
    Firing,
    /// It goes off still, while the condition holds no more.
    Recovering,
}

impl Phase {
    pub const fn is_firing(self) -> bool {
        matches!(self, Self::Firing | Self::Recovering)
    }
}

/// Everything that is known. Times are Unix milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Standing {
    pub(super) phase: Phase,
    /// Since when.
    pub(super) since_ms: i64,
    /// When it began to go off, the last time.
    pub(super) fired_ms: i64,
    /// Whether people believe that it goes off.
    pub(super) told: bool,
    /// When they were told the last time.
    pub(super) told_ms: i64,
    /// Since when something is owed to them.
    pub(super) owed_ms: Option<i64>,
    /// Whether somebody has taken care of it, so that it is not repeated.
    pub(super) acknowledged: bool,
}

/// The rules of an alarm, milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timing {
    /// For how long the condition has to hold.
    pub(super) hold: i64,
    /// For how long it has to be over.
    pub(super) recover: i64,
    /// After how long people are told again; 0 = never.
    pub(super) repeat: i64,
}

/// What people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// It goes off.
    Fired,
    /// It still does.
    Repeated,
    /// It is over.
    Resolved,
}

/// What follows from a reading. What people know stays as it is.
pub(super) fn step(before: Standing, at_ms: i64, reading: Reading, timing: Timing) -> Standing {
    let entered = |phase: Phase, since_ms: i64| Standing {
        phase,
        since_ms,
        ..before
    };
    let fired = Standing {
        fired_ms: at_ms,
        acknowledged: false,
        ..entered(Phase::Firing, at_ms)
    };
    let lasted = at_ms.saturating_sub(before.since_ms);
    match (before.phase, reading) {
        (Phase::Quiet, Reading::Breach) if timing.hold > 0 => entered(Phase::Pending, at_ms),
        (Phase::Quiet, Reading::Breach) => fired,
        (Phase::Pending, Reading::Breach) if lasted >= timing.hold => fired,
        (Phase::Firing, Reading::Clear) if timing.recover > 0 => entered(Phase::Recovering, at_ms),
        (Phase::Pending, Reading::Clear | Reading::Between) | (Phase::Firing, Reading::Clear) => {
            entered(Phase::Quiet, at_ms)
        }
        (Phase::Recovering, Reading::Clear) if lasted >= timing.recover => {
            entered(Phase::Quiet, at_ms)
        }
        (Phase::Recovering, Reading::Breach | Reading::Between) => {
            entered(Phase::Firing, before.fired_ms)
        }
        _ => before,
    }
}

/// What people are owed at this moment, unless they do not want to be disturbed.
pub(super) fn owed(
    standing: &Standing,
    at_ms: i64,
    timing: Timing,
    is_muted: bool,
) -> Option<Signal> {
    let repeats = timing.repeat > 0
        && !standing.acknowledged
        && at_ms.saturating_sub(standing.told_ms) >= timing.repeat;
    match (standing.phase.is_firing(), standing.told) {
        _ if is_muted => None,
        (true, false) => Some(Signal::Fired),
        (false, true) => Some(Signal::Resolved),
        (true, true) if repeats => Some(Signal::Repeated),
        _ => None,
    }
}

/// What is known once people were told.
fn told(standing: Standing, what: Signal, at_ms: i64) -> Standing {
    Standing {
        told: what != Signal::Resolved,
        told_ms: at_ms,
        owed_ms: None,
        ..standing
    }
}

/// Which of these things people are told about now. The first of a group waits for others, `wait_ms` long; then all that is
/// owed goes together. Notes since when something is owed.
pub(super) fn group(
    standings: &mut [Standing],
    at_ms: i64,
    (timing, wait_ms): (Timing, i64),
    is_muted: bool,
) -> Vec<(usize, Signal)> {
    let mut all = Vec::new();
    let mut is_time = false;
    for (nth, standing) in standings.iter_mut().enumerate() {
        let Some(what) = owed(standing, at_ms, timing, is_muted) else {
            standing.owed_ms = None;
            continue;
        };
        let since_ms = *standing.owed_ms.get_or_insert(at_ms);
        is_time |= at_ms.saturating_sub(since_ms) >= wait_ms;
        all.push((nth, what));
    }
    if !is_time {
        return Vec::new();
    }
    for (nth, what) in &all {
        if let Some(standing) = standings.get_mut(*nth) {
            *standing = told(*standing, *what, at_ms);
        }
    }
    all
}

#[cfg(test)]
mod tests;
