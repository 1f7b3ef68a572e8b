//! Which destinations get an alert: the first of each chain of fallbacks that works. Pure.

use std::iter::successors;

use crate::actors::{
    alarms::{Destination, Severity},
    issues::Issues,
};

/// A destination with its fallback, and the fallback of that one, and so on. It ends, whatever they name.
fn follow<'a>(
    all: &'a [Destination],
    from: &'a Destination,
) -> impl Iterator<Item = &'a Destination> {
    let next = move |one: &&'a Destination| {
        let fallback = one.endpoint.routing.fallback.as_deref()?;
        all.iter().find(|other| other.id.as_str() == fallback)
    };
    successors(Some(from), next).take(all.len() + 1)
}

/// The ids of the destinations that get an alert of this severity. What is a fallback gets it only in another's place. If everything in
/// a chain has failed, it is the first place that is not disabled.
pub(super) fn find_recipients(
    all: &[Destination],
    severity: Severity,
    has_failed: impl Fn(&Destination) -> bool,
) -> Vec<&str> {
    let is_fallback = |one: &Destination| {
        let named = all.iter();
        let mut named = named.filter_map(|other| other.endpoint.routing.fallback.as_deref());
        named.any(|id| id == one.id.as_str())
    };
    let takes = |one: &Destination| one.endpoint.routing.takes(severity);
    let mut found = Vec::new();
    for first in all.iter().filter(|one| !is_fallback(one) && takes(one)) {
        let can_get = |one: &&Destination| one.disabled.is_none() && takes(one);
        let works = |one: &&Destination| can_get(one) && !has_failed(one);
        let working = follow(all, first).find(works);
        let Some(to) = working.or_else(|| follow(all, first).find(can_get)) else {
            continue;
        };
        let id = to.id.as_str();
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}

/// The destination that gets what fails at another one.
pub(super) fn find_fallback<'a>(
    all: &'a [Destination],
    failed: &'a Destination,
    severity: Severity,
    has_failed: impl Fn(&Destination) -> bool,
) -> Option<&'a Destination> {
    let takes = |one: &Destination| one.endpoint.routing.takes(severity);
    let works = |one: &Destination| one.disabled.is_none() && takes(one) && !has_failed(one);
    let mut behind = follow(all, failed).skip(1);
    behind.find(|one| works(one) && one.id != failed.id)
}

/// Gives fallbacks that are named by their place in the list their ids, and refuses those that aren't there or lead back.
pub(in crate::actors::alarms) fn resolve_fallbacks(all: &mut [Destination], issues: &mut Issues) {
    let ids: Vec<String> = all.iter().map(|one| one.id.to_string()).collect();
    for (at, one) in all.iter_mut().enumerate() {
        let Some(named) = one.endpoint.routing.fallback.take() else {
            continue;
        };
        let place = named.parse::<usize>().ok();
        let by_place = place.and_then(|place| ids.get(place.checked_sub(1)?));
        let found = ids.iter().find(|id| **id == named).or(by_place);
        match found.filter(|id| id.as_str() != one.id.as_str()) {
            Some(id) => one.endpoint.routing.fallback = Some(id.clone()),
            None => issues.refuse(
                "invalid",
                &format!("destinations.{at}.fallback"),
                "must be another channel of this alert: its id, or its place in the list",
            ),
        }
    }
    let all = &*all;
    for (at, one) in all.iter().enumerate() {
        if follow(all, one).skip(1).any(|other| other.id == one.id) {
            issues.refuse(
                "invalid",
                &format!("destinations.{at}.fallback"),
                "leads back to this channel. Choose a channel whose fallbacks end",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actors::alarms::dispatch::tests::destination;

    /// Destinations with these numbers; each names the number of its fallback.
    fn chain(fallbacks: &[Option<usize>]) -> Vec<Destination> {
        let one = |(number, fallback): (usize, &Option<usize>)| {
            let mut one = destination(&format!("d{number}"));
            one.endpoint.routing.fallback = fallback.map(|to| format!("d{to}"));
            one
        };
        fallbacks.iter().enumerate().map(one).collect()
    }

    fn recipients(all: &[Destination], failed: &[&str]) -> Vec<String> {
        let has_failed = |one: &Destination| failed.contains(&one.id.as_str());
        let found = find_recipients(all, Severity::Warning, has_failed);
        found.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn the_first_that_works_gets_the_alert() {
        let mut all = chain(&[Some(1), Some(2), None, None]);
        assert_eq!(recipients(&all, &[]), ["d0", "d3"]);
        assert_eq!(recipients(&all, &["d0"]), ["d1", "d3"]);
        all[1].disabled = Some("gone".to_owned());
        assert_eq!(recipients(&all, &["d0"]), ["d2", "d3"]);
        // Without any that works, it is the first one that could.
        assert_eq!(recipients(&all, &["d0", "d2"]), ["d0", "d3"]);
        all[0].disabled = Some("gone".to_owned());
        assert_eq!(recipients(&all, &["d0", "d2"]), ["d2", "d3"]);
        all[2].disabled = Some("gone".to_owned());
        assert_eq!(recipients(&all, &["d0", "d2"]), ["d3"]);
    }

    #[test]
    fn severities_are_asked_for_at_both_ends() {
        let mut all = chain(&[Some(1), None]);
        all[1].endpoint.routing.severities = vec![Severity::Critical];
        assert_eq!(recipients(&all, &["d0"]), ["d0"]);
        all[0].disabled = Some("gone".to_owned());
        assert_eq!(recipients(&all, &[]), [""; 0]);
        all[0].disabled = None;
        all[0].endpoint.routing.severities = vec![Severity::Critical];
        all[1].endpoint.routing.severities.clear();
        assert_eq!(recipients(&all, &[]), [""; 0]);
    }

    #[test]
    fn places_become_ids_and_loops_are_refused() {
        let resolve = |fallbacks: &[Option<&str>]| {
            let mut all = chain(&vec![None; fallbacks.len()]);
            for (one, fallback) in all.iter_mut().zip(fallbacks) {
                one.endpoint.routing.fallback = fallback.map(str::to_owned);
            }
            let mut issues = Issues::default();
            resolve_fallbacks(&mut all, &mut issues);
            let fallbacks = all.into_iter().map(|one| one.endpoint.routing.fallback);
            let fields = issues.into_list().into_iter().map(|issue| issue.field);
            (
                fallbacks.collect::<Vec<_>>(),
                fields.collect::<Vec<String>>(),
            )
        };
        let (fallbacks, fields) = resolve(&[Some("2"), Some("d2"), None]);
        let named = |id: &str| Some(id.to_owned());
        assert_eq!(fallbacks, [named("d1"), named("d2"), None]);
        assert_eq!(fields, [""; 0]);
        let (_, fields) = resolve(&[Some("1"), Some("9"), Some("unknown"), Some("0")]);
        let expected = (0..4).map(|at| format!("destinations.{at}.fallback"));
        assert_eq!(fields, expected.collect::<Vec<_>>());
        let (_, fields) = resolve(&[Some("2"), Some("3"), Some("2")]);
        assert_eq!(
            fields,
            ["destinations.1.fallback", "destinations.2.fallback"]
        );
    }

    proptest! {
        #[test]
        fn every_chain_ends_and_nobody_is_told_twice(
            fallbacks in prop::collection::vec(prop::option::of(0_usize..8), 1..8),
            failed in prop::collection::vec(any::<bool>(), 8)
        ) {
            let all = chain(&fallbacks);
            let has_failed = |one: &Destination| {
                let number = one.id.as_str().trim_start_matches('d').parse::<usize>().unwrap();
                failed[number]
            };
            let found = find_recipients(&all, Severity::Warning, has_failed);
            let once: std::collections::BTreeSet<&&str> = found.iter().collect();
            prop_assert_eq!(once.len(), found.len());
            for id in found {
                let one = all.iter().find(|one| one.id.as_str() == id).unwrap();
                // One that has failed is the last resort of its chain.
                prop_assert!(!has_failed(one) || follow(&all, one).all(has_failed));
            }
            for one in &all {
                prop_assert!(follow(&all, one).count() <= all.len() + 1);
                let fallback = find_fallback(&all, one, Severity::Warning, has_failed);
                prop_assert!(fallback.is_none_or(|other| other.id != one.id && !has_failed(other)));
            }
        }
    }
}
