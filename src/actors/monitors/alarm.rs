//! Who is told that a monitor is down, or up again.

use std::collections::HashSet;

use super::{Monitor, MonitorsView, Noted, State, Transition};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        organizations::OrganizationsView,
    },
    clock::iso_ms,
    ids::MonitorId,
};

/// The monitor above this one that is down, or about to be, if there is one. Circles end.
pub(super) fn cause(view: &MonitorsView, monitor: &Monitor) -> Option<MonitorId> {
    let mut seen = HashSet::from([monitor.id.clone()]);
    let mut next: Vec<String> = monitor.fields.depends_on.clone().unwrap_or_default();
    while let Some(id) = next.pop() {
        let Some(above) = view
            .by_id(&id)
            .filter(|above| above.spec().organization == monitor.organization)
        else {
            continue;
        };
        let spec = above.spec();
        if !seen.insert(spec.id.clone()) {
            continue;
        }
        let state = above.live().standing.state;
        if matches!(state, State::Down | State::Pending) && !spec.is_paused {
            return Some(spec.id.clone());
        }
        next.extend(spec.fields.depends_on.iter().flatten().cloned());
    }
    None
}

/// The emails about a change, to the organization's owners, as the organization wants them.
pub(super) fn emails(
    organizations: &OrganizationsView,
    monitor: &Monitor,
    change: Transition,
    noted: &Noted,
) -> Vec<Delivery> {
    let Some(organization) = organizations.organization(monitor.organization.as_str()) else {
        return Vec::new();
    };
    let wishes = organization
        .notifications
        .clone()
        .unwrap_or_default()
        .uptime;
    let is_down = change.to == State::Down;
    let wanted = if is_down {
        wishes.down_emails
    } else {
        wishes.recovery_emails
    };
    if !wanted {
        return Vec::new();
    }
    let owners = organizations.owners_of(&monitor.organization);
    let told = owners.into_iter().map(|owner| {
        let key = format!(
            "monitor:{}:{}:{}:{}",
            monitor.id,
            noted.at_ms,
            change.to.as_str(),
            owner.id
        );
        email(monitor, change, noted, &owner.email)
            .delivery(key, Some(monitor.organization.clone()))
    });
    told.collect()
}

fn email(monitor: &Monitor, change: Transition, noted: &Noted, to: &str) -> Email {
    let name = line(monitor.label());
    let at = iso_ms(noted.at_ms);
    let (subject, text) = if change.to == State::Down {
        let why = noted.error.as_ref().map_or("it fails", |(_, what)| what);
        (
            format!("Down: {name}"),
            format!(
                "{name} is down since {at}.\n\nWhat is wrong: {}\n",
                line(why)
            ),
        )
    } else {
        let seconds = (noted.at_ms - change.since_ms).max(0) / 1_000;
        let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        (
            format!("Up again: {name}"),
            format!(
                "{name} is up again since {at}. It was down for {hours} h {minutes} min {seconds} s.\n"
            ),
        )
    };
    let target = if monitor.url.is_empty() {
        String::new()
    } else {
        format!("\nChecked: {}\n", line(&monitor.url))
    };
    Email {
        to: to.to_owned(),
        subject,
        text: text + &target,
        ..Email::default()
    }
}

/// A name as it may stand in an email: it neither ends lines nor goes on for ever.
fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(kept).take(200).collect()
}
