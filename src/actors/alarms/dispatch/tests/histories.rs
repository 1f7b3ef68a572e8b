//! Random histories of alerts, failures and changes, against a model of what was delivered.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::actors::alarms::Severity;

const NAMES: [&str; 3] = ["x", "y", "z"];
/// Minutes in which a message with a fallback is tried.
const TRIED: i64 = 6;

#[derive(Debug, Clone)]
enum Event {
    /// These subjects begin to fire, or are over.
    Change(BTreeSet<usize>),
    /// The receiver of messages that have a fallback goes down, or comes back.
    Outage,
    /// Another destination takes the place of this one.
    Replace(usize),
    /// This destination is disabled by its receiver, or enabled by a person.
    Disable(usize),
}

fn history() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let subjects = prop::collection::btree_set(0_usize..3, 0..3);
    let event = prop_oneof![
        10 => subjects.prop_map(Event::Change),
        2 => Just(Event::Outage),
        1 => (0_usize..2).prop_map(Event::Replace),
        1 => (0_usize..2).prop_map(Event::Disable),
    ];
    let minutes = prop_oneof![3 => 1_i64..4, 2 => 1_i64..400];
    prop::collection::vec((minutes, event), 0..40)
}

#[derive(Debug, Clone)]
struct Settings {
    is_quiet: bool,
    is_muted: bool,
    has_fallback: bool,
    messages: Option<u32>,
    repeat_after: u32,
    group_wait: u32,
}

fn settings() -> impl Strategy<Value = Settings> {
    let numbers = (
        prop::option::of(1_u32..3),
        prop::sample::select(vec![0_u32, 1, 5, 240]),
        prop::sample::select(vec![0_u32, 120]),
    );
    let all = (any::<bool>(), any::<bool>(), any::<bool>(), numbers);
    all.prop_map(|(is_quiet, is_muted, has_fallback, numbers)| Settings {
        is_quiet,
        is_muted,
        has_fallback,
        messages: numbers.0,
        repeat_after: numbers.1,
        group_wait: numbers.2,
    })
}

struct Model {
    replay: Replay,
    is_firing: [bool; 3],
    is_down: bool,
    replaced: usize,
    /// The keys of the messages by which destinations know that subjects fire.
    known: BTreeMap<(String, usize), String>,
    /// When messages will fail, Unix milliseconds, and their keys.
    failing: Vec<(i64, String)>,
}

impl Model {
    fn new(settings: &Settings) -> Self {
        let mut all = if settings.has_fallback {
            pair("a", "b")
        } else {
            vec![destination("a"), destination("b")]
        };
        for to in &mut all {
            let routing = &mut to.endpoint.routing;
            routing.quiet_hours = settings.is_quiet.then(night);
            routing.rate_limit = settings.messages.and_then(|messages| limit(messages, 90));
        }
        let mut replay = Replay::new(all);
        if settings.is_muted {
            // From 12:00 to 16:00 on each day.
            let noon = |day: i64| MONDAY + (day * 24 + 12) * 60 * MINUTE;
            let windows = (0..30).map(|day| Span::Once(noon(day), noon(day) + 240 * MINUTE));
            replay.alarm.mute = windows.collect();
        }
        replay.alarm.fields.repeat_after = settings.repeat_after;
        replay.alarm.fields.group_wait = settings.group_wait;
        Self {
            replay,
            is_firing: [false; 3],
            is_down: false,
            replaced: 0,
            known: BTreeMap::new(),
            failing: Vec::new(),
        }
    }

    fn apply(&mut self, event: &Event, at_ms: i64) {
        let alarm = &mut self.replay.alarm;
        match event {
            Event::Change(subjects) => {
                for nth in subjects {
                    self.is_firing[*nth] = !self.is_firing[*nth];
                }
            }
            Event::Outage => self.is_down = !self.is_down,
            // Without settings a destination that is added counts as one that knows.
            Event::Replace(nth) if alarm.uses_routing() => {
                self.replaced += 1;
                let id = format!("other{}", self.replaced);
                let old = alarm.destinations[*nth].id.to_string();
                alarm.destinations[*nth].id = id.as_str().into();
                alarm.destinations[*nth].created_ms = at_ms;
                for to in &mut alarm.destinations {
                    to.updated_ms = at_ms;
                    let fallback = &mut to.endpoint.routing.fallback;
                    if fallback.as_ref() == Some(&old) {
                        *fallback = Some(id.clone());
                    }
                }
                self.known.retain(|(to, _), _| *to != old);
            }
            Event::Replace(_) => {}
            Event::Disable(nth) => {
                if alarm.destinations[*nth].disabled.take().is_none() {
                    alarm.destinations[*nth].disabled = Some("gone".to_owned());
                } else {
                    let all = alarm.destinations.iter_mut();
                    all.for_each(|to| to.updated_ms = at_ms);
                }
            }
        }
    }

    /// Lets time pass with an event at its end.
    fn advance(&mut self, minutes: i64, event: &Event) -> Result<(), TestCaseError> {
        let at_ms = self.replay.now_ms + minutes * MINUTE;
        self.apply(event, at_ms);
        for (failed_ms, key) in std::mem::take(&mut self.failing) {
            if failed_ms > at_ms {
                self.failing.push((failed_ms, key));
                continue;
            }
            self.known.retain(|_, known| *known != key);
            self.replay.failures.insert(key, failed_ms);
        }
        let subjects: Vec<(&str, bool)> = NAMES.into_iter().zip(self.is_firing).collect();
        for message in self.replay.observes(minutes, &subjects) {
            self.check(&message)?;
        }
        self.check_limits()?;
        // A disabled destination is not told of an end later.
        for to in &self.replay.alarm.destinations {
            for (nth, name) in NAMES.iter().enumerate() {
                let is_over = !self.replay.instances[*name].standing.told;
                if to.disabled.is_some() && is_over {
                    self.known.remove(&(to.id.to_string(), nth));
                }
            }
        }
        Ok(())
    }

    /// Whether a message is allowed now, and true. Notes what it says.
    fn check(&mut self, message: &Message) -> Result<(), TestCaseError> {
        let (alarm, now_ms) = (&self.replay.alarm, self.replay.now_ms);
        let to = alarm.destination(message.destination.as_str()).unwrap();
        prop_assert!(to.disabled.is_none());
        prop_assert!(!alarm.is_muted(now_ms));
        prop_assert!(!to.endpoint.routing.is_quiet(Severity::Warning, now_ms));
        let key = format!("{}{}", to.key_prefix(), message.key);
        for alert in &message.alerts {
            let nth = NAMES.iter().position(|name| *name == alert.subject);
            let nth = nth.unwrap();
            let one = (to.id.to_string(), nth);
            let (fires, knows) = (self.is_firing[nth], self.known.contains_key(&one));
            match message.signal {
                Some(Signal::Fired) => {
                    prop_assert!(fires && !knows, "{} fires", alert.subject);
                    self.known.insert(one, key.clone());
                }
                Some(Signal::Repeated) => {
                    prop_assert!(fires && knows, "{} fires again", alert.subject);
                }
                _ => {
                    prop_assert!(!fires && knows, "{} is over", alert.subject);
                    self.known.remove(&one);
                }
            }
        }
        if message.has_fallback && self.is_down {
            self.failing.push((now_ms + TRIED * MINUTE, key));
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), TestCaseError> {
        for to in &self.replay.alarm.destinations {
            let Some(limit) = to.endpoint.routing.rate_limit else {
                continue;
            };
            let since_ms = self.replay.now_ms - i64::from(limit.minutes) * MINUTE;
            let sent = self.replay.sent.get(&to.id).into_iter().flatten();
            let recent = sent.filter(|at_ms| **at_ms > since_ms).count();
            prop_assert!(recent <= limit.messages as usize);
        }
        Ok(())
    }

    /// Once nothing changes any more, what fires is known where it should be, and what is over nowhere.
    fn check_end(&self, has_fallback: bool) -> Result<(), TestCaseError> {
        let all = self.replay.alarm.destinations.iter();
        let enabled: Vec<&Destination> = all.filter(|to| to.disabled.is_none()).collect();
        for (nth, fires) in self.is_firing.into_iter().enumerate() {
            let knows = |to: &&&Destination| self.known.contains_key(&(to.id.to_string(), nth));
            let count = enabled.iter().filter(knows).count();
            if !fires {
                prop_assert_eq!(count, 0, "{} is over", NAMES[nth]);
            } else if has_fallback {
                prop_assert!(count > 0 || enabled.is_empty(), "{} is lost", NAMES[nth]);
            } else {
                prop_assert_eq!(count, enabled.len(), "{} is lost", NAMES[nth]);
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_alert_is_lost_doubled_or_outdated(settings in settings(), history in history()) {
        let mut model = Model::new(&settings);
        for (minutes, event) in &history {
            model.advance(*minutes, event)?;
        }
        model.is_down = false;
        for _ in 0..30 {
            model.advance(200, &Event::Change(BTreeSet::new()))?;
        }
        model.check_end(settings.has_fallback)?;
    }
}
