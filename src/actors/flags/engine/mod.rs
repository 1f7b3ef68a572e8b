//! Evaluation: a pure function of a flag, its siblings and groups, and a context.
//!
//! [`super::rule`] is the wire format, [`matcher`] its compiled form, [`evaluate`] the order of decisions.
//! Nothing here uses a database, a clock or HTTP.

mod buckets;
#[cfg(test)]
mod comparisons;
mod compile;
mod context;
mod evaluate;
mod flagd;
mod hash;
mod matcher;
mod murmur;
#[cfg(test)]
mod oracle;
mod rules;
mod text;
mod trace;
pub mod unleash;
mod version;

pub use super::rule::{Kind as RuleKind, Operator, Rule};
pub use compile::{Compiled, Group};
pub use context::{Context, RequestFacts};
pub use evaluate::{Decision, Flags, Reason};
pub use trace::{Step, Trace};
