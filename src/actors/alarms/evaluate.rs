//! From observations to the instances of an alarm and their signals. Pure.

use super::{
    Alarm,
    machine::{Phase, Signal, Standing, Verdict, group, step},
    model::{Instance, Instances},
    notice::Alert,
    observations::Observation,
    reason::Reason,
};

#[derive(Debug)]
pub(super) struct EvaluatedAlarm {
    pub(super) instances: Instances,
    pub(super) signals: Vec<(Alert, Signal)>,
}

/// Evaluates all subjects of an alarm at one moment. Subjects that are gone are resolved.
pub(super) fn evaluate(
    alarm: &Alarm,
    before: &Instances,
    observations: Vec<Observation>,
    now_ms: i64,
) -> EvaluatedAlarm {
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
            }
        };
        instances.insert(one.subject, instance);
    }
    for (subject, known) in before {
        if known.standing.told && !instances.contains_key(subject) {
            instances.insert(subject.clone(), end_instance(known, now_ms));
        }
    }
    let mut standings: Vec<Standing> = instances.values().map(|one| one.standing).collect();
    let timing = (alarm.fields.timing(), alarm.wait_ms());
    let signals = group(&mut standings, now_ms, timing, alarm.is_muted(now_ms));
    for (instance, standing) in instances.values_mut().zip(standings) {
        instance.standing = standing;
    }
    let alert = |(nth, signal): (usize, Signal)| {
        let (subject, instance) = instances.iter().nth(nth)?;
        let alert = Alert {
            subject: subject.clone(),
            instance: instance.clone(),
        };
        Some((alert, signal))
    };
    let signals = signals.into_iter().filter_map(alert).collect();
    EvaluatedAlarm { instances, signals }
}

/// Resolves everything that people believe to fire.
pub(super) fn resolve_all(before: &Instances, now_ms: i64) -> Vec<(Alert, Signal)> {
    let told = before.iter().filter(|(_, known)| known.standing.told);
    let alert = |(subject, known): (&String, &Instance)| Alert {
        subject: subject.clone(),
        instance: end_instance(known, now_ms),
    };
    told.map(|one| (alert(one), Signal::Resolved)).collect()
}

fn end_instance(known: &Instance, now_ms: i64) -> Instance {
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
