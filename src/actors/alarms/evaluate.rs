//! From observations to the instances of an alarm and their messages. Pure.

use std::collections::BTreeMap;

use super::{
    Alarm,
    dispatch::{Message, Moment, dispatch},
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

/// Evaluates all subjects of an alarm at one moment. Subjects that are gone are resolved. Without observations what the alarm says
/// stays as it is, and messages that wait are sent.
pub(super) fn evaluate(
    alarm: &Alarm,
    before: &Instances,
    observations: Option<Vec<Observation>>,
    moment: &Moment<'_>,
) -> EvaluatedAlarm {
    let (mut instances, signals) = match observations {
        Some(observations) => observe(alarm, before, observations, moment.now_ms),
        None => (before.clone(), BTreeMap::new()),
    };
    let messages = dispatch(alarm, &mut instances, &signals, moment);
    EvaluatedAlarm {
        instances,
        messages,
    }
}

/// The instances after observations, and what the alarm says of them now.
fn observe(
    alarm: &Alarm,
    before: &Instances,
    observations: Vec<Observation>,
    now_ms: i64,
) -> (Instances, BTreeMap<String, Signal>) {
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
    let signals = signals.into_iter().filter_map(signal).collect();
    (instances, signals)
}

/// Resolves everything that destinations believe to fire, in the last moment of an alarm's instances.
pub(super) fn resolve_all(alarm: &Alarm, before: &Instances, moment: &Moment<'_>) -> Vec<Message> {
    let mut signals = BTreeMap::new();
    let ended = before.iter().map(|(subject, known)| {
        let mut ended = end_instance(known, moment.now_ms);
        if ended.standing.told {
            ended.standing.told = false;
            signals.insert(subject.clone(), Signal::Resolved);
        }
        (subject.clone(), ended)
    });
    let mut ended: Instances = ended.collect();
    dispatch(alarm, &mut ended, &signals, moment)
}

/// What it is about is gone: it is over, also if it fires and nothing was said of it yet.
fn end_instance(known: &Instance, now_ms: i64) -> Instance {
    let before = known.standing;
    let is_over = before.phase == Phase::Quiet;
    if is_over && !before.told {
        return known.clone();
    }
    Instance {
        standing: Standing {
            phase: Phase::Quiet,
            since_ms: if is_over { before.since_ms } else { now_ms },
            ..before
        },
        evidence: Reason::Gone.for_programs(),
        reason: Some(Reason::Gone),
        ..known.clone()
    }
}
