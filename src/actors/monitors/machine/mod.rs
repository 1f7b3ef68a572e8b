//! What a check says of its monitor: a pure function of what was known before, the check, and the rules, so that a log of
//! checks can be replayed under others.

use serde::{Deserialize, Serialize};

use crate::events::event::Status;

/// How a monitor stands.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MonitorState")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum State {
    /// It was never checked.
    #[default]
    Unknown,
    /// The last check failed; re-checks will tell.
    Pending,
    /// The last check succeeded.
    Up,
    /// The last check succeeded, but slowly.
    Degraded,
    /// It fails, and so did its re-checks.
    Down,
}

impl State {
    /// The state as it is written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// What is known of a monitor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    pub state: State,
    /// The last state that was sure: up, degraded or down; unknown before the first.
    pub settled: State,
    /// Since when it is `settled`, Unix milliseconds.
    pub since_ms: i64,
    /// Failed checks since it was found up last, as long as it is pending.
    pub retries: u32,
    /// Failed checks since it is down.
    pub streak: u32,
    /// Whether people were told that it is down.
    pub told: bool,
}

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Good {
        /// Though slowly.
        slow: bool,
    },
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Failed re-checks before it counts as down.
    pub retries: u32,
    /// Milliseconds until a re-check.
    pub recheck_ms: i64,
}

/// A change of what is sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    pub from: State,
    pub to: State,
    /// Since when it stood so, Unix milliseconds; the moment itself when nothing was known.
    pub since_ms: i64,
}

impl Transition {
    /// Whether it is one between up and down, which people want to know of.
    pub fn is_alarming(self) -> bool {
        self.to == State::Down || self.from == State::Down
    }
}

/// What follows from a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is known now.
    pub standing: Standing,
    /// What is written down of the check.
    pub status: Status,
    /// What changed for sure.
    pub transition: Option<Transition>,
    /// When it has to be checked again out of turn, Unix milliseconds.
    pub recheck_ms: Option<i64>,
}

/// What follows from a check that began at this moment, Unix milliseconds.
pub fn step(
    before: Standing,
    at_ms: i64,
    verdict: Verdict,
    in_maintenance: bool,
    rules: Rules,
) -> Step {
    if in_maintenance {
        return Step {
            standing: before,
            status: Status::Maintenance,
            transition: None,
            recheck_ms: None,
        };
    }
    let failed = before.retries + 1;
    let (state, status) = match verdict {
        Verdict::Good { slow: false } => (State::Up, Status::Up),
        Verdict::Good { slow: true } => (State::Degraded, Status::Up),
        Verdict::Bad if before.state == State::Down || failed > rules.retries => {
            (State::Down, Status::Down)
        }
        Verdict::Bad => (State::Pending, Status::Pending),
    };
    let mut after = Standing {
        state,
        retries: if state == State::Pending { failed } else { 0 },
        streak: if state == State::Down {
            before.streak + 1
        } else {
            0
        },
        ..before
    };
    let mut transition = None;
    if state != State::Pending && state != before.settled {
        transition = Some(Transition {
            from: before.settled,
            to: state,
            since_ms: if before.settled == State::Unknown {
                at_ms
            } else {
                before.since_ms
            },
        });
        after.settled = state;
        after.since_ms = at_ms;
    }
    Step {
        standing: after,
        status,
        transition,
        recheck_ms: (state == State::Pending).then(|| at_ms.saturating_add(rules.recheck_ms)),
    }
}

#[cfg(test)]
mod tests;
