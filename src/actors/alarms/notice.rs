//! Messages about alerts, one for each destination. Pure.

use serde_json::{Value, json};

use super::{Alarm, Destination, machine::Signal, model::Instance};
use crate::{
    actors::{
        delivery::{Channels, Delivery, Email, Hook, Notice, line},
        organizations::{OrganizationsView, Person},
    },
    clock::iso_ms,
    locale::Texts,
};

#[derive(Debug, Clone)]
pub(super) struct Alert {
    pub(super) subject: String,
    pub(super) instance: Instance,
}

/// Who sends messages, when, and to whom.
pub(super) struct Sending<'a> {
    pub(super) base_url: &'a str,
    pub(super) now_ms: i64,
    pub(super) organizations: &'a OrganizationsView,
    pub(super) channels: &'a Channels,
}

impl Sending<'_> {
    /// People read emails in their language; what programs get is English.
    fn texts(&self, to: &Destination) -> Texts {
        if to.kind.is_email() {
            let language = self.organizations.language_of(&to.endpoint.identifier);
            return language.texts();
        }
        Texts::ENGLISH
    }
}

/// The messages of one moment, one for each signal: fired, repeated, resolved. `id` makes their keys unique.
pub(super) fn deliveries(
    alarm: &Alarm,
    told: &[(Alert, Signal)],
    id: &str,
    sending: &Sending<'_>,
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
            let channel = sending.channels.get(destination.kind.as_str());
            let alone = channel.is_some_and(|channel| channel.one_by_one);
            let size = if alone { 1 } else { about.len() };
            for (nth, group) in about.chunks(size).enumerate() {
                let notice = notice(alarm, group, what, (sending, destination));
                let key = format!("{}{id}:{}:{nth}", prefix(destination), kind(what));
                deliveries.push(delivery(alarm, destination, notice, (key, sending.now_ms)));
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
pub(super) fn disabled_emails(alarm: &Alarm, owner: &Person) -> Vec<Delivery> {
    let texts = owner.language.unwrap_or_default().texts();
    let off = alarm.destinations.iter().filter_map(|to| {
        let why = to.disabled.as_ref()?;
        let name = line(&alarm.fields.name);
        let text = texts.alert_disabled(&name, to.kind.as_str(), texts.label(why));
        let email = Email {
            to: owner.email.clone(),
            subject: texts.alert_disabled_subject(&name).into_owned(),
            text: format!("{text}\n"),
            ..Email::default()
        };
        let key = format!("farewell:{}:{}:{}", to.id, to.updated_ms, owner.id);
        Some(email.delivery(key, Some(alarm.organization.clone())))
    });
    off.collect()
}

/// The message that tests a destination.
pub(super) fn test_delivery(alarm: &Alarm, to: &Destination, sending: &Sending<'_>) -> Delivery {
    let (texts, now_ms) = (sending.texts(to), sending.now_ms);
    let notice = Notice {
        kind: Notice::TEST.to_owned(),
        timestamp: iso_ms(now_ms),
        title: texts.alert_test(&line(&alarm.fields.name)).into_owned(),
        text: texts.alert_test_help().into_owned(),
        link: sending.base_url.to_owned(),
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

fn notice(
    alarm: &Alarm,
    about: &[&Alert],
    what: Signal,
    (sending, to): (&Sending<'_>, &Destination),
) -> Notice {
    let (texts, is_read) = (sending.texts(to), to.kind.is_email());
    let name = line(&alarm.fields.name);
    let name = match about {
        [one] if one.instance.name.is_empty() => name,
        [one] => format!("{name}: {}", line(&one.instance.name)),
        many => texts.alert_subjects(&name, many.len() as u64).into_owned(),
    };
    let title = match what {
        Signal::Fired => texts.alert_fired(&name),
        Signal::Repeated => texts.alert_repeated(&name),
        Signal::Resolved => texts.alert_resolved(&name),
    };
    let sentence = |one: &&Alert| {
        let reason = one.instance.reason.as_ref().filter(|_| is_read);
        let evidence = reason.map_or_else(
            || one.instance.evidence.clone(),
            |reason| reason.for_people(texts),
        );
        match one.instance.name.as_str() {
            "" => evidence,
            name => format!("{}: {evidence}", line(name)),
        }
    };
    let sentences: Vec<String> = about.iter().map(sentence).collect();
    let thread = match about {
        [one] => format!("alarm:{}:{}", alarm.id, one.subject),
        _ => format!("alarm:{}", alarm.id),
    };
    let alerts: Vec<Value> = about.iter().map(|one| alert(one, what)).collect();
    Notice {
        kind: kind(what).to_owned(),
        timestamp: iso_ms(sending.now_ms),
        title: title.into_owned(),
        text: sentences.join("\n"),
        link: sending.base_url.to_owned(),
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
