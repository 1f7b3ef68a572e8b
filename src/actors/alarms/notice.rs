//! Messages about alerts, one for each destination. Pure.

use serde_json::{Value, json};

use super::{
    Alarm, Destination,
    dispatch::{Alert, Message},
    machine::Signal,
};
use crate::{
    actors::{
        delivery::{Delivery, Email, Hook, Notice, line},
        organizations::{OrganizationsView, Person},
    },
    clock::iso_ms,
    locale::Texts,
};

/// Who sends messages, when, and to whom.
pub(super) struct Sending<'a> {
    pub(super) base_url: &'a str,
    pub(super) now_ms: i64,
    pub(super) organizations: &'a OrganizationsView,
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

/// The messages of one moment, ready for the outbox.
pub(super) fn deliveries(
    alarm: &Alarm,
    messages: &[Message],
    sending: &Sending<'_>,
) -> Vec<Delivery> {
    let known = messages.iter().filter_map(|message| {
        let to = alarm.destination(message.destination.as_str())?;
        Some((to, message))
    });
    let deliveries = known.map(|(to, message)| {
        let notice = notice(alarm, message, (sending, to));
        let key = format!("{}{}", to.key_prefix(), message.key);
        let delivery = delivery(alarm, to, notice, (key, sending.now_ms));
        if message.has_fallback {
            delivery.with_fallback()
        } else {
            delivery
        }
    });
    deliveries.collect()
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
    let key = format!("{}test", to.key_prefix());
    delivery(alarm, to, notice, (key, now_ms))
}

fn notice(alarm: &Alarm, message: &Message, (sending, to): (&Sending<'_>, &Destination)) -> Notice {
    let (texts, is_read) = (sending.texts(to), to.kind.is_email());
    let about = message.alerts.as_slice();
    let sentence = |one: &Alert| {
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
    let mut sentences: Vec<String> = about.iter().map(sentence).collect();
    if message.missed > 0 {
        let missed = texts.alert_missed(u64::from(message.missed));
        sentences.push(missed.into_owned());
    }
    let thread = match about {
        [one] => format!("alarm:{}:{}", alarm.id, one.subject),
        _ => format!("alarm:{}", alarm.id),
    };
    let alerts: Vec<Value> = about.iter().map(|one| alert(one, message.signal)).collect();
    let mut data = json!({ "alarm": about_alarm(alarm), "alerts": alerts });
    if message.missed > 0 {
        data["missed"] = json!(message.missed);
    }
    Notice {
        kind: message.event().to_owned(),
        timestamp: iso_ms(sending.now_ms),
        title: title(alarm, message, texts),
        text: sentences.join("\n"),
        link: sending.base_url.to_owned(),
        thread,
        // What was missed is over.
        resolved: matches!(message.signal, Some(Signal::Resolved) | None),
        data,
    }
}

fn title(alarm: &Alarm, message: &Message, texts: Texts) -> String {
    let name = line(&alarm.fields.name);
    let count = message.alerts.len() as u64;
    let name = match message.alerts.as_slice() {
        [one] if message.missed == 0 && one.instance.name.is_empty() => name,
        [one] if message.missed == 0 => format!("{name}: {}", line(&one.instance.name)),
        _ if message.limited => {
            let count = count + u64::from(message.missed);
            texts.alert_more(&name, count).into_owned()
        }
        _ => texts.alert_subjects(&name, count).into_owned(),
    };
    let title = match message.signal {
        Some(Signal::Fired) => texts.alert_fired(&name),
        Some(Signal::Repeated) => texts.alert_repeated(&name),
        Some(Signal::Resolved) => texts.alert_resolved(&name),
        None => return name,
    };
    title.into_owned()
}

fn about_alarm(alarm: &Alarm) -> Value {
    let mut about = json!({
        "id": alarm.id,
        "name": alarm.fields.name,
        "organizationId": alarm.organization,
        "websiteId": alarm.fields.website_id,
        "triggerType": alarm.fields.trigger_type,
    });
    if let Some(severity) = alarm.fields.severity {
        about["severity"] = json!(severity);
    }
    about
}

fn alert(one: &Alert, signal: Option<Signal>) -> Value {
    let instance = &one.instance;
    let is_over = signal == Some(Signal::Resolved);
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
