//! A round of evaluations between memory and storage: what is written, what failed for good, what counts for rate limits.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Alarm, AlarmError, AlarmsEnv, AlarmsView, Destination, dispatch::Message,
    evaluate::EvaluatedAlarm, notice, repo,
};
use crate::{
    actors::delivery::{self, Delivery, FailedDelivery},
    ids::DestinationId,
    store::StateError,
};

/// What the keys of all deliveries of alarms begin with.
const KEYS: &str = "alarm:";
/// How long messages count for rate limits at most, milliseconds.
const COUNTED_MS: i64 = 86_400_000;

#[derive(Debug, Default)]
pub(super) struct Round {
    /// Alarms that changed. The flag says whether the change is stored.
    pub(super) after: Vec<(Arc<Alarm>, EvaluatedAlarm, bool)>,
    pub(super) disabled: Vec<Arc<Alarm>>,
    pub(super) failed: Vec<FailedDelivery>,
    /// Up to when messages that failed for good were handled, Unix milliseconds.
    pub(super) failed_ms: i64,
}

type Sent = HashMap<DestinationId, Vec<i64>>;

const fn is_limited(to: &Destination) -> bool {
    to.endpoint.routing.rate_limit.is_some()
}

/// When messages were sent to destinations with a rate limit, by the outbox.
pub(super) async fn load_sent(
    env: &AlarmsEnv,
    view: &AlarmsView,
    now_ms: i64,
) -> Result<Sent, StateError> {
    let all = view.alarms.values().flat_map(|alarm| &alarm.destinations);
    let limited: HashSet<&str> = all
        .filter(|to| is_limited(to))
        .map(|to| to.id.as_str())
        .collect();
    if limited.is_empty() {
        return Ok(Sent::new());
    }
    let created = delivery::list_created(&env.db, KEYS, now_ms - COUNTED_MS).await?;
    Ok(count_sent(&limited, created, now_ms))
}

/// Times of deliveries by their destinations, of those that are limited.
fn count_sent(limited: &HashSet<&str>, created: Vec<(String, i64)>, now_ms: i64) -> Sent {
    let mut sent = Sent::new();
    for (key, at_ms) in created {
        let id = Destination::id_in_key(&key).filter(|id| limited.contains(id));
        if let Some(id) = id.filter(|_| at_ms <= now_ms) {
            sent.entry(id.into()).or_default().push(at_ms);
        }
    }
    sent
}

/// Counts messages that are stored.
pub(super) fn note_sent(sent: &mut Sent, alarm: &Alarm, messages: &[Message], now_ms: i64) {
    for message in messages {
        let to = alarm.destination(message.destination.as_str());
        if to.is_some_and(is_limited) {
            let times = sent.entry(message.destination.clone()).or_default();
            times.retain(|at_ms| now_ms - COUNTED_MS < *at_ms && *at_ms <= now_ms);
            times.push(now_ms);
        }
    }
}

/// Writes how alarms stand and their deliveries in one transaction, and disables destinations that answered 410. The next round
/// gives what failed for good to fallbacks.
pub(super) async fn write(
    env: &AlarmsEnv,
    view: &AlarmsView,
    mut round: Round,
    now_ms: i64,
) -> Result<Round, AlarmError> {
    // Overlaps with the last tick, because writes come in late.
    round.failed = delivery::list_failed(&env.db, KEYS, round.failed_ms - 60_000).await?;
    round.disabled = disabled(view, &round.failed);
    round.failed_ms = now_ms;
    let is_nothing = round.after.iter().all(|(.., stored)| !stored);
    if is_nothing && round.disabled.is_empty() {
        return Ok(round);
    }
    let none = Arc::default();
    let write = env.db.begin_as_leader().await?;
    for alarm in &round.disabled {
        repo::put(env, &*write, alarm).await?;
        for email in owner_emails(env, alarm) {
            env.outbox.put(&write, email, now_ms).await?;
        }
    }
    for (alarm, after, _) in round.after.iter().filter(|(.., stored)| *stored) {
        if !repo::is_there(&*write, &alarm.id).await? {
            continue;
        }
        let before = view.instances.get(&alarm.id).unwrap_or(&none);
        repo::store_standings(&*write, &alarm.id, before, &after.instances).await?;
        env.send_messages(&write, alarm, &after.messages, now_ms)
            .await?;
    }
    write.commit().await?;
    env.outbox.ring();
    Ok(round)
}

/// The emails to an organization's owners about disabled destinations, if email is configured.
fn owner_emails(env: &AlarmsEnv, alarm: &Alarm) -> Vec<Delivery> {
    if !env.senders.delivers_mail() {
        return Vec::new();
    }
    let organizations = env.organizations.view();
    let owners = organizations.owners(&alarm.organization).into_iter();
    let emails = owners.flat_map(|owner| notice::disabled_emails(alarm, owner));
    emails.collect()
}

/// Alarms with a destination that has answered 410 since its last change, with that destination disabled.
fn disabled(view: &AlarmsView, failed: &[FailedDelivery]) -> Vec<Arc<Alarm>> {
    let mut changed = Vec::new();
    let gone: Vec<&FailedDelivery> = failed.iter().filter(|one| one.is_gone).collect();
    for alarm in view.alarms.values().filter(|_| !gone.is_empty()) {
        let mut after = alarm.as_ref().clone();
        for to in &mut after.destinations {
            let prefix = to.key_prefix();
            let is_gone = gone
                .iter()
                .any(|one| one.key.starts_with(&prefix) && one.at_ms > to.updated_ms);
            if to.disabled.is_none() && is_gone {
                tracing::warn!(alarm.id = %alarm.id, destination.id = %to.id, "a receiver wants no more messages");
                to.disabled = Some("The recipient answered 410 Gone".to_owned());
            }
        }
        if after.destinations != alarm.destinations {
            changed.push(Arc::new(after));
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_count_for_limited_destinations_by_the_id_in_their_keys() {
        let limited = HashSet::from(["a", "b"]);
        let created = [
            ("alarm:a:1:alarm.fired:0", 5),
            ("alarm:ab:1:alarm.fired:0", 6),
            ("alarm:b:2:alarm.summary:0", 7),
            ("alarm:a:test", 8),
            ("alarm:a:3:alarm.fired:0", 11),
        ];
        let created = created.map(|(key, at_ms)| (key.to_owned(), at_ms));
        let sent = count_sent(&limited, Vec::from(created), 10);
        assert_eq!(sent.get("a"), Some(&vec![5, 8]));
        assert_eq!(sent.get("b"), Some(&vec![7]));
        assert_eq!(sent.len(), 2);
    }
}
