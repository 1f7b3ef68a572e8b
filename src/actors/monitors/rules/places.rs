//! Where a monitor is checked. Pure.

use crate::actors::{
    issues::Issues,
    monitors::{HERE, Kind, MonitorFields, schedule::Recurrence},
};

/// Places of a monitor.
const MAX_PLACES: usize = 20;
const MAX_ID: usize = 64;
/// The check interval of the quickest cron expression, milliseconds.
const MINUTE_MS: i64 = 60_000;
/// The default timeout, milliseconds.
const TIMEOUT: u32 = 30_000;

/// Checks places and quorum, and brings the places into their stored form: this server alone is nothing to store.
pub(super) fn check(
    issues: &mut Issues,
    fields: &mut MonitorFields,
    recurrence: Option<&Recurrence>,
) {
    let is_set = fields.places.is_some() || fields.quorum.is_some();
    if fields.kind == Kind::Push && is_set {
        let message = "`places` and `quorum` say nothing to a monitor of kind `push`";
        issues.refuse("invalid", "places", message);
        return;
    }
    let mut places: Vec<String> = Vec::new();
    for place in fields.places.take().into_iter().flatten() {
        let place = place.trim().to_owned();
        let is_id = (1..=MAX_ID).contains(&place.len())
            && place.bytes().all(|byte| byte.is_ascii_graphic());
        let message = "`places` has `here` and IDs of probes";
        issues.require(is_id, "invalid", "places", message);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let message = format_args!("`places` has at most {MAX_PLACES} entries");
    issues.require(places.len() <= MAX_PLACES, "too_many", "places", message);
    let all = places.len().max(1) as u32;
    let fits = fields
        .quorum
        .is_none_or(|quorum| (1..=all).contains(&quorum));
    let message = format_args!("`quorum` is 1 to {all}, the number of locations");
    issues.require(fits, "out_of_range", "quorum", message);
    if places.iter().any(|place| place != HERE) {
        // The places of a slot have to be done with it before the next one.
        let most = match recurrence {
            Some(Recurrence::Every(interval_ms)) => *interval_ms,
            Some(Recurrence::Cron(_)) | None => MINUTE_MS,
        };
        let fits = i64::from(fields.timeout.unwrap_or(TIMEOUT)) <= most;
        let message = "`timeout` is at most the check interval where probes check";
        issues.require(fits, "out_of_range", "timeout", message);
        fields.places = Some(places);
    }
}
