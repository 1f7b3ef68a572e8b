//! When an alarm fires, resolves and sends messages: pure functions of what was known before, a verdict, and the rules.
//!
//! [`step`] computes what is true: quiet, pending, firing, recovering. [`Standing::told`] is what people know. [`due_signal`] is
//! the difference of the two. A mute window, a restart or a waiting group can delay a message, but never lose, repeat or reverse
//! one.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The condition holds.
    Breach,
    /// The value is beyond the recovery threshold.
    Clear,
    /// Between the two thresholds: nothing changes.
    Between,
    /// There is no data.
    Unknown,
}

/// The phase of an alarm for one subject.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AlarmPhase")]
pub enum Phase {
    /// The condition does not hold.
    #[default]
    Quiet,
    /// The condition holds, but not for long enough yet.
    Pending,
    /// It fires.
    Firing,
    /// It still fires, but the condition does not hold.
    Recovering,
}

impl Phase {
    pub const fn is_firing(self) -> bool {
        matches!(self, Self::Firing | Self::Recovering)
    }
}

/// The state of one subject. Times are Unix milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Standing {
    pub(super) phase: Phase,
    pub(super) since_ms: i64,
    pub(super) fired_ms: i64,
    /// Whether the last message said that it fires.
    pub(super) told: bool,
    /// When the last message was sent.
    pub(super) told_ms: i64,
    /// Since when a message is due.
    pub(super) owed_ms: Option<i64>,
    /// Whether it was acknowledged, which stops repeats.
    pub(super) acknowledged: bool,
}

/// All in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timing {
    /// How long the condition has to hold.
    pub(super) hold: i64,
    /// How long it has to be over.
    pub(super) recover: i64,
    /// After how long messages repeat; 0 = never.
    pub(super) repeat: i64,
}

/// A message about one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Fired,
    Repeated,
    Resolved,
}

/// The standing after a verdict. What people know does not change.
pub(super) fn step(before: Standing, at_ms: i64, verdict: Verdict, timing: Timing) -> Standing {
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
    match (before.phase, verdict) {
        (Phase::Quiet, Verdict::Breach) if timing.hold > 0 => entered(Phase::Pending, at_ms),
        (Phase::Quiet, Verdict::Breach) => fired,
        (Phase::Pending, Verdict::Breach) if lasted >= timing.hold => fired,
        (Phase::Firing, Verdict::Clear) if timing.recover > 0 => entered(Phase::Recovering, at_ms),
        (Phase::Pending, Verdict::Clear | Verdict::Between) | (Phase::Firing, Verdict::Clear) => {
            entered(Phase::Quiet, at_ms)
        }
        (Phase::Recovering, Verdict::Clear) if lasted >= timing.recover => {
            entered(Phase::Quiet, at_ms)
        }
        (Phase::Recovering, Verdict::Breach | Verdict::Between) => {
            entered(Phase::Firing, before.fired_ms)
        }
        _ => before,
    }
}

/// The message that is due at this moment, unless the alarm is muted.
pub(super) fn due_signal(
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

fn mark_sent(standing: Standing, what: Signal, at_ms: i64) -> Standing {
    Standing {
        told: what != Signal::Resolved,
        told_ms: at_ms,
        owed_ms: None,
        ..standing
    }
}

/// The messages that are sent now. The first message of a group waits `wait_ms` for others; then all that are due go together. Notes
/// since when messages are due.
pub(super) fn group(
    standings: &mut [Standing],
    at_ms: i64,
    (timing, wait_ms): (Timing, i64),
    is_muted: bool,
) -> Vec<(usize, Signal)> {
    let mut all = Vec::new();
    let mut is_time = false;
    for (nth, standing) in standings.iter_mut().enumerate() {
        let Some(what) = due_signal(standing, at_ms, timing, is_muted) else {
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
            *standing = mark_sent(*standing, *what, at_ms);
        }
    }
    all
}

#[cfg(test)]
mod tests;
