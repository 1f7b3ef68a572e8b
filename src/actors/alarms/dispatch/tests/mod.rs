mod cases;
mod properties;

use serde_json::json;

use super::*;
use crate::actors::alarms::{AlarmFields, Endpoint, QuietHours, conditions::Conditions};

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

    fn after(&mut self, minutes: i64, signals: &[(&str, Signal)]) -> Vec<Message> {
        self.now_ms += minutes * MINUTE;
        let stored = serde_json::to_string(&self.instances).unwrap();
        self.instances = serde_json::from_str(&stored).unwrap();
        for (subject, signal) in signals {
            let instance = self.instances.entry((*subject).to_owned()).or_default();
            instance.standing.told = *signal != Signal::Resolved;
        }
        let signals = signals
            .iter()
            .map(|(subject, signal)| ((*subject).to_owned(), *signal));
        let id = self.now_ms.to_string();
        let moment = Moment {
            now_ms: self.now_ms,
            id: &id,
            channels: &Channels::default(),
            failures: &self.failures,
            sent: &self.sent,
        };
        let signals: BTreeMap<String, Signal> = signals.collect();
        let messages = dispatch(&self.alarm, &mut self.instances, &signals, &moment);
        for message in &messages {
            let times = self.sent.entry(message.destination.clone()).or_default();
            times.push(self.now_ms);
        }
        messages
    }

    /// What is sent, by destination, event and subjects.
    fn says(&mut self, minutes: i64, signals: &[(&str, Signal)]) -> Vec<String> {
        let messages = self.after(minutes, signals);
        messages.iter().map(show).collect()
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
