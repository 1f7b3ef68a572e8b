//! The newest checks of a monitor and the hours of its last day, which lists show without a query. Pure.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Day, State, Step,
    rollup::{LastResult, held},
};
use crate::events::event::Status;

const MAX_CHECKS: usize = 50;
const HOUR_MS: i64 = 3_600_000;
/// A whole day before the hour that is not over.
const MAX_HOURS: i64 = 25;

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MonitorCheckOutcome")]
pub enum Outcome {
    /// It succeeded.
    Up,
    /// It succeeded, but slowly.
    Degraded,
    /// It failed, and is repeated.
    Pending,
    /// It failed.
    Down,
    /// It does not count.
    Maintenance,
}

/// A check that was made a short while ago. Names are short, because every check writes all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentCheck {
    /// Unix milliseconds.
    #[serde(rename = "t")]
    pub at_ms: i64,
    #[serde(rename = "o")]
    pub outcome: Outcome,
    /// Milliseconds; 0 = not measured.
    #[serde(rename = "ms")]
    pub took_ms: u32,
}

/// An hour with its known time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Hour {
    /// Hours since 1970-01-01.
    h: i64,
    up: i64,
    down: i64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recent {
    /// Oldest first.
    pub checks: VecDeque<RecentCheck>,
    hours: VecDeque<Hour>,
}

impl Recent {
    pub(super) fn add(&mut self, at_ms: i64, step: &Step, took_ms: u32) {
        let outcome = match step.status {
            Status::Up if step.standing.state == State::Degraded => Outcome::Degraded,
            Status::Up => Outcome::Up,
            Status::Pending => Outcome::Pending,
            Status::Down => Outcome::Down,
            Status::Maintenance => Outcome::Maintenance,
            Status::Missed => return,
        };
        if self.checks.len() >= MAX_CHECKS {
            self.checks.pop_front();
        }
        self.checks.push_back(RecentCheck {
            at_ms,
            outcome,
            took_ms,
        });
    }

    /// Adds the time in which a result held.
    pub(super) fn hold(&mut self, result: LastResult, until_ms: i64) {
        for (h, ms) in held(result, until_ms, HOUR_MS) {
            if self.hours.back().is_none_or(|last| last.h != h) {
                self.hours.push_back(Hour { h, up: 0, down: 0 });
            }
            let Some(hour) = self.hours.back_mut() else {
                continue;
            };
            match result.up {
                Some(true) => hour.up += ms,
                _ => hour.down += ms,
            }
        }
        let now = until_ms.div_euclid(HOUR_MS);
        self.hours.retain(|hour| now - hour.h < MAX_HOURS);
    }

    /// The last 24 hours.
    pub fn day(&self, now_ms: i64) -> Day {
        let now = now_ms.div_euclid(HOUR_MS);
        let mut sum = Day::default();
        for hour in self.hours.iter().filter(|hour| now - hour.h < MAX_HOURS) {
            sum.up_ms += hour.up;
            sum.down_ms += hour.down;
        }
        let first_ms = now_ms - 24 * HOUR_MS;
        for check in self.checks.iter().filter(|check| check.at_ms >= first_ms) {
            match check.outcome {
                Outcome::Up | Outcome::Degraded => {
                    sum.ups += 1;
                    sum.response_ms += i64::from(check.took_ms);
                }
                Outcome::Down => sum.downs += 1,
                Outcome::Pending | Outcome::Maintenance => {}
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{Rules, Standing, Verdict, step};

    const MINUTE: i64 = 60_000;

    /// A monitor that is checked every minute, and is down in the first quarter of every hour.
    fn checked(minutes: i64) -> Recent {
        let rules = Rules {
            retries: 0,
            recheck_ms: 0,
        };
        let (mut recent, mut seen) = (Recent::default(), LastResult::default());
        for minute in 0..minutes {
            let at_ms = minute * MINUTE;
            let verdict = match minute % 60 {
                0..15 => Verdict::Bad,
                minute => Verdict::Good { slow: minute == 30 },
            };
            let step = step(Standing::default(), at_ms, verdict, false, rules);
            recent.hold(seen, at_ms);
            recent.add(at_ms, &step, 20);
            seen = LastResult::after(at_ms, step.status);
        }
        recent
    }

    #[test]
    fn the_last_day_is_a_share_of_its_known_time() {
        let recent = checked(3 * 24 * 60 + 1);
        assert_eq!(recent.checks.len(), MAX_CHECKS);
        assert!(recent.hours.len() as i64 <= MAX_HOURS);
        let day = recent.day(3 * 24 * 60 * MINUTE);
        assert_eq!(day.uptime(), Some(75.0));
        assert_eq!(recent.day(9 * 24 * 60 * MINUTE).uptime(), None, "too old");
    }

    #[test]
    fn a_first_check_is_the_whole_uptime() {
        assert_eq!(checked(1).day(0).uptime(), Some(0.0));
        assert_eq!(Recent::default().day(0).uptime(), None);
    }

    #[test]
    fn what_is_stored_is_what_is_read() {
        let recent = checked(40);
        assert!(
            recent
                .checks
                .iter()
                .any(|one| one.outcome == Outcome::Degraded)
        );
        let text = serde_json::to_string(&recent).unwrap();
        assert!(text.len() < 3_000, "{} bytes", text.len());
        assert_eq!(serde_json::from_str::<Recent>(&text).unwrap(), recent);
    }
}
