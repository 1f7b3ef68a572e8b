//! Reports of a website or a board that recipients get every day, week or month: by email, or in the channels that alarms know.
//!
//! Owns the table `scheduled_reports`: a row for each recipient. Start at `store.rs`; what can be set is in `model.rs`, when
//! a report is due and which days it covers in `calendar.rs`, what is in it in `content.rs`, `board.rs` and `text.rs`. They are sent from
//! [`reports`](super::reports).
//!
//! Invariants:
//! - A mailbox gets nothing but a question before its owner has confirmed, and nothing after they have unsubscribed.
//! - A report is put into the outbox in the transaction that moves its next time on: once a period, whatever restarts.
//!
//! There is no actor: nothing is kept in memory, and [`StateDb::begin`](crate::store::StateDb::begin) lets one write at
//! a time in.

mod board;
mod calendar;
mod confirmation;
mod content;
mod error;
mod model;
mod rules;
mod store;
mod text;

pub use calendar::{Frequency, Period};
pub use content::ReportContent;
pub use error::ScheduledReportError;
pub use model::{NewReport, ReportFields, Schedule, ScheduledReport};
pub use store::ScheduledReportsStore;
pub use text::{ReportMessage, ReportSubject};
pub(super) use {content::rows, store::ReportsStoreEnv};
