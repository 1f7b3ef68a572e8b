//! Which destination gets which message about an alarm, and when. Pure.
//!
//! What the alarm says is [`Standing::told`], what a destination knows is its [`Recipient`]. The
//! difference is sent as soon as mute windows, quiet hours and the rate limit let it: it can be late, but never lost, repeated or
//! reversed. Both are stored in the transaction that puts the message into the outbox.

mod chain;
mod message;
mod send;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::{
    Alarm, Destination,
    machine::{Signal, Standing},
    model::{Instance, Instances},
    routing::Recipient,
};
use crate::{actors::delivery::Channels, ids::DestinationId};

pub(super) use chain::resolve_fallbacks;
use chain::{find_fallback, find_recipients};
use message::event;
pub(super) use message::{Alert, Message};
use send::send_due;

/// What a dispatch depends on beside the alarm.
pub(super) struct Moment<'a> {
    pub(super) now_ms: i64,
    /// Makes the keys of messages unique.
    pub(super) id: &'a str,
    pub(super) channels: &'a Channels,
    /// The keys of messages that failed for good, and when they did, Unix milliseconds.
    pub(super) failures: &'a HashMap<String, i64>,
    /// When messages were sent to destinations with a rate limit, Unix milliseconds.
    pub(super) sent: &'a HashMap<DestinationId, Vec<i64>>,
    /// Whether there is none after it: nothing is held back.
    pub(super) is_last: bool,
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
    let uses_routing = alarm.uses_routing();
    let is_late = |to: &Destination, standing: &Standing| uses_routing && is_newer(to, standing);
    let is_settled = |instance: &Instance| {
        let mut all = alarm.destinations.iter();
        instance.recipients.is_empty() && !all.any(|to| is_late(to, &instance.standing))
    };
    if signals.is_empty() && instances.values().all(is_settled) {
        return Vec::new();
    }
    for (subject, instance) in instances.iter_mut() {
        let signal = signals.get(subject).copied();
        if signal.is_some() || !is_settled(instance) {
            open_accounts(alarm, instance, signal, is_late);
            note_failures(alarm, instance, moment);
            note_signal(alarm, instance, signal);
        }
    }
    // A mute window withholds what waits, too.
    let is_muted = alarm.is_muted(moment.now_ms) && !moment.is_last;
    let open = alarm.destinations.iter();
    let open = open.filter(|to| to.disabled.is_none() && !is_muted);
    let messages = open.flat_map(|to| send_due(alarm, to, instances, moment));
    let messages = messages.collect();
    for instance in instances.values_mut() {
        let standing = instance.standing;
        instance.recipients.retain(|id, recipient| {
            let is_unsettled = recipient.settle(&standing, moment.now_ms);
            let to = alarm.destination(id);
            // A destination that was added later counts as one that was told nothing, unless an account says otherwise.
            to.is_some_and(|to| is_unsettled || is_late(to, &standing))
        });
    }
    messages
}

/// Whether a destination was added while the alert fires: what the alarm said before was not sent to it.
const fn is_newer(to: &Destination, standing: &Standing) -> bool {
    standing.told && to.created_ms > standing.fired_ms
}

/// Says of each destination what it knows: without an account, what the alarm said before.
fn open_accounts(
    alarm: &Alarm,
    instance: &mut Instance,
    signal: Option<Signal>,
    is_late: impl Fn(&Destination, &Standing) -> bool,
) {
    let standing = instance.standing;
    let said = Standing {
        told: signal.map_or(standing.told, |signal| signal != Signal::Fired),
        ..standing
    };
    for to in &alarm.destinations {
        let known = instance.recipients.entry(to.id.to_string());
        let knows = said.told && !is_late(to, &said);
        known.or_insert_with(|| Recipient::new(knows));
    }
}

/// Notes which messages failed for good. Of an alert that is over by now, the fallback gets a summary.
fn note_failures(alarm: &Alarm, instance: &mut Instance, moment: &Moment<'_>) {
    let fired = event(Some(Signal::Fired));
    for to in &alarm.destinations {
        let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) else {
            continue;
        };
        let (prefix, mut failed_ms, mut is_lost) = (to.key_prefix(), recipient.failed_ms, false);
        recipient.sent.retain(|key| {
            let Some(at_ms) = moment.failures.get(&format!("{prefix}{key}")) else {
                return true;
            };
            failed_ms = failed_ms.max(Some(*at_ms));
            is_lost |= key.contains(fired);
            false
        });
        // A change since then may have repaired the destination.
        recipient.failed_ms = failed_ms.filter(|at_ms| *at_ms >= to.updated_ms);
        recipient.knows &= !is_lost;
        if !is_lost || instance.standing.told {
            continue;
        }
        let has_failed = |one: &Destination| instance.has_failed(one);
        let fallback = find_fallback(&alarm.destinations, to, alarm.severity(), has_failed);
        let id = fallback.map(|fallback| fallback.id.to_string());
        let recipient = id.and_then(|id| instance.recipients.get_mut(&id));
        // Who knows of the alert is told its end.
        if let Some(recipient) = recipient.filter(|recipient| !recipient.knows) {
            (recipient.missed, recipient.limited) = (recipient.missed + 1, true);
        }
    }
}

/// Notes what the alarm says of one subject, and finds what is due at each destination.
fn note_signal(alarm: &Alarm, instance: &mut Instance, signal: Option<Signal>) {
    let standing = instance.standing;
    if signal == Some(Signal::Fired) {
        instance.recipients.values_mut().for_each(Recipient::begin);
    }
    let has_failed = |one: &Destination| instance.has_failed(one);
    let addressed = find_recipients(&alarm.destinations, alarm.severity(), has_failed);
    for to in &alarm.destinations {
        let Some(recipient) = instance.recipients.get_mut(to.id.as_str()) else {
            continue;
        };
        let is_addressed = addressed.contains(&to.id.as_str());
        recipient.hear(signal, &standing, is_addressed);
        if to.disabled.is_some() {
            recipient.skip(standing.told);
        }
    }
}
