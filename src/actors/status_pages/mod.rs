//! Status pages: the public view of monitors, incidents and maintenance.
//!
//! An actor, because public pages are drawn from memory, and the clock and monitors change pages by themselves.
//! Owns the tables `status_pages` and `status_page_subscribers`. A page is one row with its monitors and incidents, which makes
//! every change one write.
//! Start at `messages.rs`; `change.rs` changes pages, `snapshot.rs` shows them.
//!
//! Invariants:
//! - Snapshots are made of memory alone: pages, states of monitors, and days, which are read every few seconds. While the database is
//!   away, pages are shown as they were.
//! - Subscribers get one message for each change, in its transaction (`subscribers/`).
//! - A page shows only monitors of its own organization, even if a monitor has moved since.

mod actor;
mod automation;
mod change;
mod env;
mod error;
mod logo;
mod messages;
mod model;
mod passwords;
mod past;
mod periodic;
mod repo;
mod rules;
mod snapshot;
mod subscribers;
mod subscriptions;
mod transfer;
mod view;
mod writes;

pub use actor::StatusPages;
pub use change::Change;
pub use env::StatusPagesEnv;
pub use error::StatusPageError;
pub use logo::Logo;
pub use messages::{ChangePage, CreatePage, DeletePage, TransferPage};
pub use model::{
    AffectedMonitor, Impact, Incident, IncidentKind, IncidentStatus, NewIncident, PageFields,
    PageMonitor, PageMonitorFields, PastIncident, Postmortem, Severity, StatusPage, Theme, Update,
};
pub use rules::check;
pub use snapshot::{Day, Freshness, MonitorSnapshot, MonitorStatus, Overall, Snapshot};
pub use subscribers::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope,
};
pub use view::StatusPagesView;
