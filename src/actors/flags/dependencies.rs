//! Dependencies of flags: they have no cycle, and a flag is held back until all that it depends on are active.

use std::collections::{BTreeMap, BTreeSet};

use super::{fields::Status, model::Flag};

/// Flags of the same scope by key, without deleted ones.
pub(super) type Siblings = BTreeMap<String, Flag>;

/// The keys of a cycle through this flag, which comes first.
pub(super) fn find_cycle(siblings: &Siblings, key: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut path = Vec::new();
    reaches(siblings, key, key, &mut seen, &mut path).then_some(path)
}

fn reaches<'b>(
    siblings: &'b Siblings,
    from: &'b str,
    goal: &str,
    seen: &mut BTreeSet<&'b str>,
    path: &mut Vec<String>,
) -> bool {
    if !seen.insert(from) {
        return false;
    }
    path.push(from.to_owned());
    let needed = siblings
        .get(from)
        .map(|flag| flag.fields.dependencies.as_slice());
    for next in needed.unwrap_or_default() {
        if next == goal || reaches(siblings, next, goal, seen, path) {
            return true;
        }
    }
    path.pop();
    false
}

/// Whether all dependencies of a flag are active in its environment.
pub(super) fn is_satisfied(siblings: &Siblings, flag: &Flag) -> bool {
    flag.fields.dependencies.iter().all(|key| {
        siblings.get(key).is_some_and(|other| {
            other.fields.status == Status::Active
                && other.fields.environment == flag.fields.environment
        })
    })
}

/// Holds back direct and indirect dependents of `key` with an inactive dependency, and releases those whose dependencies are all active.
/// Returns the keys of those that changed.
pub(super) fn update_dependents(siblings: &mut Siblings, key: &str) -> Vec<String> {
    let mut changed = Vec::new();
    let mut due = vec![key.to_owned()];
    while let Some(key) = due.pop() {
        let dependents = siblings.values();
        let dependents = dependents.filter(|flag| flag.fields.dependencies.contains(&key));
        let dependents: Vec<String> = dependents.map(|flag| flag.fields.key.clone()).collect();
        for dependent in dependents {
            let Some(flag) = siblings.get(&dependent) else {
                continue;
            };
            let status = match (is_satisfied(siblings, flag), flag.fields.status) {
                (false, Status::Active) => Status::Inactive,
                (true, Status::Inactive) if flag.held_back => Status::Active,
                _ => continue,
            };
            if let Some(flag) = siblings.get_mut(&dependent) {
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

    fn siblings(flags: &[(&str, &[&str])]) -> Siblings {
        let flags = flags.iter().map(|(key, needs)| {
            let mut flag = flag(key);
            flag.fields.dependencies = needs.iter().map(|key| (*key).to_owned()).collect();
            ((*key).to_owned(), flag)
        });
        flags.collect()
    }

    #[test]
    fn circles_are_found_and_named() {
        let flags = siblings(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &[]), ("d", &["a"])]);
        assert_eq!(find_cycle(&flags, "a").unwrap(), ["a", "b", "d"]);
        assert_eq!(find_cycle(&flags, "c"), None);
        assert_eq!(find_cycle(&siblings(&[("a", &["a"])]), "a").unwrap(), ["a"]);
    }

    #[test]
    fn what_waits_goes_on_when_it_can_and_what_people_turned_off_stays_off() {
        let mut flags = siblings(&[("a", &[]), ("b", &["a"]), ("c", &["b"]), ("d", &["a"])]);
        let set = |flags: &mut Siblings, key: &str, status| {
            flags.get_mut(key).unwrap().fields.status = status;
        };
        set(&mut flags, "d", Status::Inactive);
        set(&mut flags, "a", Status::Inactive);
        assert_eq!(update_dependents(&mut flags, "a"), ["b", "c"]);
        assert!(flags["c"].held_back && !flags["d"].held_back);
        assert_eq!(update_dependents(&mut flags, "a"), [""; 0]);
        set(&mut flags, "a", Status::Active);
        assert_eq!(update_dependents(&mut flags, "a"), ["b", "c"]);
        assert_eq!(flags["c"].fields.status, Status::Active);
        assert_eq!(flags["d"].fields.status, Status::Inactive);
    }

    proptest! {
        /// An active flag has all its dependencies, and a flag that is held back does not, after any sequence of changes.
        #[test]
        fn nobody_is_active_without_what_it_needs(
            needs in prop::collection::vec((1_usize..8, 0_usize..7), 0..14),
            steps in prop::collection::vec((0_usize..8, any::<bool>()), 1..12),
        ) {
            let mut flags = siblings(&["a", "b", "c", "d", "e", "f", "g", "h"].map(|key| (key, &[][..])));
            let name = |at: usize| ((b'a' + u8::try_from(at).unwrap()) as char).to_string();
            // Later flags depend on earlier ones, which rules out cycles.
            for (from, to) in needs.into_iter().filter(|(from, to)| to < from) {
                flags.get_mut(&name(from)).unwrap().fields.dependencies.push(name(to));
            }
            for (at, on) in steps {
                let key = name(at);
                let can = is_satisfied(&flags, &flags[&key]);
                let flag = flags.get_mut(&key).unwrap();
                flag.fields.status = if on && can { Status::Active } else { Status::Inactive };
                flag.held_back = on && !can;
                update_dependents(&mut flags, &key);
                for flag in flags.values() {
                    let satisfied = is_satisfied(&flags, flag);
                    prop_assert!(satisfied || flag.fields.status != Status::Active, "{}", flag.fields.key);
                    prop_assert!(!satisfied || !flag.held_back, "{}", flag.fields.key);
                }
            }
        }
    }
}
