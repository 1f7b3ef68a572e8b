//! What monitors say to an alarm: a pure look at how they stand.

use std::sync::Arc;

use super::{
    Alarm,
    conditions::{Conditions, Uptime},
    machine::Reading,
};
use crate::{
    actors::monitors::{Kind, Monitored, MonitorsView, State},
    clock::iso_ms,
};

const DAY_MS: i64 = 86_400_000;

/// What was seen of one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// The thing's id; empty when there is just one.
    pub(super) subject: String,
    pub(super) name: String,
    pub(super) reading: Reading,
    pub(super) value: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) evidence: String,
}

/// What the monitors of an alarm say at this moment; nothing when it is not about monitors.
pub(super) fn seen(alarm: &Alarm, monitors: &MonitorsView, now_ms: i64) -> Option<Vec<Seen>> {
    let wanted = wanted(&alarm.conditions)?;
    let push_alone = matches!(*alarm.conditions, Conditions::Heartbeat(_));
    let website = alarm.website();
    let fits = |one: &&Arc<Monitored>| {
        let spec = one.spec();
        let at_home = website.is_none() || spec.website == website;
        at_home && (!push_alone || spec.kind == Kind::Push) && is_named(one, &wanted)
    };
    let own = monitors.of(&alarm.organization);
    let seen = own.iter().filter(fits);
    Some(
        seen.map(|one| look(one, &wanted, monitors, now_ms))
            .collect(),
    )
}

/// What is wanted of monitors, in one form.
fn wanted(conditions: &Conditions) -> Option<Uptime> {
    match conditions {
        Conditions::Series(_) => None,
        Conditions::Uptime(wanted) => Some(wanted.clone()),
        Conditions::Heartbeat(wanted) => Some(Uptime {
            monitor_ids: wanted.monitor_ids.clone(),
            down: Some(true),
            ..Uptime::default()
        }),
    }
}

/// Whether an alarm is about a monitor.
pub(super) fn is_named(one: &Monitored, wanted: &Uptime) -> bool {
    let spec = one.spec();
    let named = |ids: &Vec<String>| ids.iter().any(|id| id == spec.id.as_str());
    let tagged = |tags: &Vec<String>| {
        let own = spec.fields.tags.as_deref().unwrap_or_default();
        own.iter().any(|tag| tags.contains(tag))
    };
    wanted.monitor_ids.as_ref().is_none_or(named) && wanted.tags.as_ref().is_none_or(tagged)
}

fn look(one: &Monitored, wanted: &Uptime, monitors: &MonitorsView, now_ms: i64) -> Seen {
    let (spec, live) = (one.spec(), one.live());
    let standing = live.standing;
    let seen = |reading, evidence: String| Seen {
        subject: spec.id.to_string(),
        name: spec.label().to_owned(),
        reading,
        value: None,
        threshold: None,
        evidence,
    };
    let rests = spec.is_paused || spec.in_maintenance(now_ms) || monitors.is_suppressed(spec);
    if rests || standing.state == State::Unknown {
        return seen(
            Reading::Unknown,
            "Nothing is known at the moment.".to_owned(),
        );
    }
    let why = live.last.as_ref().and_then(|last| last.error.as_deref());
    let why = why.unwrap_or("the check fails");
    let since = iso_ms(standing.since_ms);
    if wanted.down == Some(true) && standing.settled == State::Down {
        return seen(Reading::Breach, format!("It is down since {since}: {why}."));
    }
    let failed = standing.retries.max(standing.streak);
    if let Some(most) = wanted.consecutive_failures.filter(|most| failed >= *most) {
        let evidence = format!("{failed} checks in a row failed: {why}.");
        return Seen {
            value: Some(f64::from(failed)),
            threshold: Some(f64::from(most)),
            ..seen(Reading::Breach, evidence)
        };
    }
    if wanted.degraded && standing.settled == State::Degraded {
        return seen(Reading::Breach, format!("It is slow since {since}."));
    }
    let expiry = live.last.as_ref().and_then(|last| last.ssl_expiry);
    if let (Some(days), Some(expiry)) = (wanted.certificate_days, expiry) {
        let left = (expiry - now_ms) as f64 / DAY_MS as f64;
        if left < f64::from(days) {
            let evidence = format!("Its certificate ends at {}.", iso_ms(expiry));
            return Seen {
                value: Some((left * 10.0).round() / 10.0),
                threshold: Some(f64::from(days)),
                ..seen(Reading::Breach, evidence)
            };
        }
    }
    // A check that failed and is being repeated ends nothing.
    if standing.state == State::Pending {
        return seen(Reading::Between, format!("A check failed: {why}."));
    }
    let evidence = format!("It is {} since {since}.", standing.settled.as_str());
    seen(Reading::Clear, evidence)
}
