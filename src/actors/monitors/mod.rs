//! Monitors: what is checked, when, and how it stands.
//!
//! Owns the tables `monitors`, `monitor_transitions`, `monitor_days`, `monitor_asks` and `monitor_rows`. Checks themselves are events. Start at `messages.rs`;
//! `plan.rs` says what is due, `probe.rs` checks it, `machine.rs` says what that means, `batch.rs` writes it down.
//!
//! Invariants:
//! - A slot has one row in the event store: a check, or `missed`. Rows carry the slot as their event id, and a slot counts as
//!   done only when its row is durable, so that a slot that was under way in a crash is done again and stored once. Where
//!   several processes share the state, the row becomes durable with the commit, and reaches an event log after it (`owed.rs`).
//! - What changed (how a monitor stands, what is due next, days, transitions, emails) is one transaction for everything that
//!   came in since the last one.
//! - Nothing of an answer's body is kept, but for states and latencies of health answers (`health.rs`).
//! - Nobody is told about a monitor while one that it depends on is down.

mod actor;
mod adopt;
mod after;
mod alarm;
mod asks;
mod batch;
mod changes;
mod cron;
mod elsewhere;
mod env;
mod error;
mod expect;
mod fields;
mod finding;
mod handlers;
mod health;
mod lateness;
mod machine;
mod maintenance;
mod messages;
mod model;
mod moves;
mod owed;
mod plan;
mod probe;
mod push;
mod repo;
mod results;
mod rollup;
mod rows;
mod rules;
mod schedule;
mod state;
mod target;
mod times;
mod view;
mod watch;

pub use env::MonitorOptions;
pub use env::MonitorsEnv;
pub use error::MonitorError;
pub use fields::{
    Auth, Expectations, Granularity, JsonExpectation, JsonParsing, Kind, Method, MonitorFields,
    RequestFields, Window,
};
pub use finding::{Finding, Last};
pub use lateness::Lateness;
pub use machine::{Rules, Standing, State, Step, Transition, Verdict, step};
pub use maintenance::Span;
pub use messages::{
    Along, Beat, ChangeMonitor, CheckNow, CreateMonitor, DeleteMonitor, PauseMonitor, RenewPush,
    Signal, TransferMonitors,
};
pub use model::{Day, Monitor, Noted};
pub use plan::{Cause, Missed, Planner, Work};
pub use rules::check;
pub use schedule::Schedule;
pub use state::Monitors;
pub use view::{LiveState, Monitored, MonitorsView};
