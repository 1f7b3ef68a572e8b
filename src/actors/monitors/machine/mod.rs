//! The state machine of monitors: a pure function of the last state, a check and the rules. A log of checks can be replayed
//! under other rules.

use serde::{Deserialize, Serialize};

use crate::{actors::text_enum::text_enums, events::event::Status};

/// The state of a monitor.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MonitorState")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum State {
    /// It was never checked.
    #[default]
    Unknown,
    /// The last check failed; re-checks follow.
    Pending,
    /// The last check succeeded.
    Up,
    /// The last check succeeded, but slowly.
    Degraded,
    /// The check and its re-checks failed.
    Down,
}

text_enums!(State);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    pub state: State,
    /// The last certain state: up, degraded or down; unknown before the first.
    pub settled: State,
    /// The start of `settled`, Unix milliseconds.
    pub since_ms: i64,
    /// Failed checks since it was found up last, as long as it is pending.
    pub retries: u32,
    /// Failed checks since it is down.
    pub streak: u32,
    /// Whether people know that it is down.
    pub told: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Good { slow: bool },
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Failed re-checks before it counts as down.
    pub retries: u32,
    /// Milliseconds until a re-check.
    pub recheck_ms: i64,
}

/// A change of `settled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transition {
    pub from: State,
    pub to: State,
    /// The start of the former state, Unix milliseconds; the moment itself if there was none.
    pub since_ms: i64,
}

impl Transition {
    /// Whether it begins or ends a downtime.
    pub fn is_alarming(self) -> bool {
        self.to == State::Down || self.from == State::Down
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub standing: Standing,
    /// The status of the check's row.
    pub status: Status,
    pub transition: Option<Transition>,
    /// When the re-check is due, Unix milliseconds.
    pub recheck_ms: Option<i64>,
}

/// The next state after a check that began at this moment, Unix milliseconds.
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
