//! Monitors: what is checked, when, and with which result.
//!
//! An actor, because it plans checks in memory and collects their results into batches.
//! Owns the tables `monitors`, `monitor_transitions`, `monitor_days`, `monitor_asks`, `monitor_rows`, `monitor_probes` and
//! `monitor_reports`. Checks themselves are events. Start at `messages.rs`; `plan.rs` plans checks, `checks/` makes them,
//! `kinds.rs` is the table of their types, `machine.rs` decides, `batch.rs` writes; `suggestions/` proposes monitors.
//! `places/` is about probes, which check from elsewhere; `conclusions.rs` decides their slots.
//!
//! Invariants:
//! - A slot has one row in the event store: a check, or `missed`. Rows carry the slot as their event id, and a slot is done only when
//!   its row is durable: after a crash, a slot in progress is checked again and stored once. Where several processes share the state, the
//!   row becomes durable with the commit, and reaches an event log afterwards (`pending_rows.rs`).
//! - A slot of several places is decided once, by one process. A report of a probe stays stored until the batch that has its row.
//! - States, next slots, days, transitions and emails of one batch are one transaction.
//! - Nothing of an answer's body is stored, except for states and latencies of health answers (`health.rs`).
//! - No message is sent about a monitor while a dependency is down.

mod actor;
mod adopt;
mod arrivals;
mod batch;
mod changes;
mod check_result;
mod checks;
mod conclusions;
mod cron;
mod emails;
mod env;
mod error;
mod expect;
mod fields;
mod forwarding;
mod handlers;
mod health;
mod kind_info;
mod kinds;
mod lateness;
mod link_targets;
mod machine;
mod maintenance;
mod messages;
mod model;
mod pending_rows;
mod places;
mod plan;
mod probe_changes;
mod probe_work;
mod push;
mod recent;
mod repo;
mod report_reads;
mod report_rules;
mod response_times;
mod results;
mod rollup;
mod rows;
mod rules;
mod schedule;
mod silence;
mod state;
mod suggestions;
mod sync;
mod target;
#[cfg(test)]
mod testing;
mod transfer;
mod view;
mod work_index;

pub use check_result::{CheckResult, Finding, LastCheck};
pub use checks::{REPLAY_PROTOCOLS, replay_check};
pub use env::{MonitorOptions, MonitorsEnv};
pub use error::MonitorError;
pub use fields::{
    Auth, Expectations, Granularity, JsonExpectation, JsonParsing, Kind, Method, MonitorFields,
    RequestFields, SnmpVersion, StepFields, Window,
};
pub use kind_info::{Field, KindInfo};
pub use kinds::{KINDS, count_with, names_with};
pub use lateness::Lateness;
pub use machine::{Rules, Standing, State, Step, Transition, Verdict, step};
pub use maintenance::Span;
pub use messages::{
    ChangeMonitor, CheckNow, CreateMonitor, CreateProbe, DeleteMonitor, DeleteProbe, NewProbe,
    PauseMonitor, RecordSignal, RenewProbeToken, RenewPush, ReportsArrived, RevokeProbe, Signal,
    TransferHook, TransferMonitors, UpdateProbe,
};
pub use model::{Day, HERE, Monitor, TransitionRecord};
pub use places::{
    MAX_REPORTS, Probe, ProbeFields, ProbeInbox, ProbeState, Probes, Program, RemoteMonitor,
    Report, ReportBatch, SILENT_MS, Work as ProbeWork, check_as_probe, is_signed, sign,
};
pub use plan::{Cause, Missed, Planner, Work};
pub use recent::{Outcome, Recent, RecentCheck};
pub use rules::check;
pub use schedule::Schedule;
pub use state::Monitors;
pub use suggestions::{Suggestion, SuggestionError, Suggestions, suggest};
pub use view::{LiveState, MonitorEntry, MonitorsView};
