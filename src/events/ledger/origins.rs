//! The origins that counters name: a text that strangers choose, so few of them are kept apart.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Different origins of one website in a quarter of an hour.
const EACH: usize = 32;
/// Different origins of all websites in a quarter of an hour.
const ALL: usize = 4_096;
/// The longest that is a host name with scheme and port.
const LONGEST: usize = 8 + 253 + 6;
/// Replaces origins beyond the limit.
pub const OTHERS: &str = "(others)";
/// Replaces what is no origin.
pub const MALFORMED: &str = "(malformed)";

/// The origins that were met in the current quarter of an hour.
#[derive(Debug, Default)]
pub(super) struct Origins {
    slot: i64,
    met: HashMap<i64, HashSet<Arc<str>>>,
    count: usize,
}

impl Origins {
    /// The name under which an origin is counted.
    pub(super) fn intern(&mut self, website: i64, slot: i64, origin: &str) -> Arc<str> {
        if slot != self.slot {
            *self = Self {
                slot,
                ..Self::default()
            };
        }
        let plain = plain(origin);
        let met = self.met.entry(website).or_default();
        if let Some(known) = met.get(plain.as_str()) {
            return Arc::clone(known);
        }
        if met.len() >= EACH || self.count >= ALL {
            return OTHERS.into();
        }
        let name: Arc<str> = plain.into();
        met.insert(Arc::clone(&name));
        self.count += 1;
        name
    }
}

/// Lower case, if it looks like an origin at all.
fn plain(origin: &str) -> String {
    let authority = origin.split_once("://").map_or("", |(_, rest)| rest);
    let sane = |letter: char| letter.is_ascii_alphanumeric() || "-._:[]".contains(letter);
    let is_origin = !authority.is_empty() && authority.chars().all(sane);
    if origin == "null" || (is_origin && origin.len() <= LONGEST) {
        origin.to_ascii_lowercase()
    } else {
        MALFORMED.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_named_as_it_is_and_anything_else_is_not() {
        let mut origins = Origins::default();
        let long = format!("https://{}.example", "a".repeat(300));
        for (sent, named) in [
            ("https://Shop.Example:8443", "https://shop.example:8443"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("null", "null"),
            ("", MALFORMED),
            ("shop.example", MALFORMED),
            ("https://", MALFORMED),
            ("https://a b", MALFORMED),
            ("https://a/<script>", MALFORMED),
            ("https://\u{fc}.example", MALFORMED),
            (&long, MALFORMED),
        ] {
            assert_eq!(&*origins.intern(1, 0, sent), named, "{sent}");
        }
    }

    #[test]
    fn an_attack_leaves_few_names_and_the_next_quarter_begins_anew() {
        let mut origins = Origins::default();
        let name = |n: usize| format!("https://a{n}.example");
        for n in 0..EACH {
            assert_eq!(*origins.intern(1, 0, &name(n)), *name(n));
        }
        assert_eq!(&*origins.intern(1, 0, &name(EACH)), OTHERS);
        assert_eq!(*origins.intern(1, 0, &name(0)), *name(0), "known ones stay");
        assert_eq!(
            *origins.intern(2, 0, &name(EACH)),
            *name(EACH),
            "another website"
        );
        for website in 3..3 + (ALL / EACH) as i64 {
            for n in 0..EACH {
                origins.intern(website, 0, &name(n));
            }
        }
        assert!(
            origins.count <= ALL && origins.met.values().map(HashSet::len).sum::<usize>() <= ALL
        );
        assert_eq!(&*origins.intern(9_999, 0, &name(1)), OTHERS);
        assert_eq!(*origins.intern(1, 1, &name(EACH)), *name(EACH));
    }
}
