//! Settings of the contract whose part this version does not have yet. Asking for one is an error, because to
//! ignore it would let an operator believe that it works. Who builds the part takes its row away.

use super::{
    layers::Leaves,
    mistake::{Mistake, Place},
};

/// A setting and, when only one of its values is missing, that value.
const NOT_YET: &[(&str, Option<&str>)] = &[
    ("redis.url", None),
    ("events.store", Some("clickhouse")),
    ("events.clickhouse_url", None),
    ("events.clickhouse_cluster", None),
    ("ingest.ack", Some("remote")),
    ("server.tls_certificate", None),
    ("server.tls_key", None),
    ("telemetry.otlp_endpoint", None),
    ("mail.smtp_url", None),
    ("agent.base_url", None),
    ("signup.open", None),
];

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
    use super::NOT_YET;
    use crate::config::{DEFAULTS, layers};

    #[test]
    fn every_row_is_a_setting() {
        let defaults = layers::defaults(DEFAULTS).unwrap();
        for (key, _) in NOT_YET {
            assert!(defaults.contains_key(*key), "{key}");
        }
    }
}
