//! Status pages: what people outside may know of monitors, and what is said about incidents and maintenance.
//!
//! Owns the tables `status_pages` and `status_page_subscribers`. A page is one row with its monitors and incidents, so that every
//! change of it is one write.
//! Start at `messages.rs`; `change.rs` says what a change does to a page, `snapshot.rs` what the world sees of it.
//!
//! Invariants:
//! - What the world sees is made of memory alone: pages, monitors as they stand, and their days, which are read every few
//!   seconds. A page is shown as it was while the database is away.
//! - Subscribers are told in the transaction of what happened (`subscribers/`), once.
//! - A page shows monitors of its own organization only, whatever was true when they were put on it.

mod actor;
mod change;
mod clock;
mod env;
mod error;
mod messages;
mod model;
mod moves;
mod repo;
mod rules;
mod snapshot;
mod subscribers;
mod subscriptions;
mod turns;
mod view;
mod writes;

pub use actor::StatusPages;
pub use change::Change;
pub use env::StatusPagesEnv;
pub use error::StatusPageError;
pub use messages::{ChangePage, CreatePage, DeletePage, TransferPage};
pub use model::{
    Affected, Impact, Incident, IncidentKind, IncidentStatus, Listed, ListedFields, NewIncident,
    PageFields, Postmortem, Severity, StatusPage, Theme, Update,
};
pub use rules::check;
pub use snapshot::{Day, Freshness, MonitorStatus, Overall, Seen, Snapshot};
pub use subscribers::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope,
};
pub use view::StatusPagesView;
