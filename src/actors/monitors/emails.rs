//! Emails about monitors that are down, or up again.

use super::{Monitor, State, Transition, TransitionRecord};
use crate::{
    actors::{
        delivery::{Delivery, Email},
        organizations::OrganizationsView,
    },
    clock::from_ms,
    locale::Texts,
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
        let texts = owner.language.unwrap_or_default().texts();
        email((monitor, change, noted), texts, &owner.email)
            .delivery(key, Some(monitor.organization.clone()))
    });
    emails.collect()
}

fn email(
    (monitor, change, noted): (&Monitor, Transition, &TransitionRecord),
    texts: Texts,
    to: &str,
) -> Email {
    let name = line(monitor.label());
    let time = texts.moment(from_ms(noted.at_ms));
    let (subject, text) = if change.to == State::Down {
        let why = noted.error.as_ref().map(|(_, what)| line(what));
        let why = why.unwrap_or_else(|| texts.email_down_reason().into_owned());
        (
            texts.email_down_subject(&name),
            texts.email_down(&name, &time, &why),
        )
    } else {
        let ms = (noted.at_ms - change.since_ms).max(0);
        let duration = texts.duration(ms as f64 / 1_000.0);
        (
            texts.email_up_subject(&name),
            texts.email_up(&name, &time, &duration),
        )
    };
    let mut text = format!("{text}\n");
    if !monitor.url.is_empty() {
        let target = texts.email_monitor_target(&line(&monitor.url));
        text = format!("{text}\n{target}\n");
    }
    Email {
        to: to.to_owned(),
        subject: subject.into_owned(),
        text,
        ..Email::default()
    }
}

/// A name for an email: one line of at most 200 characters.
fn line(name: &str) -> String {
    let kept = |c: char| if c.is_control() { ' ' } else { c };
    name.chars().map(kept).take(200).collect()
}
