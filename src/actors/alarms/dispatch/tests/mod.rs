mod cases;
mod failures;
mod held;
mod histories;
mod properties;

use serde_json::json;

use super::*;
use crate::actors::{
    alarms::{
        AlarmFields, Endpoint, Phase, QuietHours, RateLimit,
        conditions::Conditions,
        evaluate::{evaluate, resolve_all},
        machine::Verdict,
        observations::Observation,
        reason::Reason,
        series::Evaluation,
    },
    monitors::Span,
};

const MINUTE: i64 = 60_000;
/// A Monday, 00:00 UTC.
const MONDAY: i64 = 1_791_763_200_000;

/// A webhook without settings.
pub(super) fn destination(id: &str) -> Destination {
    Destination {
        id: id.into(),
        kind: "webhook".into(),
        endpoint: Endpoint::default(),
        disabled: None,
        created_ms: 0,
        updated_ms: 0,
    }
}

fn alarm(destinations: Vec<Destination>) -> Alarm {
    let fields = AlarmFields::default();
    let conditions = Conditions::read(fields.trigger_type, &fields.trigger_conditions);
    Alarm {
        id: "alarm".into(),
        organization: "organization".into(),
        created_by: None,
        fields,
        destinations,
        created_ms: 0,
        updated_ms: 0,
        conditions: conditions.unwrap().into(),
        mute: Vec::new(),
    }
}

/// Quiet from 22:00 to 07:00, UTC.
fn night() -> QuietHours {
    serde_json::from_value(json!({ "from": "22:00", "to": "07:00" })).unwrap()
}

fn limit(messages: u32, minutes: u32) -> Option<RateLimit> {
    Some(RateLimit { messages, minutes })
}

/// A mute window that begins as a cron expression says and lasts so many minutes, UTC.
fn mute(cron: &str, minutes: u32) -> Span {
    let window = serde_json::from_value(json!({ "cron": cron, "minutes": minutes }));
    Span::read(&window.unwrap()).unwrap()
}

/// A destination whose fallback is the other one.
fn pair(first: &str, second: &str) -> Vec<Destination> {
    let mut one = destination(first);
    one.endpoint.routing.fallback = Some(second.to_owned());
    vec![one, destination(second)]
}

/// Observations of these subjects: whether the condition holds.
fn observations(subjects: &[(&str, bool)]) -> Vec<Observation> {
    let one = |(subject, holds): &(&str, bool)| {
        let verdict = if *holds {
            Verdict::Breach
        } else {
            Verdict::Clear
        };
        Observation {
            subject: (*subject).to_owned(),
            name: String::new(),
            evaluation: Evaluation::plain(verdict, Reason::NoData),
        }
    };
    subjects.iter().map(one).collect()
}

/// An alarm that is replayed moment by moment; what is known is stored and read back in between.
struct Replay {
    alarm: Alarm,
    instances: Instances,
    failures: HashMap<String, i64>,
    sent: HashMap<DestinationId, Vec<i64>>,
    now_ms: i64,
}

impl Replay {
    fn new(destinations: Vec<Destination>) -> Self {
        Self {
            alarm: alarm(destinations),
            instances: Instances::new(),
            failures: HashMap::new(),
            sent: HashMap::new(),
            now_ms: MONDAY + 12 * 60 * MINUTE,
        }
    }

    /// Lets time pass, and has the alarm say this.
    fn after(&mut self, minutes: i64, signals: &[(&str, Signal)]) -> Vec<Message> {
        self.now_ms += minutes * MINUTE;
        for (subject, signal) in signals {
            let instance = self.instances.entry((*subject).to_owned()).or_default();
            let standing = &mut instance.standing;
            (standing.told, standing.told_ms) = (*signal != Signal::Resolved, self.now_ms);
            match signal {
                Signal::Fired => {
                    (standing.phase, standing.fired_ms) = (Phase::Firing, self.now_ms);
                }
                Signal::Repeated => {}
                Signal::Resolved => standing.phase = Phase::Quiet,
            }
        }
        let signals = signals.iter();
        let signals = signals.map(|(subject, signal)| ((*subject).to_owned(), *signal));
        let signals: BTreeMap<String, Signal> = signals.collect();
        self.send(|alarm, mut instances, moment| {
            let messages = dispatch(alarm, &mut instances, &signals, moment);
            (instances, messages)
        })
    }

    /// Lets time pass, and evaluates these subjects: whether the condition holds.
    fn observes(&mut self, minutes: i64, subjects: &[(&str, bool)]) -> Vec<Message> {
        self.evaluates(minutes, Some(observations(subjects)))
    }

    /// Lets time pass; without observations there is no answer of the event store.
    fn evaluates(&mut self, minutes: i64, seen: Option<Vec<Observation>>) -> Vec<Message> {
        self.now_ms += minutes * MINUTE;
        self.send(|alarm, instances, moment| {
            let after = evaluate(alarm, &instances, seen, moment);
            (after.instances, after.messages)
        })
    }

    /// The messages when the alarm is deleted, disabled or changed.
    fn finish(&mut self) -> Vec<String> {
        let messages = self.send(|alarm, instances, moment| {
            let last = Moment {
                is_last: true,
                ..*moment
            };
            (Instances::new(), resolve_all(alarm, &instances, &last))
        });
        show_all(&messages)
    }

    fn send(
        &mut self,
        decide: impl FnOnce(&Alarm, Instances, &Moment<'_>) -> (Instances, Vec<Message>),
    ) -> Vec<Message> {
        let stored = serde_json::to_string(&self.instances).unwrap();
        let before: Instances = serde_json::from_str(&stored).unwrap();
        let id = self.now_ms.to_string();
        let moment = Moment {
            now_ms: self.now_ms,
            id: &id,
            channels: &Channels::default(),
            failures: &self.failures,
            sent: &self.sent,
            is_last: false,
        };
        let (instances, messages) = decide(&self.alarm, before, &moment);
        self.instances = instances;
        for message in &messages {
            let to = self.alarm.destination(message.destination.as_str());
            if to.unwrap().endpoint.routing.rate_limit.is_some() {
                let times = self.sent.entry(message.destination.clone()).or_default();
                times.push(self.now_ms);
            }
        }
        messages
    }

    /// What is sent, by destination, event and subjects.
    fn says(&mut self, minutes: i64, signals: &[(&str, Signal)]) -> Vec<String> {
        show_all(&self.after(minutes, signals))
    }

    fn fail(&mut self, message: &Message) {
        let to = self.alarm.destination(message.destination.as_str());
        let key = format!("{}{}", to.unwrap().key_prefix(), message.key);
        self.failures.insert(key, self.now_ms);
    }

    fn is_settled(&self) -> bool {
        self.instances.values().all(|one| one.recipients.is_empty())
    }
}

fn show_all(messages: &[Message]) -> Vec<String> {
    messages.iter().map(show).collect()
}

fn show(message: &Message) -> String {
    let subjects = message.alerts.iter().map(|one| one.subject.as_str());
    let subjects = subjects.collect::<Vec<_>>().join("+");
    let event = message.event().trim_start_matches("alarm.");
    let missed = match message.missed {
        0 => String::new(),
        missed => format!(" missed {missed}"),
    };
    format!(
        "{} {event} {subjects}{missed}",
        message.destination.as_str()
    )
}
