//! What a destination knows of one alert.

use serde::{Deserialize, Serialize};

use crate::actors::alarms::machine::{Signal, Standing};

/// The last message about one alert that a fallback stands in for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::actors::alarms) enum LastMessage {
    /// There is none, or no fallback for it.
    #[default]
    None,
    /// The end of its key.
    Sent(String),
    /// It failed for good: until the alert fires anew, the fallback gets the messages.
    Failed,
}

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
    /// The last message, if there is a fallback for it.
    pub(in crate::actors::alarms) last: LastMessage,
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
        if !standing.told || standing.acknowledged || !is_addressed {
            self.reminder = false;
        }
        self.due = match (standing.told, self.knows) {
            (true, false) if is_addressed => Some(Signal::Fired),
            (true, true) if self.reminder => Some(Signal::Repeated),
            (false, true) => Some(Signal::Resolved),
            _ => None,
        };
    }

    /// Nothing is sent to a disabled destination, and what it would have heard of an end is not sent later.
    pub(in crate::actors::alarms) fn skip(&mut self, told: bool) {
        self.knows &= told;
        (self.reminder, self.missed, self.due) = (false, 0, None);
    }

    /// A message was put into the outbox.
    pub(in crate::actors::alarms) fn note_sent(&mut self, signal: Signal, last: LastMessage) {
        self.knows = signal != Signal::Resolved;
        if self.knows {
            self.last = last;
        }
        (self.reminder, self.limited, self.due) = (false, false, None);
    }

    /// Ends a moment; whether there is still something to remember.
    pub(in crate::actors::alarms) fn settle(&mut self, told: bool) -> bool {
        if self.due.take().is_none() && self.missed == 0 {
            self.limited = false;
        }
        if self.last == LastMessage::Failed && !told {
            self.last = LastMessage::None;
        }
        *self != Self::new(told)
    }

    /// Whether a message waits about an alert that is over.
    pub(in crate::actors::alarms) const fn is_owed(&self) -> bool {
        self.knows || self.missed > 0
    }
}
