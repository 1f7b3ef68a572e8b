//! What people save about a website: goals, funnels, annotations and segments.
//!
//! Owns the table `studies`. Start at `messages.rs`; what can be said of each kind is in `fields.rs`, what must hold in
//! `rules.rs`, and how goals and funnels become questions in `question.rs`.
//!
//! Invariants:
//! - What is stored was checked as a whole, after a change as well: what cannot be asked cannot be saved.
//! - A definition is of one kind and of one website for ever. Its kind is part of its row, so that an id of another kind is no id.
//! - Nothing is kept in memory: readers go to storage through [`DefinitionsView`]'s view, and see what was answered.

mod actor;
mod error;
mod fields;
mod kind;
mod messages;
mod question;
mod repo;
mod rules;
#[cfg(test)]
mod tests;

pub use actor::Definitions;
pub use error::DefinitionError;
pub use fields::{
    AnnotationFields, AnnotationType, ChartContext, ChartRange, CountBy, FilterSpec, FunnelFields,
    GoalFields, Operator, SegmentFields, StepSpec, StepType, Values,
};
pub use kind::Kind;
pub use messages::{CreateDefinition, DeleteDefinition, Saved, SavedDefinition, UpdateDefinition};
pub use question::{filters, funnel, goal};
pub use repo::DefinitionsView;
pub use rules::{begins, check, ends};
