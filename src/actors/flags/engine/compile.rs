//! Compiles flags: everything that can be decided once is decided here.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Rule,
    hash::Prefix,
    matcher::Matcher,
    rules::{self, RulePath},
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
}

/// Decides when no rule matches.
#[derive(Debug)]
pub(super) enum Choice {
    Variants {
        prefix: Prefix,
        variants: Variants,
    },
    Rollout {
        prefix: Prefix,
        by: RolloutBy,
        below: u8,
    },
    Default(bool),
}

/// The values of a multivariate flag, at least one.
#[derive(Debug)]
pub(super) struct Variants {
    first: OneVariant,
    others: Box<[OneVariant]>,
    is_weighted: bool,
}

#[derive(Debug)]
pub(super) struct OneVariant {
    pub(super) key: Box<str>,
    pub(super) value: Value,
    /// Buckets below this one, unless an earlier variant has them.
    below: f64,
}

impl Variants {
    fn new(variants: &[Variant]) -> Option<Self> {
        let mut sum = 0.0;
        let mut all = variants.iter().map(|variant| {
            sum += variant.weight().unwrap_or(0.0);
            OneVariant {
                key: variant.key.as_str().into(),
                value: variant.value.clone(),
                below: sum,
            }
        });
        Some(Self {
            first: all.next()?,
            others: all.collect(),
            is_weighted: variants.iter().any(|variant| variant.weight().is_some()),
        })
    }

    pub(super) fn pick(&self, hash: Prefix) -> &OneVariant {
        let others = || self.others.iter();
        if self.is_weighted {
            let bucket = f64::from(hash.bucket());
            let mut all = std::iter::once(&self.first).chain(others());
            return all
                .find(|variant| bucket < variant.below)
                .or_else(|| others().last())
                .unwrap_or(&self.first);
        }
        let index = hash.hash() as usize % (self.others.len() + 1);
        index
            .checked_sub(1)
            .and_then(|index| self.others.get(index))
            .unwrap_or(&self.first)
    }
}

impl Group {
    pub fn new(id: &str, name: &str, rules: &[Rule]) -> Result<Self, Vec<Issue>> {
        Ok(Self {
            id: id.into(),
            name: name.into(),
            rules: compile_rules(rules)?,
            tag: tag(&rules),
        })
    }
}

impl Compiled {
    /// Compiles a flag with its target groups in order.
    pub fn new(fields: &FlagFields, groups: &[Arc<Group>]) -> Result<Self, Vec<Issue>> {
        let rules = compile_rules(&fields.rules)?;
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
            rules,
        })
    }
}

fn choice(fields: &FlagFields) -> Choice {
    let own = Prefix::new(&fields.key);
    match fields.kind {
        FlagType::Multivariant => match Variants::new(&fields.variants) {
            Some(variants) => Choice::Variants {
                prefix: own.then(":variant:"),
                variants,
            },
            None => Choice::Default(fields.default_value),
        },
        FlagType::Rollout => Choice::Rollout {
            prefix: own.then(":"),
            by: fields.rollout_by.unwrap_or(RolloutBy::User),
            below: fields.rollout_percentage.unwrap_or(0),
        },
        FlagType::Boolean => Choice::Default(fields.default_value),
    }
}

fn compile_rules(rules: &[Rule]) -> Result<Rules, Vec<Issue>> {
    let mut issues = Vec::new();
    let path = RulePath::root("rules");
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
