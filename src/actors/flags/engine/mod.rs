//! Evaluation: a pure function of a flag, the flags and groups beside it, and a context.
//!
//! [`super::rule`] is what people write, [`matcher`] what it is compiled to, [`evaluate`] the order of things.
//! Nothing in here knows a database, a clock or HTTP.

#[cfg(test)]
mod comparisons;
mod compile;
mod context;
mod evaluate;
mod hash;
mod matcher;
#[cfg(test)]
mod oracle;
mod rules;
mod text;
mod trace;
mod version;

pub use super::rule::{Kind as RuleKind, Operator, Rule};
pub use compile::{Compiled, Group};
pub use context::{Context, RequestFacts};
pub use evaluate::{Decision, Flags, Reason};
pub use trace::{Step, Trace};
