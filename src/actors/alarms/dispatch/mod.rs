//! Which destination gets which message about an alarm, and when. Pure.
//!
//! What the alarm says is [`Standing::told`](super::machine::Standing::told), what a destination knows is its [`Recipient`]. The
//! difference is sent as soon as quiet hours and the rate limit let it: it can be late, but never lost, repeated or reversed. Both
//! are stored in the transaction that puts the message into the outbox.

mod chain;
mod message;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::{
    Alarm, Destination,
    machine::Signal,
    model::{Instance, Instances},
    routing::{LastMessage, Recipient},
};
use crate::{actors::delivery::Channels, ids::DestinationId};

pub(super) use chain::resolve_fallbacks;
use chain::{find_fallback, find_recipients};
use message::event;
pub(super) use message::{Alert, Message};

/// What a dispatch depends on beside the alarm.
pub(super) struct Moment<'a> {
    pub(super) now_ms: i64,
    /// Makes the keys of messages unique.
    pub(super) id: &'a str,
    pub(super) channels: &'a Channels,
    /// The keys of messages that failed for good.
    pub(super) failures: &'a HashMap<String, i64>,
    /// When messages were sent to destinations with a rate limit, Unix milliseconds.
    pub(super) sent: &'a HashMap<DestinationId, Vec<i64>>,
}

impl Moment<'_> {
    /// Alerts in a message to a destination: incident services need one message for each.
    pub(super) fn size(&self, to: &Destination) -> usize {
        let channel = self.channels.get(to.kind.as_str());
        let is_alone = channel.is_some_and(|channel| channel.one_by_one);
        if is_alone { 1 } else { usize::MAX }
    }

    pub(super) fn key(&self, signal: Option<Signal>, nth: usize) -> String {
        format!("{}:{}:{nth}", self.id, event(signal))
    }
}

/// The messages of a moment. Notes in the instances what destinations know.
pub(super) fn dispatch(
    alarm: &Alarm,
    instances: &mut Instances,
    signals: &BTreeMap<String, Signal>,
    moment: &Moment<'_>,
) -> Vec<Message> {
    let is_settled = |instance: &Instance| instance.recipients.is_empty();
    if signals.is_empty() && instances.values().all(is_settled) {
        return Vec::new();
    }
    for (subject, instance) in instances.iter_mut() {
        let signal = signals.get(subject).copied();
        if signal.is_some() || !is_settled(instance) {
            note_failures(alarm, instance, moment);
            note_signal(alarm, instance, signal);
        }
    }
    let enabled = alarm.destinations.iter();
    let enabled = enabled.filter(|to| to.disabled.is_none());
    let messages = enabled.flat_map(|to| send_due(alarm, to, instances, moment));
    let messages = messages.collect();
    for instance in instances.values_mut() {
        let told = instance.standing.told;
        instance.recipients.retain(|id, recipient| {
            let is_unsettled = recipient.settle(told);
            is_unsettled && alarm.destination(id).is_some()
        });
    }
    messages
}

/// Notes which last messages failed for good. Of an alert that is over by now, the fallback gets a summary.
fn note_failures(alarm: &Alarm, instance: &mut Instance, moment: &Moment<'_>) {
    for to in &alarm.destinations {
        let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) else {
            continue;
        };
        let LastMessage::Sent(key) = &recipient.last else {
            continue;
        };
        let whole = format!("{}{key}", to.key_prefix());
        if !moment.failures.contains_key(&whole) {
            continue;
        }
        let is_first = key.contains(event(Some(Signal::Fired)));
        recipient.last = LastMessage::Failed;
        if !is_first {
            continue;
        }
        recipient.knows = false;
        let fallback = find_fallback(&alarm.destinations, to);
        if let Some(fallback) = fallback.filter(|_| !instance.standing.told) {
            let id = fallback.id.to_string();
            let recipient = instance.recipients.entry(id).or_default();
            (recipient.missed, recipient.limited) = (recipient.missed + 1, true);
        }
    }
}

/// Notes what the alarm says of one subject, and finds what is due at each destination.
fn note_signal(alarm: &Alarm, instance: &mut Instance, signal: Option<Signal>) {
    let knew = match signal {
        Some(signal) => signal != Signal::Fired,
        None => instance.standing.told,
    };
    for to in &alarm.destinations {
        let known = instance.recipients.entry(to.id.to_string());
        let recipient = known.or_insert_with(|| Recipient::new(knew));
        if signal == Some(Signal::Fired) {
            recipient.last = LastMessage::None;
        }
    }
    let has_failed = |to: &Destination| {
        let recipient = instance.recipients.get(to.id.as_str());
        recipient.is_some_and(|recipient| recipient.last == LastMessage::Failed)
    };
    let addressed = find_recipients(&alarm.destinations, alarm.severity(), has_failed);
    for to in &alarm.destinations {
        let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) else {
            continue;
        };
        let is_addressed = addressed.contains(&to.id.as_str());
        recipient.hear(signal, &instance.standing, is_addressed);
        if to.disabled.is_some() {
            recipient.skip(instance.standing.told);
        }
    }
}

/// The messages that a destination gets now. What its quiet hours or its rate limit withhold stays due.
fn send_due(
    alarm: &Alarm,
    to: &Destination,
    instances: &mut Instances,
    moment: &Moment<'_>,
) -> Vec<Message> {
    let routing = &to.endpoint.routing;
    if routing.is_quiet(alarm.severity(), moment.now_ms) {
        return Vec::new();
    }
    let sent = moment.sent.get(&to.id).map_or(&[][..], Vec::as_slice);
    let mut room = routing.count_room(sent, moment.now_ms);
    let mut messages: Vec<Message> = Vec::new();
    let mut is_full = false;
    for signal in [Signal::Fired, Signal::Repeated, Signal::Resolved] {
        let due = find_due(instances, to, signal);
        for (nth, subjects) in due.chunks(moment.size(to)).enumerate() {
            if room == 0 {
                is_full = true;
                hold(instances, to, subjects);
                continue;
            }
            room -= 1;
            let key = moment.key(Some(signal), nth);
            messages.push(take(alarm, instances, to, (signal, subjects, key)));
        }
    }
    let (missed, is_limited) = count_missed(instances, to);
    if missed == 0 || (messages.is_empty() && (is_full || (is_limited && room == 0))) {
        return messages;
    }
    // An incident service has an incident for each alert, and none for what was missed.
    let takes_summary = moment.size(to) > 1;
    if let Some(first) = messages.first_mut().filter(|_| takes_summary) {
        first.missed = missed;
    } else if is_limited && takes_summary {
        messages.push(Message {
            destination: to.id.clone(),
            signal: None,
            alerts: Vec::new(),
            missed,
            limited: true,
            has_fallback: false,
            key: moment.key(None, 0),
        });
    }
    for recipient in recipients_of(instances, to) {
        recipient.missed = 0;
    }
    messages
}

fn recipients_of<'a>(
    instances: &'a mut Instances,
    to: &'a Destination,
) -> impl Iterator<Item = &'a mut Recipient> {
    let all = instances.values_mut();
    all.filter_map(move |instance| instance.recipients.get_mut(to.id.as_str()))
}

/// The subjects about which a destination is to be told this.
fn find_due(instances: &Instances, to: &Destination, signal: Signal) -> Vec<String> {
    let due = instances.iter().filter(|(_, instance)| {
        let recipient = instance.recipients.get(to.id.as_str());
        recipient.is_some_and(|recipient| recipient.due == Some(signal))
    });
    due.map(|(subject, _)| subject.clone()).collect()
}

/// How many alerts a destination missed, and whether its rate limit was the reason.
fn count_missed(instances: &mut Instances, to: &Destination) -> (u32, bool) {
    let missed = recipients_of(instances, to).filter(|recipient| recipient.missed > 0);
    missed.fold((0, false), |(missed, limited), recipient| {
        (missed + recipient.missed, limited || recipient.limited)
    })
}

fn hold(instances: &mut Instances, to: &Destination, subjects: &[String]) {
    for subject in subjects {
        let instance = instances.get_mut(subject);
        let recipient = instance.and_then(|one| one.recipients.get_mut(to.id.as_str()));
        if let Some(recipient) = recipient {
            recipient.limited = true;
        }
    }
}

/// A message about these subjects, which the destination knows from now on.
fn take(
    alarm: &Alarm,
    instances: &mut Instances,
    to: &Destination,
    (signal, subjects, key): (Signal, &[String], String),
) -> Message {
    // Who has not heard of an alert needs no end of it.
    let fallback = find_fallback(&alarm.destinations, to).filter(|_| signal != Signal::Resolved);
    let has_fallback = fallback.is_some_and(|one| one.endpoint.routing.takes(alarm.severity()));
    let last = if has_fallback {
        LastMessage::Sent(key.clone())
    } else {
        LastMessage::None
    };
    let (mut alerts, mut limited) = (Vec::new(), false);
    for subject in subjects {
        let Some(instance) = instances.get_mut(subject) else {
            continue;
        };
        alerts.push(Alert {
            subject: subject.clone(),
            instance: instance.clone(),
        });
        if let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) {
            limited |= recipient.limited;
            recipient.note_sent(signal, last.clone());
        }
    }
    Message {
        destination: to.id.clone(),
        signal: Some(signal),
        alerts,
        missed: 0,
        limited,
        has_fallback,
        key,
    }
}
