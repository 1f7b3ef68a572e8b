//! Settings of the contract whose part this version does not have yet. Asking for one is an error, because to
//! ignore it would let an operator believe that it works. Who builds the part takes its row away.

use super::{
    Settings,
    layers::Leaves,
    mistake::{Mistake, Place},
};

/// A setting and, when only one of its values is missing, that value.
const NOT_YET: &[(&str, Option<&str>)] = &[
    ("events.store", Some("clickhouse")),
    ("events.clickhouse_url", None),
    ("events.clickhouse_cluster", None),
    ("ingest.ack", Some("remote")),
];

/// Whether a setting differs between two.
type Differs = fn(&Settings, &Settings) -> bool;

/// Settings that nothing reads yet. Unlike those above they promise nothing by themselves, so a
/// file that is written for more than this version still works, with a word about them.
const WITHOUT_EFFECT: &[(&str, Differs)] = &[];

impl Settings {
    /// What was set although this version does nothing with it yet: settings and whole sections, by name.
    pub fn without_effect(&self) -> Vec<&'static str> {
        let Ok(usual) = Self::parse(None, []) else {
            // The defaults are wrong, which is a bug and has a test.
            return Vec::new();
        };
        let set = WITHOUT_EFFECT
            .iter()
            .filter(|(_, differs)| differs(self, &usual));
        set.map(|(name, _)| *name).collect()
    }
}

/// The mistakes of asking for what is not there.
pub(super) fn asked_for(leaves: &Leaves, defaults: &Leaves) -> Vec<Mistake> {
    let asked = NOT_YET.iter().filter_map(|&(key, value)| {
        let leaf = leaves.get(key)?;
        let default = defaults.get(key)?;
        if leaf.place == Place::BuiltIn || leaf.value == default.value {
            return None;
        }
        let what = match value {
            None => "is not supported by this version yet".to_owned(),
            Some(value) if leaf.value.as_str() == Some(value) => {
                format!("\"{value}\" is not supported by this version yet")
            }
            Some(_) => return None,
        };
        let hint = format!("leave it at {}", default.value);
        Some(Mistake::new(leaf.place.clone(), key, what).hint(hint))
    });
    asked.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::NOT_YET;
    use crate::config::{DEFAULTS, Settings, layers};

    #[test]
    fn what_nothing_reads_is_named_once_it_is_set() {
        let parse =
            |text: &str| Settings::parse(Some((Path::new("f"), text.as_bytes())), []).unwrap();
        assert!(parse("").without_effect().is_empty());
        assert!(
            parse("limits.track_requests = 1")
                .without_effect()
                .is_empty()
        );
        // Nothing is, at the moment.
        let set = "redis.ingest_degraded = 'local'";
        assert_eq!(parse(set).without_effect(), [""; 0]);
    }

    #[test]
    fn every_row_is_a_setting() {
        let defaults = layers::defaults(DEFAULTS).unwrap();
        for (key, _) in NOT_YET {
            assert!(defaults.contains_key(*key), "{key}");
        }
    }
}
