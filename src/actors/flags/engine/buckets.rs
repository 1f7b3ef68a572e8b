//! The bucket of an ID: by our own hash, or by that of Unleash's clients.

use std::borrow::Cow;

use super::{Context, hash::Prefix, murmur};
use crate::actors::flags::{
    bucketing::Bucketing,
    fields::{FlagFields, RolloutBy},
};

/// The seed of the hash that chooses Unleash's variants.
const VARIANT_SEED: u32 = 86_028_157;

/// How a flag puts people into buckets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Buckets {
    /// The hash of the beginning of the text that is hashed.
    Pharos(Prefix),
    /// The name that Unleash calls `groupId`.
    Unleash(Box<str>),
}

impl Buckets {
    /// The buckets of a flag; `end` follows its key in the text that our own hash takes.
    pub(super) fn of_flag(fields: &FlagFields, end: &str) -> Self {
        match unleash_group(fields) {
            Some(group) => Self::Unleash(group.into()),
            None => Self::Pharos(Prefix::new(&fields.key).then(end)),
        }
    }

    /// The bucket, 0 to 99.
    pub(super) fn bucket(&self, who: &str) -> u32 {
        match self {
            Self::Pharos(prefix) => prefix.then(who).bucket(),
            Self::Unleash(group) => murmur::hash([&**group, ":", who], 0) % 100,
        }
    }

    /// Whether an ID is among a percentage.
    pub(super) fn is_among(&self, who: &str, percentage: f64) -> bool {
        let bucket = f64::from(self.bucket(who));
        match self {
            Self::Pharos(_) => bucket < percentage,
            // Theirs are 1 to 100.
            Self::Unleash(_) => bucket + 1.0 <= percentage,
        }
    }

    /// The ID that has a bucket; `None` if the context has no ID, and every context without one is out.
    pub(super) fn identify<'c>(
        &self,
        by: RolloutBy,
        context: &'c Context<'_>,
    ) -> Option<Cow<'c, str>> {
        match (self, by) {
            (Self::Pharos(_), RolloutBy::User) => Some(context.person().into()),
            (Self::Pharos(_), RolloutBy::Organization) => Some(context.organization().into()),
            (Self::Pharos(_), RolloutBy::Team) => Some(context.team().into()),
            (Self::Unleash(_), RolloutBy::User) => context.user_or_session(),
            (Self::Unleash(_), RolloutBy::Organization) => {
                context.organization_id().map(Into::into)
            }
            (Self::Unleash(_), RolloutBy::Team) => context.team_id().map(Into::into),
        }
    }

    /// The text that is hashed; `end` follows the flag's key in our own.
    pub(super) fn input(&self, key: &str, end: &str, who: &str) -> String {
        match self {
            Self::Pharos(_) => format!("{key}{end}{who}"),
            Self::Unleash(group) => format!("{group}:{who}"),
        }
    }
}

/// The place of an ID among weights of Unleash's variants with this sum.
pub(super) fn unleash_place(group: &str, who: &str, sum: u32) -> u32 {
    murmur::hash([group, ":", who], VARIANT_SEED) % sum.max(1)
}

/// The group of a flag in Unleash's buckets.
pub(super) fn unleash_group(fields: &FlagFields) -> Option<&str> {
    let group = fields.bucketing_group.as_deref();
    match fields.bucketing {
        Bucketing::Pharos => None,
        Bucketing::Unleash => Some(group.unwrap_or(&fields.key)),
    }
}
