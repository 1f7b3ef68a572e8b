//! The one place that reads the wall clock: tests can hold it still.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, TimeZone, Utc};

/// A source of wall-clock time: the system's, or one that a test moves by hand.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stays at `unix_ms` until [`Clock::advance`] moves it.
    pub fn fixed(unix_ms: i64) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(unix_ms))))
    }

    /// Milliseconds since the Unix epoch.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    pub fn now_ms(&self) -> i64 {
        match &self.0 {
            Source::System => Utc::now().timestamp_millis(),
            Source::Manual(now) => now.load(Ordering::SeqCst),
        }
    }

    /// The current time with millisecond precision.
    pub fn now(&self) -> DateTime<Utc> {
        from_ms(self.now_ms())
    }

    /// Whether it is the machine's.
    pub const fn is_system(&self) -> bool {
        matches!(self.0, Source::System)
    }

    /// Moves a fixed clock forward; the system clock ignores it.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(now) = &self.0 {
            now.fetch_add(by.as_millis() as i64, Ordering::SeqCst);
        }
    }
}

/// Writes a time as the API does everywhere: ISO 8601, UTC, milliseconds, `Z`.
pub fn iso(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

/// [`iso`] for milliseconds since the Unix epoch.
pub fn iso_ms(unix_ms: i64) -> String {
    iso(from_ms(unix_ms))
}

/// Milliseconds since the Unix epoch as a time; the epoch itself for what no calendar holds.
pub fn from_ms(unix_ms: i64) -> DateTime<Utc> {
    Utc.timestamp_millis_opt(unix_ms)
        .single()
        .unwrap_or_default()
}
