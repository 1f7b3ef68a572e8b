//! From what is seen to how an alarm stands and what is told. Pure.

use super::{
    Alarm,
    machine::{Phase, Reading, Signal, Standing, group, step},
    model::{Instance, Instances},
    notice::About,
    readings::Seen,
};

/// What follows from what was seen.
#[derive(Debug)]
pub(super) struct After {
    pub(super) instances: Instances,
    pub(super) told: Vec<(About, Signal)>,
}

/// Judges everything that an alarm is about at one moment. What is not there any more is over.
pub(super) fn evaluate(alarm: &Alarm, before: &Instances, seen: Vec<Seen>, now_ms: i64) -> After {
    let mut instances = Instances::new();
    for one in seen {
        let known = before.get(&one.subject).cloned().unwrap_or_default();
        let judged = one.judged;
        let standing = step(
            known.standing,
            now_ms,
            judged.reading,
            alarm.fields.timing(),
        );
        let says_nothing = judged.reading == Reading::Unknown && !known.evidence.is_empty();
        let instance = if says_nothing {
            Instance { standing, ..known }
        } else {
            Instance {
                standing,
                name: one.name,
                evidence: judged.evidence,
                value: judged.value,
                threshold: judged.threshold,
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
    let told = group(&mut standings, now_ms, timing, alarm.is_muted(now_ms));
    for (instance, standing) in instances.values_mut().zip(standings) {
        instance.standing = standing;
    }
    let about = |(nth, what): (usize, Signal)| {
        let (subject, instance) = instances.iter().nth(nth)?;
        let about = About {
            subject: subject.clone(),
            instance: instance.clone(),
        };
        Some((about, what))
    };
    let told = told.into_iter().filter_map(about).collect();
    After { instances, told }
}

/// What is told when nobody looks any more.
pub(super) fn closed(before: &Instances, now_ms: i64) -> Vec<(About, Signal)> {
    let told = before.iter().filter(|(_, known)| known.standing.told);
    let about = |(subject, known): (&String, &Instance)| About {
        subject: subject.clone(),
        instance: end_instance(known, now_ms),
    };
    told.map(|one| (about(one), Signal::Resolved)).collect()
}

fn end_instance(known: &Instance, now_ms: i64) -> Instance {
    Instance {
        standing: Standing {
            phase: Phase::Quiet,
            since_ms: now_ms,
            ..known.standing
        },
        evidence: "It is not watched any more.".to_owned(),
        ..known.clone()
    }
}
