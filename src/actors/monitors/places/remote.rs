//! A check that a probe makes.

use super::super::{Finding, Monitor, checks::run_check};
use crate::egress::Egress;

/// Checks a monitor as a server would; nothing if the probe was too busy. `now_ms` is the server's time, Unix milliseconds.
pub async fn check_as_probe(egress: Egress, monitor: &Monitor, now_ms: i64) -> Option<Finding> {
    let result = run_check(egress, monitor, now_ms).await;
    (!result.is_skipped).then(|| result.finding())
}
