//! What a destination gets at one moment. Pure.

use super::{Alert, Message, Moment, chain::find_fallback};
use crate::actors::alarms::{
    Alarm, Destination,
    machine::{Signal, Standing},
    model::Instances,
    routing::Recipient,
};

/// The subjects of one message that is due.
struct DueMessage {
    signal: Signal,
    nth: usize,
    subjects: Vec<String>,
    rank: (u8, i64),
}

/// The messages that a destination gets now. What its quiet hours or its rate limit withhold stays due.
pub(super) fn send_due(
    alarm: &Alarm,
    to: &Destination,
    instances: &mut Instances,
    moment: &Moment<'_>,
) -> Vec<Message> {
    let (routing, now_ms) = (&to.endpoint.routing, moment.now_ms);
    if routing.is_quiet(alarm.severity(), now_ms) && !moment.is_last {
        return Vec::new();
    }
    let sent = moment.sent.get(&to.id).map_or(&[][..], Vec::as_slice);
    let mut room = if moment.is_last {
        usize::MAX
    } else {
        routing.count_room(sent, now_ms)
    };
    let last_ms = sent.iter().copied().filter(|at_ms| *at_ms <= now_ms).max();
    let mut messages: Vec<Message> = Vec::new();
    let mut is_full = false;
    for due in list_due(instances, to, moment.size(to), last_ms) {
        if room == 0 {
            is_full = true;
            hold(instances, to, &due.subjects);
            continue;
        }
        room -= 1;
        messages.push(take(alarm, instances, to, (due, moment)));
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

/// The messages that are due at a destination, in their order. What waits since before its last message goes first, oldest first, and
/// nothing waits forever. Alerts that fire go before those that are over, and reminders go last.
fn list_due(
    instances: &Instances,
    to: &Destination,
    size: usize,
    last_ms: Option<i64>,
) -> Vec<DueMessage> {
    let mut all = Vec::new();
    for signal in [Signal::Fired, Signal::Resolved, Signal::Repeated] {
        let subjects = find_due(instances, to, signal);
        for (nth, subjects) in subjects.chunks(size).enumerate() {
            let known = subjects.iter().filter_map(|subject| instances.get(subject));
            let since_ms = known.map(|one| since_ms(&one.standing, signal)).min();
            let waited_ms = since_ms.filter(|at_ms| Some(*at_ms) <= last_ms);
            let rank = match (signal, waited_ms) {
                (Signal::Repeated, _) => (3, 0),
                (_, Some(at_ms)) => (0, at_ms),
                (Signal::Fired, None) => (1, 0),
                (Signal::Resolved, None) => (2, 0),
            };
            all.push(DueMessage {
                signal,
                nth,
                subjects: subjects.to_vec(),
                rank,
            });
        }
    }
    all.sort_by_key(|due| due.rank);
    all
}

/// Since when this is to be said of a subject, Unix milliseconds.
const fn since_ms(standing: &Standing, signal: Signal) -> i64 {
    match signal {
        Signal::Fired => standing.fired_ms,
        Signal::Repeated | Signal::Resolved => standing.told_ms,
    }
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

/// Whether another destination gets the message if it fails. Who has not heard of an alert needs no end of it.
fn has_fallback(alarm: &Alarm, instances: &Instances, to: &Destination, due: &DueMessage) -> bool {
    let mut known = due.subjects.iter().filter_map(|one| instances.get(one));
    due.signal != Signal::Resolved
        && known.any(|instance| {
            let has_failed = |one: &Destination| instance.has_failed(one);
            find_fallback(&alarm.destinations, to, alarm.severity(), has_failed).is_some()
        })
}

/// A message about these subjects, which the destination knows from now on.
fn take(
    alarm: &Alarm,
    instances: &mut Instances,
    to: &Destination,
    (due, moment): (DueMessage, &Moment<'_>),
) -> Message {
    let has_fallback = has_fallback(alarm, instances, to, &due);
    let key = moment.key(Some(due.signal), due.nth);
    let tracked = has_fallback.then_some(key.as_str());
    let (mut alerts, mut limited) = (Vec::new(), false);
    for subject in &due.subjects {
        let Some(instance) = instances.get_mut(subject) else {
            continue;
        };
        alerts.push(Alert {
            subject: subject.clone(),
            instance: instance.clone(),
        });
        if let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) {
            limited |= recipient.limited;
            recipient.note_sent(due.signal, tracked);
        }
    }
    Message {
        destination: to.id.clone(),
        signal: Some(due.signal),
        alerts,
        missed: 0,
        limited,
        has_fallback,
        key,
    }
}
