//! What people save about a website: goals, funnels, annotations and segments.
//!
//! Owns the table `studies`. Start at `store.rs`; what can be said of each kind is in `fields.rs`, what must hold in
//! `rules.rs`, and how goals and funnels become questions in `question.rs`.
//!
//! Invariants:
//! - What is stored was checked as a whole, after a change as well: what cannot be asked cannot be saved.
//! - A definition is of one kind and of one website for ever. Its kind is part of its row: an id of another kind is
//!   unknown.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`](crate::store::StateDb::begin) lets one write at
//! a time in.

mod error;
mod fields;
mod kind;
mod model;
mod question;
mod rules;
mod store;
#[cfg(test)]
mod tests;

pub use error::DefinitionError;
pub use fields::{
    AnnotationFields, AnnotationType, ChartContext, ChartRange, CountBy, FilterSpec, FunnelFields,
    GoalFields, Operator, SegmentFields, StepSpec, StepType, Values,
};
pub use kind::Kind;
pub use model::{NewDefinition, Saved, SavedDefinition};
pub use question::{filters, funnel, goal};
pub use rules::{begins, check, ends};
pub use store::DefinitionsStore;
