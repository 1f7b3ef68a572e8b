//! Imports of events: files of other products, uploaded, planned and stored while the server runs.
//!
//! Owns the tables `event_imports` (what is to be imported) and `imports` (what of a file is done). Start at `messages.rs`.
//! It is an actor because a worker of it reads one file at a time, and goes on after a start with what was cut off.
//!
//! Invariants:
//! - An import is uploaded, planned, and stored when its plan was accepted. Nothing is stored before.
//! - What is noted as done is durable. What was stored and not noted is sent again with the same ids of events, and
//!   recognized ([`run`]).
//! - A file is recognized by its content: what of it is in a website is not stored again.
//! - A website stores one file at a time, because a file may be that of another import.
//! - An upload lies in the data directory of one server, whose worker reads it. It goes when its import has ended, or was left
//!   alone for a day (threat T52: it may hold addresses of visitors).

mod actor;
mod env;
mod error;
pub mod ledger;
mod lifecycle;
mod live;
mod messages;
mod model;
mod notes;
mod people;
mod repo;
pub mod run;
mod uploads;
mod view;
mod worker;

pub use actor::Imports;
pub use env::{ImportOptions, ImportsEnv};
pub use error::ImportsError;
pub use messages::{ApplyImport, BeginFile, CancelImport, CreateImport, NoteFile, PlanImport};
pub use model::{Import, Status};
pub use uploads::Upload;
pub use view::ImportsView;

/// Imports of a website that have not ended.
const MAX_OPEN: u64 = 10;
/// Imports that a list shows.
const MAX_LISTED: u64 = 50;
