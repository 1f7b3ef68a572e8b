//! The trace of a decision.

use schemars::JsonSchema;
use serde::Serialize;

/// Receives the steps of a decision.
pub(super) trait Listener {
    fn step(&mut self, step: impl FnOnce() -> Step);
}

pub(super) struct NoTrace;

impl Listener for NoTrace {
    fn step(&mut self, _: impl FnOnce() -> Step) {}
}

/// The steps of a decision, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Trace(Vec<Step>);

impl Trace {
    pub fn steps(&self) -> &[Step] {
        &self.0
    }
}

impl Listener for Trace {
    fn step(&mut self, step: impl FnOnce() -> Step) {
        self.0.push(step());
    }
}

/// One step of a decision.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FlagTraceStep")]
#[serde(
    tag = "step",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Step {
    /// A flag that this one depends on.
    Dependency {
        /// Its key.
        key: String,
        /// Whether it is active beside this one.
        active: bool,
    },
    /// A rule of the flag.
    Rule {
        /// Its place, counted from 0.
        index: usize,
        /// Whether it matched; the first that does decides.
        matched: bool,
    },
    /// A rule of a target group.
    TargetGroup {
        /// The group's id.
        id: String,
        /// The group's name.
        name: String,
        /// The rule's place, counted from 0.
        index: usize,
        /// Whether it matched; the first that does decides.
        matched: bool,
    },
    /// The bucket of a rollout.
    Rollout {
        /// 0 to 99, made of what `input` says.
        bucket: u32,
        /// What the bucket was made of: the flag's key and who asks.
        input: String,
        /// The flag is on for buckets below this one.
        percentage: u8,
    },
    /// The bucket of a variant.
    Variant {
        /// 0 to 99, made of what `input` says; in Unleash's buckets, less than the sum of the weights in tenths of a percent.
        bucket: u32,
        /// What the bucket was made of.
        input: String,
        /// The variant's key.
        variant: String,
    },
    /// The context has no ID to choose a bucket by.
    NoIdentifier,
    /// Nothing else said anything.
    Default,
}
