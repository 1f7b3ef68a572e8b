//! What a destination knows of one alert.

use serde::{Deserialize, Serialize};

use crate::actors::alarms::machine::{Signal, Standing};

/// Messages of one alert that may fail at once: reminders of each minute, while one is tried three times.
const MAX_SENT: usize = 25;
/// How long after an alert is over a message about it may fail, longer than three tries take, milliseconds.
const TRACKED_MS: u64 = 3_600_000;

/// What a destination knows of one alert. The difference to [`Standing::told`] is due there: the one is what the alarm says, the
/// other what was sent to the destination. Without one it knows what the alarm says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::actors::alarms) struct Recipient {
    /// Whether its last message said that the alert fires.
    pub(in crate::actors::alarms) knows: bool,
    /// Whether a reminder waits.
    pub(in crate::actors::alarms) reminder: bool,
    /// How many times the alert fired and was over before a message about it could be sent.
    pub(in crate::actors::alarms) missed: u32,
    /// Whether it is the rate limit that a message waits for, or a summary of what was missed.
    pub(in crate::actors::alarms) limited: bool,
    /// The ends of the keys of messages that have a fallback, oldest first: the one that says that the alert fires, then reminders.
    pub(in crate::actors::alarms) sent: Vec<String>,
    /// When one of them failed for good, Unix milliseconds: until the alert fires anew, the fallback gets the messages.
    pub(in crate::actors::alarms) failed_ms: Option<i64>,
    /// What is due at this moment.
    #[serde(skip)]
    pub(in crate::actors::alarms) due: Option<Signal>,
}

impl Recipient {
    pub(in crate::actors::alarms) fn new(knows: bool) -> Self {
        Self {
            knows,
            ..Self::default()
        }
    }

    /// The alert fires anew: the destination is tried again. A message that it was not told the end of can still fail.
    pub(in crate::actors::alarms) fn begin(&mut self) {
        self.failed_ms = None;
        if !self.knows {
            self.sent.clear();
        }
    }

    /// Takes over what the alarm says at this moment, and finds what is due.
    pub(in crate::actors::alarms) fn hear(
        &mut self,
        signal: Option<Signal>,
        standing: &Standing,
        is_addressed: bool,
    ) {
        match signal {
            Some(Signal::Resolved) if is_addressed && !self.knows => self.missed += 1,
            Some(Signal::Repeated) if self.knows => self.reminder = true,
            _ => {}
        }
        // What the alarm says can wait for a group or a mute window, and be outdated when the destination may get it.
        let (is_firing, told) = (standing.phase.is_firing(), standing.told);
        if !is_firing || !told || standing.acknowledged || !is_addressed {
            self.reminder = false;
        }
        self.due = match (is_firing, self.knows) {
            (true, false) if told && is_addressed => Some(Signal::Fired),
            (true, true) if self.reminder => Some(Signal::Repeated),
            (false, true) if !told => Some(Signal::Resolved),
            _ => None,
        };
    }

    /// Nothing is sent to a disabled destination, and what it would have heard of an end is not sent later.
    pub(in crate::actors::alarms) fn skip(&mut self, told: bool) {
        self.knows &= told;
        (self.reminder, self.missed, self.due) = (false, 0, None);
    }

    /// A message was put into the outbox; with the end of its key if there is a fallback for it.
    pub(in crate::actors::alarms) fn note_sent(&mut self, signal: Signal, key: Option<&str>) {
        self.knows = signal != Signal::Resolved;
        (self.reminder, self.limited, self.due) = (false, false, None);
        if signal == Signal::Fired {
            self.sent.clear();
            self.failed_ms = None;
        }
        self.sent.extend(key.map(str::to_owned));
        if self.sent.len() > MAX_SENT {
            self.sent.remove(1);
        }
    }

    /// Ends a moment; whether there is still something to remember.
    pub(in crate::actors::alarms) fn settle(&mut self, standing: &Standing, now_ms: i64) -> bool {
        if self.due.take().is_none() && self.missed == 0 {
            self.limited = false;
        }
        if !standing.told {
            self.failed_ms = None;
            if now_ms.abs_diff(standing.told_ms) > TRACKED_MS {
                self.sent.clear();
            }
        }
        *self != Self::new(standing.told)
    }

    /// Whether a message waits about an alert that is over.
    pub(in crate::actors::alarms) const fn is_owed(&self) -> bool {
        self.knows || self.missed > 0
    }
}
