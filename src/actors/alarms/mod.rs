//! Alarms: conditions on monitors and events, and the messages about them.
//!
//! An actor, because it evaluates conditions every second and remembers their state between two evaluations.
//! Owns the tables `alarms`, `alarm_destinations` and `alarm_standings`. Start at `messages.rs`; `observations.rs` and `series.rs`
//! observe, `machine.rs` decides what is said, `dispatch/` where it goes and when, `notice.rs` writes messages, `actor.rs` stores them.
//!
//! Invariants:
//! - The state of an alarm and its messages are one transaction: what people know is what the outbox holds. A crash between
//!   any two steps loses nothing and sends nothing twice.
//! - Conditions are polled: an alarm that was not evaluated for a while decides from what it finds.
//! - The same functions evaluate the present and back-tests.
//! - Every destination has an account of what it knows of an alert (`routing/recipient.rs`). Severities, quiet hours, rate limits and
//!   fallbacks only delay or divert what is due there (`dispatch/`).
//! - Endpoints of destinations are sealed.

mod actor;
mod backtest;
mod changes;
mod conditions;
mod dispatch;
mod env;
mod error;
mod evaluate;
mod fields;
mod handlers;
mod machine;
mod messages;
mod model;
mod notice;
mod observations;
mod queries;
mod reason;
mod repo;
mod round;
mod routing;
mod rules;
mod series;
mod trigger_type;
mod view;

pub use actor::Alarms;
pub use backtest::{Backtest, Firing};
pub use env::AlarmsEnv;
pub use error::AlarmError;
pub use fields::{AlarmFields, DestinationConfig, DestinationFields, WebhookMethod};
pub use machine::Phase;
pub use messages::{Acknowledge, ChangeAlarm, CreateAlarm, DeleteAlarm, RotateSecret, SavedAlarm};
pub use model::{Alarm, Destination, Endpoint, InstanceStatus};
pub use routing::{QuietHours, RateLimit, Routing, Severity, Weekday};
pub use rules::{check, mask_secret};
pub use trigger_type::TriggerType;
pub use view::AlarmsView;
