//! From observations to the instances of an alarm and their messages. Pure.

use std::collections::BTreeMap;

use super::{
    Alarm,
    dispatch::{Alert, Message, Moment, dispatch},
    machine::{Phase, Signal, Standing, Verdict, group, step},
    model::{Instance, Instances},
    observations::Observation,
    reason::Reason,
};

#[derive(Debug)]
pub(super) struct EvaluatedAlarm {
    pub(super) instances: Instances,
    pub(super) messages: Vec<Message>,
}

/// Evaluates all subjects of an alarm at one moment. Subjects that are gone are resolved.
pub(super) fn evaluate(
    alarm: &Alarm,
    before: &Instances,
    observations: Vec<Observation>,
    moment: &Moment<'_>,
) -> EvaluatedAlarm {
    let now_ms = moment.now_ms;
    let mut instances = Instances::new();
    for one in observations {
        let known = before.get(&one.subject).cloned().unwrap_or_default();
        let evaluation = one.evaluation;
        let standing = step(
            known.standing,
            now_ms,
            evaluation.verdict,
            alarm.fields.timing(),
        );
        let keeps_evidence = evaluation.verdict == Verdict::Unknown && !known.evidence.is_empty();
        let instance = if keeps_evidence {
            Instance { standing, ..known }
        } else {
            Instance {
                standing,
                name: one.name,
                evidence: evaluation.reason.for_programs(),
                reason: Some(evaluation.reason),
                value: evaluation.value,
                threshold: evaluation.threshold,
                recipients: known.recipients,
            }
        };
        instances.insert(one.subject, instance);
    }
    for (subject, known) in before {
        if known.is_owed() && !instances.contains_key(subject) {
            instances.insert(subject.clone(), end_instance(known, now_ms));
        }
    }
    let mut standings: Vec<Standing> = instances.values().map(|one| one.standing).collect();
    let timing = (alarm.fields.timing(), alarm.wait_ms());
    let signals = group(&mut standings, now_ms, timing, alarm.is_muted(now_ms));
    for (instance, standing) in instances.values_mut().zip(standings) {
        instance.standing = standing;
    }
    let signal =
        |(nth, signal): (usize, Signal)| Some((instances.keys().nth(nth)?.clone(), signal));
    let signals: BTreeMap<String, Signal> = signals.into_iter().filter_map(signal).collect();
    let messages = dispatch(alarm, &mut instances, &signals, moment);
    EvaluatedAlarm {
        instances,
        messages,
    }
}

/// Resolves everything that destinations believe to fire, at once: quiet hours and rate limits don't apply.
pub(super) fn resolve_all(alarm: &Alarm, before: &Instances, moment: &Moment<'_>) -> Vec<Message> {
    let mut messages = Vec::new();
    for to in alarm.destinations.iter().filter(|to| to.disabled.is_none()) {
        let knows = |known: &Instance| {
            let recipient = known.recipients.get(to.id.as_str());
            recipient.map_or(known.standing.told, |recipient| recipient.knows)
        };
        let alerts = before.iter().filter(|(_, known)| knows(known));
        let alerts = alerts.map(|(subject, known)| Alert {
            subject: subject.clone(),
            instance: end_instance(known, moment.now_ms),
        });
        let alerts: Vec<Alert> = alerts.collect();
        let signal = Some(Signal::Resolved);
        for (nth, alerts) in alerts.chunks(moment.size(to)).enumerate() {
            messages.push(Message {
                destination: to.id.clone(),
                signal,
                alerts: alerts.to_vec(),
                missed: 0,
                limited: false,
                has_fallback: false,
                key: moment.key(signal, nth),
            });
        }
    }
    messages
}

fn end_instance(known: &Instance, now_ms: i64) -> Instance {
    if !known.standing.told {
        return known.clone();
    }
    Instance {
        standing: Standing {
            phase: Phase::Quiet,
            since_ms: now_ms,
            ..known.standing
        },
        evidence: Reason::Gone.for_programs(),
        reason: Some(Reason::Gone),
        ..known.clone()
    }
}
