//! Messages to destinations, before they are written.

use super::{Instance, Signal};
use crate::ids::DestinationId;

#[derive(Debug, Clone)]
pub(in crate::actors::alarms) struct Alert {
    pub(in crate::actors::alarms) subject: String,
    pub(in crate::actors::alarms) instance: Instance,
}

/// A message to a destination.
#[derive(Debug, Clone)]
pub(in crate::actors::alarms) struct Message {
    pub(in crate::actors::alarms) destination: DestinationId,
    /// What it says about its alerts. Without it, it is a summary of what was missed.
    pub(in crate::actors::alarms) signal: Option<Signal>,
    pub(in crate::actors::alarms) alerts: Vec<Alert>,
    /// Alerts that fired and were over before anything could be sent.
    pub(in crate::actors::alarms) missed: u32,
    /// Whether it waited for the rate limit.
    pub(in crate::actors::alarms) limited: bool,
    /// Whether another destination gets it if it fails.
    pub(in crate::actors::alarms) has_fallback: bool,
    /// The end of its key.
    pub(in crate::actors::alarms) key: String,
}

impl Message {
    /// Its type on the wire.
    pub(in crate::actors::alarms) const fn event(&self) -> &'static str {
        event(self.signal)
    }
}

pub(super) const fn event(signal: Option<Signal>) -> &'static str {
    match signal {
        Some(Signal::Fired) => "alarm.fired",
        Some(Signal::Repeated) => "alarm.repeated",
        Some(Signal::Resolved) => "alarm.resolved",
        None => "alarm.summary",
    }
}
