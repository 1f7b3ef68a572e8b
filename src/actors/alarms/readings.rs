//! What monitors say to an alarm: a pure look at how they stand.

use super::{
    Alarm,
    conditions::{Conditions, MonitorConditions},
    machine::Reading,
    series::Judged,
};
use crate::{
    actors::monitors::{Kind, Monitored, MonitorsView, State},
    clock::iso_ms,
    ids::WebsiteId,
};

const DAY_MS: i64 = 86_400_000;

/// What was seen of one thing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// The thing's id; empty when there is just one.
    pub(super) subject: String,
    pub(super) name: String,
    pub(super) judged: Judged,
}

/// What the monitors of an alarm say at this moment; nothing when it is not about monitors.
pub(super) fn read_monitors(
    alarm: &Alarm,
    monitors: &MonitorsView,
    now_ms: i64,
) -> Option<Vec<Seen>> {
    let Conditions::Monitors(wanted) = alarm.conditions.as_ref() else {
        return None;
    };
    let website = alarm.website();
    let own = monitors.of(&alarm.organization);
    let named = own
        .iter()
        .filter(|one| is_named(one, website.as_ref(), wanted));
    let seen = named.map(|one| Seen {
        subject: one.spec().id.to_string(),
        name: one.spec().label().to_owned(),
        judged: judge(one, wanted, monitors, now_ms),
    });
    Some(seen.collect())
}

/// Whether an alarm is about a monitor of its organization.
pub(super) fn is_named(
    one: &Monitored,
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

fn judge(
    one: &Monitored,
    wanted: &MonitorConditions,
    monitors: &MonitorsView,
    now_ms: i64,
) -> Judged {
    let (spec, live) = (one.spec(), one.live());
    let standing = live.standing;
    let rests = spec.is_paused || spec.in_maintenance(now_ms) || monitors.is_suppressed(spec);
    if rests || standing.state == State::Unknown {
        return Judged::plain(Reading::Unknown, "Nothing is known at the moment.");
    }
    let why = live.last.as_ref().and_then(|last| last.error.as_deref());
    let why = why.unwrap_or("the check fails");
    let since = iso_ms(standing.since_ms);
    if wanted.down == Some(true) && standing.settled == State::Down {
        return Judged::plain(Reading::Breach, format!("It is down since {since}: {why}."));
    }
    let failed = standing.retries.max(standing.streak);
    if let Some(most) = wanted.consecutive_failures.filter(|most| failed >= *most) {
        let evidence = format!("{failed} checks in a row failed: {why}.");
        return Judged {
            value: Some(f64::from(failed)),
            threshold: Some(f64::from(most)),
            ..Judged::plain(Reading::Breach, evidence)
        };
    }
    if wanted.degraded && standing.settled == State::Degraded {
        return Judged::plain(Reading::Breach, format!("It is slow since {since}."));
    }
    let expiry = live.last.as_ref().and_then(|last| last.ssl_expiry);
    if let (Some(days), Some(expiry)) = (wanted.certificate_days, expiry) {
        let left = (expiry - now_ms) as f64 / DAY_MS as f64;
        if left < f64::from(days) {
            let evidence = format!("Its certificate ends at {}.", iso_ms(expiry));
            return Judged {
                value: Some((left * 10.0).round() / 10.0),
                threshold: Some(f64::from(days)),
                ..Judged::plain(Reading::Breach, evidence)
            };
        }
    }
    // A check that failed and is being repeated ends nothing.
    if standing.state == State::Pending {
        return Judged::plain(Reading::Between, format!("A check failed: {why}."));
    }
    let evidence = format!("It is {} since {since}.", standing.settled.as_str());
    Judged::plain(Reading::Clear, evidence)
}
