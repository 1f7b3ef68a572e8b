//! Observations of monitors for an alarm. Pure.

use super::{
    Alarm,
    conditions::{Conditions, MonitorConditions},
    machine::Verdict,
    reason::Reason,
    series::Evaluation,
};
use crate::{
    actors::monitors::{Kind, MonitorEntry, MonitorsView, State},
    ids::WebsiteId,
};

const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observation {
    /// The id of the subject; empty if there is one subject.
    pub(super) subject: String,
    pub(super) name: String,
    pub(super) evaluation: Evaluation,
}

/// Observes the monitors of an alarm; `None` for alarms about a series.
pub(super) fn observe_monitors(
    alarm: &Alarm,
    monitors: &MonitorsView,
    now_ms: i64,
) -> Option<Vec<Observation>> {
    let Conditions::Monitors(wanted) = alarm.conditions.as_ref() else {
        return None;
    };
    let website = alarm.website();
    let own = monitors.by_organization(&alarm.organization);
    let named = own
        .iter()
        .filter(|one| covers_monitor(one, website.as_ref(), wanted));
    let seen = named.map(|one| Observation {
        subject: one.spec().id.to_string(),
        name: one.spec().label().to_owned(),
        evaluation: evaluate_monitor(one, wanted, monitors, now_ms),
    });
    Some(seen.collect())
}

/// Whether an alarm covers a monitor of its organization.
pub(super) fn covers_monitor(
    one: &MonitorEntry,
    website: Option<&WebsiteId>,
    wanted: &MonitorConditions,
) -> bool {
    let spec = one.spec();
    let named = |ids: &Vec<String>| ids.iter().any(|id| id == spec.id.as_str());
    let tagged = |tags: &Vec<String>| {
        let own = spec.fields.tags.as_deref().unwrap_or_default();
        own.iter().any(|tag| tags.contains(tag))
    };
    (website.is_none() || spec.website.as_ref() == website)
        && (!wanted.push_alone || spec.kind == Kind::Push)
        && wanted.monitor_ids.as_ref().is_none_or(named)
        && wanted.tags.as_ref().is_none_or(tagged)
}

fn evaluate_monitor(
    one: &MonitorEntry,
    wanted: &MonitorConditions,
    monitors: &MonitorsView,
    now_ms: i64,
) -> Evaluation {
    let (spec, live) = (one.spec(), one.live());
    let standing = live.standing;
    let rests = spec.is_paused || spec.in_maintenance(now_ms) || monitors.is_suppressed(spec);
    if rests || standing.state == State::Unknown {
        return Evaluation::plain(Verdict::Unknown, Reason::NoData);
    }
    let error = || live.last.as_ref().and_then(|last| last.error.clone());
    let since_ms = standing.since_ms;
    if wanted.down == Some(true) && standing.settled == State::Down {
        let reason = Reason::Down {
            since_ms,
            error: error(),
        };
        return Evaluation::plain(Verdict::Breach, reason);
    }
    let failed = standing.retries.max(standing.streak);
    if let Some(most) = wanted.consecutive_failures.filter(|most| failed >= *most) {
        let reason = Reason::Failures {
            count: failed,
            error: error(),
        };
        return Evaluation {
            value: Some(f64::from(failed)),
            threshold: Some(f64::from(most)),
            ..Evaluation::plain(Verdict::Breach, reason)
        };
    }
    let status = Reason::Status {
        state: standing.settled,
        since_ms,
    };
    if wanted.degraded && standing.settled == State::Degraded {
        return Evaluation::plain(Verdict::Breach, status);
    }
    let expiry = live.last.as_ref().and_then(|last| last.ssl_expiry);
    if let (Some(days), Some(expiry)) = (wanted.certificate_days, expiry) {
        let left = (expiry - now_ms) as f64 / DAY_MS as f64;
        if left < f64::from(days) {
            let reason = Reason::Certificate { expires_ms: expiry };
            return Evaluation {
                value: Some((left * 10.0).round() / 10.0),
                threshold: Some(f64::from(days)),
                ..Evaluation::plain(Verdict::Breach, reason)
            };
        }
    }
    // A failed check that is being repeated resolves nothing.
    if standing.state == State::Pending {
        return Evaluation::plain(Verdict::Between, Reason::Failed { error: error() });
    }
    Evaluation::plain(Verdict::Clear, status)
}
