//! Places from which monitors are checked: this server, and probes.
//!
//! `quorum` decides what places found together, and `open_slots` collects it; both are pure. `report` is what a probe sends and
//! `work` what it gets. `inbox` stores reports before they are acknowledged, whichever process they reach, and
//! `stored_reports` reads them.

pub(super) mod inbox;
mod model;
pub(super) mod open_slots;
pub(super) mod quorum;
mod remote;
pub(super) mod repo;
mod report;
pub(super) mod stored_reports;
mod work;

pub use inbox::{ProbeInbox, Program};
pub(super) use model::PREFIX as TOKEN_PREFIX;
pub use model::{Probe, ProbeFields, ProbeState, Probes, SILENT_MS};
pub use remote::check_as_probe;
pub use report::{MAX_REPORTS, Report, ReportBatch, is_signed, sign};
pub use work::{RemoteMonitor, Work};
