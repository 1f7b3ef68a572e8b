//! What people have to say to whoever runs the installation, and how they like to read times.
//!
//! Owns the tables `feedback` and `user_preferences`. Start at `messages.rs`.
//!
//! Invariants:
//! - What is stored passed `rules.rs`.
//! - Nothing is kept in memory: readers go to storage through [`Desk`]'s view, and see what was answered.
//! - Both go with the person: their rows hang on the person's.

mod actor;
mod error;
mod messages;
mod repo;
mod rules;

pub use actor::{Desk, DeskEnv};
pub use error::DeskError;
pub use messages::{Category, Feedback, Preferences, SetPreferences, SubmitFeedback};
pub use repo::Drawer;
