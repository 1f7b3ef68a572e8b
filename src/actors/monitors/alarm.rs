//! Who is told that a monitor is down, or up again.

use super::{Monitor, Noted, State, Transition};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        organizations::OrganizationsView,
    },
    clock::iso_ms,
};

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
    let owners = organizations.owners(&monitor.organization);
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
