//! Compiles flags: everything that can be decided once is decided here.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use super::{
    Rule,
    buckets::{self, Buckets},
    matcher::Matcher,
    rules::{self, RulePath},
    unleash,
};
use crate::{
    actors::flags::fields::{FlagFields, FlagType, RolloutBy, Variant},
    fault::Issue,
};

/// Rules with the value of the flag where they match.
type Rules = Box<[(Matcher, bool)]>;

#[derive(Debug)]
pub struct Group {
    pub id: Box<str>,
    pub name: Box<str>,
    pub(super) rules: Rules,
    tag: u64,
}

#[derive(Debug)]
pub struct Compiled {
    pub key: Box<str>,
    pub environment: Option<Box<str>>,
    /// Differs after every change.
    pub tag: u64,
    /// Whether a value depends on the request itself: its country, device or address.
    pub asks_request: bool,
    /// When its value may change by itself, Unix ms.
    pub moments: Box<[i64]>,
    pub(super) dependencies: Box<[Box<str>]>,
    pub(super) rules: Rules,
    pub(super) groups: Box<[Arc<Group>]>,
    pub(super) payload: Option<Map<String, Value>>,
    pub(super) choice: Choice,
    /// Its strategies in Unleash's clients, made when they are asked for.
    pub(super) unleash: OnceLock<Result<unleash::Strategies, unleash::Reason>>,
}

/// Decides when no rule matches.
#[derive(Debug)]
pub(super) enum Choice {
    Variants {
        buckets: Buckets,
        variants: Variants,
    },
    Rollout {
        buckets: Buckets,
        by: RolloutBy,
        below: u8,
    },
    Default(bool),
}

/// The values of a multivariate flag, at least one.
#[derive(Debug)]
pub(super) struct Variants {
    pub(super) first: OneVariant,
    pub(super) others: Box<[OneVariant]>,
    is_weighted: bool,
}

#[derive(Debug)]
pub(super) struct OneVariant {
    pub(super) key: Box<str>,
    pub(super) value: Value,
    /// Buckets below this one, unless an earlier variant has them.
    below: f64,
    /// Its weight in Unleash's buckets.
    pub(super) parts: u32,
}

impl Variants {
    fn new(variants: &[Variant]) -> Option<Self> {
        let is_weighted = variants.iter().any(|variant| variant.weight().is_some());
        let mut sum = 0.0;
        let mut all = variants.iter().map(|variant| {
            sum += variant.weight().unwrap_or(0.0);
            OneVariant {
                key: variant.key.as_str().into(),
                value: variant.value.clone(),
                below: sum,
                parts: if is_weighted {
                    variant.parts().unwrap_or(0)
                } else {
                    1
                },
            }
        });
        Some(Self {
            first: all.next()?,
            others: all.collect(),
            is_weighted,
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &OneVariant> {
        std::iter::once(&self.first).chain(self.others.iter())
    }

    /// The key of the variant that everybody gets in our own buckets, if it is one for all.
    pub(super) fn only(&self) -> Option<&str> {
        let first = self.iter().find(|variant| variant.below > 0.0);
        let all = first.filter(|variant| self.is_weighted && variant.below > 99.0);
        let alone = self.others.is_empty().then_some(&self.first);
        alone.or(all).map(|variant| &*variant.key)
    }

    /// The variant of an ID, and the bucket.
    pub(super) fn pick(&self, buckets: &Buckets, who: &str) -> (&OneVariant, u32) {
        let (found, bucket) = match buckets {
            Buckets::Unleash(group) => {
                let sum = self.iter().map(|variant| variant.parts).sum();
                let place = buckets::unleash_place(group, who, sum);
                let mut below = 0;
                let found = self.iter().find(|variant| {
                    below += variant.parts;
                    place < below
                });
                (found, place)
            }
            Buckets::Pharos(prefix) => {
                let hash = prefix.then(who);
                let bucket = hash.bucket();
                let found = if self.is_weighted {
                    let found = self
                        .iter()
                        .find(|variant| f64::from(bucket) < variant.below);
                    found.or_else(|| self.others.last())
                } else {
                    self.iter()
                        .nth(hash.hash() as usize % (self.others.len() + 1))
                };
                (found, bucket)
            }
        };
        (found.unwrap_or(&self.first), bucket)
    }
}

impl Group {
    pub fn new(id: &str, name: &str, rules: &[Rule]) -> Result<Self, Vec<Issue>> {
        Ok(Self {
            id: id.into(),
            name: name.into(),
            rules: compile_rules(rules, None)?,
            tag: tag(&rules),
        })
    }
}

impl Compiled {
    /// Compiles a flag with its target groups in order.
    pub fn new(fields: &FlagFields, groups: &[Arc<Group>]) -> Result<Self, Vec<Issue>> {
        let rules = compile_rules(&fields.rules, buckets::unleash_group(fields))?;
        let group_rules = groups.iter().flat_map(|group| group.rules.iter());
        let matchers = || rules.iter().chain(group_rules.clone()).map(|(one, _)| one);
        let mut moments = Vec::new();
        matchers().for_each(|matcher| matcher.moments(&mut moments));
        moments.sort_unstable();
        moments.dedup();
        Ok(Self {
            key: fields.key.as_str().into(),
            environment: fields.environment.as_deref().map(Into::into),
            tag: tag(&(
                fields,
                groups.iter().map(|group| group.tag).collect::<Vec<_>>(),
            )),
            asks_request: matchers().any(Matcher::asks_request),
            moments: moments.into(),
            dependencies: fields
                .dependencies
                .iter()
                .map(|key| key.as_str().into())
                .collect(),
            groups: groups.into(),
            payload: fields.payload.clone(),
            choice: choice(fields),
            unleash: OnceLock::new(),
            rules,
        })
    }
}

fn choice(fields: &FlagFields) -> Choice {
    match fields.kind {
        FlagType::Multivariant => match Variants::new(&fields.variants) {
            Some(variants) => Choice::Variants {
                buckets: Buckets::of_flag(fields, ":variant:"),
                variants,
            },
            None => Choice::Default(fields.default_value),
        },
        FlagType::Rollout => Choice::Rollout {
            buckets: Buckets::of_flag(fields, ":"),
            by: fields.rollout_by.unwrap_or(RolloutBy::User),
            below: fields.rollout_percentage.unwrap_or(0),
        },
        FlagType::Boolean => Choice::Default(fields.default_value),
    }
}

/// Compiles rules; percentages are of buckets of this group of Unleash's, or of our own.
fn compile_rules(rules: &[Rule], group: Option<&str>) -> Result<Rules, Vec<Issue>> {
    let mut issues = Vec::new();
    let path = RulePath::root("rules", group);
    let rules = rules.iter().enumerate().map(|(at, rule)| {
        let matcher = rules::matcher(rule, &path.at(at), &mut issues);
        (matcher, rule.enabled)
    });
    let rules: Rules = rules.collect();
    if issues.is_empty() {
        return Ok(rules);
    }
    Err(issues)
}

/// A hash that is the same on every machine.
fn tag(value: &impl serde::Serialize) -> u64 {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let mut tag = [0; 8];
    blake3::Hasher::new()
        .update(&bytes)
        .finalize_xof()
        .fill(&mut tag);
    u64::from_le_bytes(tag)
}
