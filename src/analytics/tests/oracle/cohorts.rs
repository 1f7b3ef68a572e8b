//! Who comes back.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Oracle,
    people::people,
    question::{Question, is_activity, is_custom},
    table::{Line, Order, Raw, Says, Table, rounded},
};
use crate::{clock::iso_ms, events::event::Event};

pub(super) const ORACLES: &[Oracle] = &[
    ("identified_profile_retention", cohorts),
    ("retention_cohorts", grid),
];

/// A profile of a website.
type PersonKey<'a> = (i64, &'a str);

/// What happened that matters.
struct Facts<'a> {
    /// Activations of all profiles.
    starts: Vec<&'a Event>,
    /// When each profile was activated first.
    begun: BTreeMap<PersonKey<'a>, i64>,
    /// Returns.
    back: Vec<&'a Event>,
    /// The first instant that is not observed.
    end: i64,
}

fn profile_id(event: &Event) -> Option<&str> {
    event
        .profile
        .as_deref()
        .filter(|profile| !profile.is_empty())
}

fn cohorts(asked: &Question<'_>) -> Table {
    let retention = asked.parameter.retention.as_ref().unwrap();
    let end = retention.observed_before(asked.now);
    let starts = asked.rows(|event| is_custom(event) && event.name == retention.activation_event);
    let mut begun = BTreeMap::new();
    for event in &starts {
        if let Some(profile) = profile_id(event) {
            let first = begun.entry((event.website, profile)).or_insert(event.time);
            *first = event.time.min(*first);
        }
    }
    let back = asked.rows_before(end.max(asked.range.to), |event| {
        is_custom(event) && event.name == retention.return_event
    });
    let facts = Facts {
        starts,
        begun,
        back,
        end,
    };
    let whole = Span {
        kind: "overall",
        date: Value::Null,
        days: (asked.range.first.to_string(), asked.range.last.to_string()),
        from: asked.range.from,
        to: asked.range.to,
    };
    let mut lines = vec![line(asked, &whole, &facts)];
    for bucket in asked.buckets() {
        let here = |event: &&Event| (bucket.start..bucket.end).contains(&event.time);
        if facts.starts.iter().any(here) {
            let day = Span {
                kind: "cohort",
                date: json!(bucket.label),
                days: (bucket.label.clone(), bucket.label.clone()),
                from: bucket.start,
                to: bucket.end,
            };
            lines.push(line(asked, &day, &facts));
        }
    }
    let lines = lines.into_iter().enumerate().map(|(place, says)| Line {
        keys: vec![Raw::Int(place as i64)],
        says,
    });
    Table {
        lines: lines.collect(),
        order: Order::Keys,
    }
}

/// The activations that a row is about.
struct Span {
    kind: &'static str,
    date: Value,
    days: (String, String),
    from: i64,
    to: i64,
}

fn line(asked: &Question<'_>, span: &Span, facts: &Facts<'_>) -> Says {
    let retention = asked.parameter.retention.as_ref().unwrap();
    let length = retention.horizon_days * 86_400_000;
    let here = |time: i64| (span.from..span.to).contains(&time);
    let starts: Vec<_> = facts.starts.iter().filter(|one| here(one.time)).collect();
    let told = starts
        .iter()
        .filter(|one| profile_id(one).is_some())
        .count();
    let activated: Vec<_> = facts.begun.iter().filter(|(_, at)| here(**at)).collect();
    let observed = |(_, at): &&(&PersonKey<'_>, &i64)| **at + length < facts.end;
    let eligible: Vec<_> = activated.iter().filter(observed).collect();
    let returned = |(who, at): &&&(&PersonKey<'_>, &i64)| {
        facts.back.iter().any(|event| {
            let same = (event.website, profile_id(event)) == (who.0, Some(who.1));
            same && event.time > **at && event.time <= **at + length
        })
    };
    let retained = eligible.iter().filter(returned).count();
    let share = |part: usize, whole: usize| {
        let share = (whole > 0).then(|| rounded(100.0 * part as f64 / whole as f64, 2));
        json!(share)
    };
    Says::default()
        .value("row_type", span.kind)
        .value("cohort_date", span.date.clone())
        .value("activated_profiles", activated.len())
        .value("eligible_profiles", eligible.len())
        .value("retained_profiles", retained)
        .value("not_retained_profiles", eligible.len() - retained)
        .value("incomplete_profiles", activated.len() - eligible.len())
        .value("retention_rate", share(retained, eligible.len()))
        .value("activation_events", starts.len())
        .value("identified_activation_events", told)
        .value("unidentified_activation_events", starts.len() - told)
        .value("activation_identity_coverage", share(told, starts.len()))
        .value("cohort_from", span.days.0.clone())
        .value("cohort_to", span.days.1.clone())
        .value("cohort_start", iso_ms(span.from))
        .value("cohort_end", iso_ms(span.to))
        .value("observation_end", retention.observation_end.to_string())
        .value("observed_before", iso_ms(facts.end))
        .value("timezone", asked.range.zone.name())
        .value("horizon_days", retention.horizon_days)
        .value("identity_basis", "direct_profile_id")
        .value("activation_basis", "first_in_cohort_window")
}

/// Who was seen first in which step, and in which ones again.
fn grid(asked: &Question<'_>) -> Table {
    let buckets = asked.buckets();
    let width = asked.parameter.settings.cohort_width as usize;
    let until = asked.range.within_events(asked.now).1.min(asked.now);
    let begun = |bucket: &usize| buckets[*bucket].start <= until;
    let steps: BTreeSet<usize> = (0..buckets.len())
        .filter(begun)
        .map(|at| at / width)
        .collect();
    let mut cohorts: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    for events in people(asked, &asked.rows(is_activity)).into_values() {
        let seen = events
            .iter()
            .map(|event| asked.bucket(&buckets, event.time) / width);
        let seen: BTreeSet<usize> = seen.collect();
        cohorts
            .entry(*seen.first().unwrap())
            .or_default()
            .push(seen);
    }
    let lines = cohorts
        .into_iter()
        .filter(|(cohort, _)| steps.contains(cohort));
    let lines = lines.map(|(cohort, people)| {
        let periods: Vec<Value> = steps
            .range(cohort..)
            .map(|step| {
                let back = people.iter().filter(|seen| seen.contains(step)).count();
                let share = rounded(100.0 * back as f64 / people.len() as f64, 2);
                let share = if share.fract() == 0.0 {
                    json!(share as i64)
                } else {
                    json!(share)
                };
                json!({"period": step - cohort, "people": back, "percentage": share})
            })
            .collect();
        let first = cohort * width;
        let says = buckets[first].says("cohort_date", first);
        Line {
            keys: vec![Raw::Int(first as i64)],
            says: says
                .int(&["people"], people.len())
                .value("periods", periods),
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Keys,
    }
}
