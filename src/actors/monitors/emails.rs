//! Emails about monitors that are down, or up again.

use super::{Monitor, State, Transition, TransitionRecord};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        organizations::OrganizationsView,
    },
    clock::iso_ms,
};

/// The emails about a transition to the organization's owners, if the organization wants them.
pub(super) fn for_transition(
    organizations: &OrganizationsView,
    monitor: &Monitor,
    change: Transition,
    noted: &TransitionRecord,
) -> Vec<Delivery> {
    let Some(organization) = organizations.organization(monitor.organization.as_str()) else {
        return Vec::new();
    };
    let notifications = organization
        .notifications
        .clone()
        .unwrap_or_default()
        .uptime;
    let is_down = change.to == State::Down;
    let wanted = if is_down {
        notifications.down_emails
    } else {
        notifications.recovery_emails
    };
    if !wanted {
        return Vec::new();
    }
    let owners = organizations.owners(&monitor.organization);
    let emails = owners.into_iter().map(|owner| {
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
    emails.collect()
}

fn email(monitor: &Monitor, change: Transition, noted: &TransitionRecord, to: &str) -> Email {
    let name = line(monitor.label());
    let at = iso_ms(noted.at_ms);
    let (subject, text) = if change.to == State::Down {
        let why = noted
            .error
            .as_ref()
            .map_or("the check failed", |(_, what)| what);
        (
            format!("Down: {name}"),
            format!(
                "{name} has been down since {at}.\n\nReason: {}\n",
                line(why)
            ),
        )
    } else {
        let seconds = (noted.at_ms - change.since_ms).max(0) / 1_000;
        let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        (
            format!("Recovered: {name}"),
            format!("{name} recovered at {at}. It was down for {hours}h {minutes}m {seconds}s.\n"),
        )
    };
    let target = if monitor.url.is_empty() {
        String::new()
    } else {
        format!("\nTarget: {}\n", line(&monitor.url))
    };
    Email {
        to: to.to_owned(),
        subject,
        text: text + &target,
        ..Email::default()
    }
}

/// A name for an email: one line of at most 200 characters.
fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(kept).take(200).collect()
}
