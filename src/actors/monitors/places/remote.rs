//! A check that a probe makes.

use super::super::{Finding, Monitor, checks::run_check};
use crate::egress::Egress;

/// Checks a monitor as a server would. `now_ms` is the server's time, Unix milliseconds.
pub async fn check_as_probe(egress: Egress, monitor: &Monitor, now_ms: i64) -> Finding {
    run_check(egress, monitor, now_ms).await.finding()
}
