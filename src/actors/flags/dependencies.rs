//! Flags that need each other: no circles, and whoever needs what is not there waits until it is.

use std::collections::{BTreeMap, BTreeSet};

use super::{fields::Status, model::Flag};

/// Flags beside each other by key, without deleted ones.
pub(super) type Beside = BTreeMap<String, Flag>;

/// The keys on a way from a flag back to itself, the flag first.
pub(super) fn circle(beside: &Beside, key: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut way = Vec::new();
    leads_to(beside, key, key, &mut seen, &mut way).then_some(way)
}

fn leads_to<'b>(
    beside: &'b Beside,
    from: &'b str,
    goal: &str,
    seen: &mut BTreeSet<&'b str>,
    way: &mut Vec<String>,
) -> bool {
    if !seen.insert(from) {
        return false;
    }
    way.push(from.to_owned());
    let needed = beside
        .get(from)
        .map(|flag| flag.fields.dependencies.as_slice());
    for next in needed.unwrap_or_default() {
        if next == goal || leads_to(beside, next, goal, seen, way) {
            return true;
        }
    }
    way.pop();
    false
}

/// Whether all that a flag needs is active beside it.
pub(super) fn is_satisfied(beside: &Beside, flag: &Flag) -> bool {
    flag.fields.dependencies.iter().all(|key| {
        beside.get(key).is_some_and(|other| {
            other.fields.status == Status::Active
                && other.fields.environment == flag.fields.environment
        })
    })
}

/// Holds back flags that need `key`, directly or not, and what it needs is not active; lets go those that were held back
/// and have all they need. Returns the keys of those that changed.
pub(super) fn settle(beside: &mut Beside, key: &str) -> Vec<String> {
    let mut changed = Vec::new();
    let mut due = vec![key.to_owned()];
    while let Some(key) = due.pop() {
        let dependents = beside.values();
        let dependents = dependents.filter(|flag| flag.fields.dependencies.contains(&key));
        let dependents: Vec<String> = dependents.map(|flag| flag.fields.key.clone()).collect();
        for dependent in dependents {
            let Some(flag) = beside.get(&dependent) else {
                continue;
            };
            let status = match (is_satisfied(beside, flag), flag.fields.status) {
                (false, Status::Active) => Status::Inactive,
                (true, Status::Inactive) if flag.held_back => Status::Active,
                _ => continue,
            };
            if let Some(flag) = beside.get_mut(&dependent) {
                flag.fields.status = status;
                flag.held_back = status == Status::Inactive;
            }
            changed.push(dependent.clone());
            due.push(dependent);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::actors::flags::testing::flag;

    fn beside(flags: &[(&str, &[&str])]) -> Beside {
        let flags = flags.iter().map(|(key, needs)| {
            let mut flag = flag(key);
            flag.fields.dependencies = needs.iter().map(|key| (*key).to_owned()).collect();
            ((*key).to_owned(), flag)
        });
        flags.collect()
    }

    #[test]
    fn circles_are_found_and_named() {
        let flags = beside(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &[]), ("d", &["a"])]);
        assert_eq!(circle(&flags, "a").unwrap(), ["a", "b", "d"]);
        assert_eq!(circle(&flags, "c"), None);
        assert_eq!(circle(&beside(&[("a", &["a"])]), "a").unwrap(), ["a"]);
    }

    #[test]
    fn what_waits_goes_on_when_it_can_and_what_people_turned_off_stays_off() {
        let mut flags = beside(&[("a", &[]), ("b", &["a"]), ("c", &["b"]), ("d", &["a"])]);
        let set = |flags: &mut Beside, key: &str, status| {
            flags.get_mut(key).unwrap().fields.status = status;
        };
        set(&mut flags, "d", Status::Inactive);
        set(&mut flags, "a", Status::Inactive);
        assert_eq!(settle(&mut flags, "a"), ["b", "c"]);
        assert!(flags["c"].held_back && !flags["d"].held_back);
        assert_eq!(settle(&mut flags, "a"), [""; 0]);
        set(&mut flags, "a", Status::Active);
        assert_eq!(settle(&mut flags, "a"), ["b", "c"]);
        assert_eq!(flags["c"].fields.status, Status::Active);
        assert_eq!(flags["d"].fields.status, Status::Inactive);
    }

    proptest! {
        /// Whatever is turned on and off in whatever order: an active flag has all it needs, and one that was held back
        /// does not.
        #[test]
        fn nobody_is_active_without_what_it_needs(
            needs in prop::collection::vec((1_usize..8, 0_usize..7), 0..14),
            steps in prop::collection::vec((0_usize..8, any::<bool>()), 1..12),
        ) {
            let mut flags = beside(&["a", "b", "c", "d", "e", "f", "g", "h"].map(|key| (key, &[][..])));
            let name = |at: usize| ((b'a' + u8::try_from(at).unwrap()) as char).to_string();
            // Later ones need earlier ones, so that there is no circle.
            for (from, to) in needs.into_iter().filter(|(from, to)| to < from) {
                flags.get_mut(&name(from)).unwrap().fields.dependencies.push(name(to));
            }
            for (at, on) in steps {
                let key = name(at);
                let can = is_satisfied(&flags, &flags[&key]);
                let flag = flags.get_mut(&key).unwrap();
                flag.fields.status = if on && can { Status::Active } else { Status::Inactive };
                flag.held_back = on && !can;
                settle(&mut flags, &key);
                for flag in flags.values() {
                    let satisfied = is_satisfied(&flags, flag);
                    prop_assert!(satisfied || flag.fields.status != Status::Active, "{}", flag.fields.key);
                    prop_assert!(!satisfied || !flag.held_back, "{}", flag.fields.key);
                }
            }
        }
    }
}
