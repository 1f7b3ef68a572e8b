//! How entries hang together: `hash = SHA-256(version, previous, fields)`.

use sha2::{Digest as _, Sha256};

use crate::{actors::hex, entities::audit_entry::Model};

/// What the first entry of a chain has before it.
pub(super) const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Precedes the fields: a later form of entries can never have the same bytes.
const VERSION: &[u8] = b"pharos audit 1";

/// The hash of an entry over everything in it but the hash itself. Each field follows its length, so no two entries
/// have the same bytes.
pub(super) fn hash(entry: &Model) -> String {
    let mut hasher = Sha256::new();
    hasher.update(VERSION);
    let (seq, at_ms) = (entry.seq.to_string(), entry.at_ms.to_string());
    let fields = [
        &entry.previous,
        &entry.chain,
        &seq,
        &at_ms,
        &entry.actor,
        &entry.actor_id,
        &entry.action,
        &entry.target,
        &entry.target_id,
        &entry.details,
    ];
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    let hash: [u8; 32] = hasher.finalize().into();
    hex::encode(&hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Model {
        Model {
            chain: "o".into(),
            seq: 1,
            at_ms: 1_800_000_000_000,
            actor: "user".into(),
            actor_id: "u".into(),
            action: "key.create".into(),
            target: "key".into(),
            target_id: "k".into(),
            details: "{}".into(),
            previous: GENESIS.into(),
            hash: String::new(),
        }
    }

    #[test]
    fn the_published_form_is_what_is_hashed() {
        // Computed by other means: length-prefixed fields behind the version.
        let expected = "371f9b4496e2eaf083942436ccfb099c0823a31b911080f3cd1ab18e61c6695f";
        assert_eq!(hash(&entry()), expected);
    }

    #[test]
    fn every_field_counts_and_none_runs_into_the_next() {
        let changes: [fn(&mut Model); 11] = [
            |entry| entry.chain.push('x'),
            |entry| entry.seq += 1,
            |entry| entry.at_ms += 1,
            |entry| entry.actor.push('x'),
            |entry| entry.actor_id.push('x'),
            |entry| entry.action.push('x'),
            |entry| entry.target.push('x'),
            |entry| entry.target_id.push('x'),
            |entry| entry.details.push(' '),
            |entry| entry.previous.replace_range(0..1, "1"),
            |entry| (entry.actor, entry.actor_id) = ("use".into(), "ru".into()),
        ];
        let mut seen = std::collections::HashSet::from([hash(&entry())]);
        for change in changes {
            let mut changed = entry();
            change(&mut changed);
            assert!(seen.insert(hash(&changed)), "{changed:?}");
        }
    }
}
