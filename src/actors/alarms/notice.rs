//! Messages about alerts, one for each destination. Pure.

use serde_json::{Value, json};

use super::{Alarm, Destination, machine::Signal, model::Instance};
use crate::{
    actors::delivery::{Channels, Delivery, Email, Hook, Notice, line},
    clock::iso_ms,
};

#[derive(Debug, Clone)]
pub(super) struct Alert {
    pub(super) subject: String,
    pub(super) instance: Instance,
}

/// The messages of one moment, one for each signal: fired, repeated, resolved. `id` makes their keys unique.
pub(super) fn deliveries(
    alarm: &Alarm,
    told: &[(Alert, Signal)],
    channels: &Channels,
    (id, base, now_ms): (&str, &str, i64),
) -> Vec<Delivery> {
    let mut deliveries = Vec::new();
    for what in [Signal::Fired, Signal::Repeated, Signal::Resolved] {
        let about = told.iter().filter(|(_, own)| *own == what);
        let about: Vec<&Alert> = about.map(|(about, _)| about).collect();
        if about.is_empty() {
            continue;
        }
        let enabled = alarm.destinations.iter();
        for destination in enabled.filter(|to| to.disabled.is_none()) {
            // Incident services need one message for each subject.
            let channel = channels.get(destination.kind.as_str());
            let alone = channel.is_some_and(|channel| channel.one_by_one);
            let size = if alone { 1 } else { about.len() };
            for (nth, group) in about.chunks(size).enumerate() {
                let notice = notice(alarm, group, what, (base, now_ms));
                let key = format!("{}{id}:{}:{nth}", prefix(destination), kind(what));
                deliveries.push(delivery(alarm, destination, notice, (key, now_ms)));
            }
        }
    }
    deliveries
}

/// The prefix of the keys of all deliveries to a destination.
pub(super) fn prefix(destination: &Destination) -> String {
    format!("alarm:{}:", destination.id)
}

/// The emails to an owner about disabled destinations. Their keys send each of them once.
pub(super) fn disabled_emails(alarm: &Alarm, (owner, address): (&str, &str)) -> Vec<Delivery> {
    let off = alarm.destinations.iter().filter_map(|to| {
        let why = to.disabled.as_ref()?;
        let name = line(&alarm.fields.name);
        let text = format!(
            "The alert \"{name}\" can't reach one of its channels ({}).\n\n{why}.\n\n\
             The channel is disabled until you change it or add it again.\n",
            to.kind.as_str()
        );
        let email = Email {
            to: address.to_owned(),
            subject: format!("Channel disabled: {name}"),
            text,
            ..Email::default()
        };
        let key = format!("farewell:{}:{}:{owner}", to.id, to.updated_ms);
        Some(email.delivery(key, Some(alarm.organization.clone())))
    });
    off.collect()
}

/// The message that tests a destination.
pub(super) fn test_delivery(
    alarm: &Alarm,
    to: &Destination,
    (base, now_ms): (&str, i64),
) -> Delivery {
    let notice = Notice {
        kind: Notice::TEST.to_owned(),
        timestamp: iso_ms(now_ms),
        title: format!("Test: {}", line(&alarm.fields.name)),
        text: "This is a test. This alert sends its messages here.".to_owned(),
        link: base.to_owned(),
        thread: format!("alarm:{}:test", alarm.id),
        resolved: true,
        data: json!({ "alarm": about_alarm(alarm), "alerts": [] }),
    };
    let key = format!("{}test", prefix(to));
    delivery(alarm, to, notice, (key, now_ms))
}

const fn kind(what: Signal) -> &'static str {
    match what {
        Signal::Fired => "alarm.fired",
        Signal::Repeated => "alarm.repeated",
        Signal::Resolved => "alarm.resolved",
    }
}

fn notice(alarm: &Alarm, about: &[&Alert], what: Signal, (base, now_ms): (&str, i64)) -> Notice {
    let word = match what {
        Signal::Fired => "Firing",
        Signal::Repeated => "Still firing",
        Signal::Resolved => "Resolved",
    };
    let name = line(&alarm.fields.name);
    let title = match about {
        [one] if one.instance.name.is_empty() => format!("{word}: {name}"),
        [one] => format!("{word}: {name}: {}", line(&one.instance.name)),
        many => format!("{word}: {name}: {} subjects", many.len()),
    };
    let sentence = |one: &&Alert| match one.instance.name.as_str() {
        "" => one.instance.evidence.clone(),
        name => format!("{}: {}", line(name), one.instance.evidence),
    };
    let sentences: Vec<String> = about.iter().map(sentence).collect();
    let thread = match about {
        [one] => format!("alarm:{}:{}", alarm.id, one.subject),
        _ => format!("alarm:{}", alarm.id),
    };
    let alerts: Vec<Value> = about.iter().map(|one| alert(one, what)).collect();
    Notice {
        kind: kind(what).to_owned(),
        timestamp: iso_ms(now_ms),
        title,
        text: sentences.join("\n"),
        link: base.to_owned(),
        thread,
        resolved: what == Signal::Resolved,
        data: json!({ "alarm": about_alarm(alarm), "alerts": alerts }),
    }
}

fn about_alarm(alarm: &Alarm) -> Value {
    json!({
        "id": alarm.id,
        "name": alarm.fields.name,
        "organizationId": alarm.organization,
        "websiteId": alarm.fields.website_id,
        "triggerType": alarm.fields.trigger_type,
    })
}

fn alert(one: &Alert, what: Signal) -> Value {
    let instance = &one.instance;
    let is_over = what == Signal::Resolved;
    let subject =
        (!one.subject.is_empty()).then(|| json!({ "id": one.subject, "name": instance.name }));
    json!({
        "subject": subject,
        "status": if is_over { "resolved" } else { "firing" },
        "firedAt": iso_ms(instance.standing.fired_ms),
        "resolvedAt": is_over.then(|| iso_ms(instance.standing.since_ms)),
        "value": instance.value,
        "threshold": instance.threshold,
        "evidence": instance.evidence,
    })
}

fn delivery(
    alarm: &Alarm,
    to: &Destination,
    notice: Notice,
    (key, now_ms): (String, i64),
) -> Delivery {
    let organization = Some(alarm.organization.clone());
    if !to.kind.is_email() {
        let to = to.channel(now_ms);
        return Hook { to, notice }.delivery(key, organization);
    }
    Email {
        to: to.endpoint.identifier.clone(),
        subject: notice.title,
        text: format!("{}\n\n{}\n", notice.text, notice.link),
        thread: Some(notice.thread),
        unsubscribe: None,
        html: None,
    }
    .delivery(key, organization)
}
