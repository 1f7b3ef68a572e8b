//! Alarms: what people want to be told about, and whom it is told to.
//!
//! Owns the tables `alarms`, `alarm_destinations` and `alarm_standings`. Start at `messages.rs`; `readings.rs` and `series.rs` say
//! what is seen, `machine.rs` what follows from it, `notice.rs` what is told, `actor.rs` has it written down.
//!
//! Invariants:
//! - How an alarm stands and what is told about it is one transaction: what people know is what is in the outbox. A crash
//!   between any two steps loses nothing and tells nothing twice.
//! - Conditions are looked at, not listened for: an alarm that was not looked at for a while goes by what it finds.
//! - What is seen now and what was (back-tests) is judged by the same functions.
//! - Where destinations are and what they need is sealed.

mod actor;
mod backtest;
mod changes;
mod conditions;
mod env;
mod error;
mod evaluate;
mod fields;
mod handlers;
mod machine;
mod messages;
mod model;
mod notice;
mod question;
mod readings;
mod repo;
mod rules;
mod series;
mod view;

pub use actor::Alarms;
pub use backtest::{Firing, Past};
pub use env::AlarmsEnv;
pub use error::AlarmError;
pub use fields::{AlarmFields, DestinationConfig, DestinationFields, TriggerType, WebhookMethod};
pub use machine::Phase;
pub use messages::{Acknowledge, ChangeAlarm, Changed, CreateAlarm, DeleteAlarm, RotateSecret};
pub use model::{Alarm, Destination, Place, Shown};
pub use rules::{check, masked};
pub use view::AlarmsView;
