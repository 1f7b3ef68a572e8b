//! The result of a check, and its row.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    Monitor, Verdict,
    plan::{Cause, Work},
};
use crate::{
    egress::{Class, Failure, Phase, Trace},
    events::{
        event::{Check, Details, Event, Status},
        store::Accepted,
    },
};

/// The region of checks that this server makes.
pub(super) const REGION: &str = "local";
/// Marks the rows of what several places found together. They have no region.
const TOGETHER: &str = "quorum";
const MAX_ERROR: usize = 300;
const BUSY: &str = "not checked: pharos was busy with other checks";

#[derive(Debug, Clone)]
pub struct CheckResult {
    /// The start, Unix milliseconds.
    pub at_ms: i64,
    /// Status of the last HTTP answer, 0 = none.
    pub http_code: u16,
    pub trace: Trace,
    pub failure: Option<Failure>,
    /// Whether it was good, but degraded.
    pub slow: bool,
    /// The parts of a health answer.
    pub parts: Option<Value>,
    /// Whether the target was not checked, because pharos was busy. Nothing is known of it then.
    pub is_skipped: bool,
}

impl CheckResult {
    pub(super) fn new(at_ms: i64, trace: Trace) -> Self {
        Self {
            at_ms,
            http_code: 0,
            trace,
            failure: None,
            slow: false,
            parts: None,
            is_skipped: false,
        }
    }

    pub(super) fn skipped(at_ms: i64) -> Self {
        Self {
            failure: Some(Failure::new(Class::Other, BUSY)),
            is_skipped: true,
            ..Self::new(at_ms, Trace::begin())
        }
    }

    pub(super) fn finding(&self) -> Finding {
        Finding {
            check: self.last(Status::Up),
            slow: self.slow,
        }
    }

    fn last(&self, status: Status) -> LastCheck {
        let micros = |phase| self.trace.phase(phase).as_micros() as u64;
        let (certificate, failure) = (self.trace.certificate, self.failure.as_ref());
        LastCheck {
            at_ms: self.at_ms,
            status: status.number(),
            http_code: self.http_code,
            phases: Phase::ALL.map(micros),
            address: self.trace.address.map(|ip| ip.to_string()),
            bytes: self.trace.bytes,
            redirects: self.trace.redirects,
            ssl_expiry: certificate.map(|seen| seen.ends_ms),
            ssl_valid: certificate.map(|seen| seen.problem.is_none()),
            error_class: failure.map(|failure| failure.class),
            error: failure.map(|failure| cut(&failure.message)),
            parts: self.parts.clone(),
        }
    }
}

/// What a check found, wherever it was made. Its status is decided later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub check: LastCheck,
    /// Whether it was good, but degraded.
    pub slow: bool,
}

impl Finding {
    pub fn is_up(&self) -> bool {
        self.check.error_class.is_none()
    }

    pub(super) fn verdict(&self) -> Verdict {
        if self.is_up() {
            Verdict::Good { slow: self.slow }
        } else {
            Verdict::Bad
        }
    }
}

/// The last check of a monitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCheck {
    /// The start, Unix milliseconds.
    pub at_ms: i64,
    /// 0 down, 1 up, 2 pending, 3 maintenance.
    pub status: u32,
    /// Status of the last HTTP answer, 0 = none.
    pub http_code: u16,
    /// Microseconds of every [`Phase`].
    pub phases: [u64; 5],
    pub address: Option<String>,
    pub bytes: u64,
    pub redirects: u32,
    /// When the certificate ends, Unix milliseconds.
    pub ssl_expiry: Option<i64>,
    pub ssl_valid: Option<bool>,
    pub error_class: Option<Class>,
    pub error: Option<String>,
    /// The parts of a health answer.
    pub parts: Option<Value>,
}

impl LastCheck {
    /// Microseconds of all phases.
    pub fn total_us(&self) -> u64 {
        self.phases.iter().sum()
    }

    /// Milliseconds of all phases, rounded up: the value of events, days and percentiles.
    pub(super) fn total_ms(&self) -> u32 {
        u32::try_from(self.total_us().div_ceil(1_000)).unwrap_or(u32::MAX)
    }

    pub(super) fn row(&self, monitor: &Monitor, why: &RowContext) -> Accepted {
        let answered = self.phases[Phase::Ttfb as usize] > 0 && self.http_code > 0;
        let before: u64 = self.phases[..4].iter().sum();
        let check = Check {
            status: why.status,
            http_code: self.http_code.into(),
            ttfb_ms: answered.then(|| before as f32 / 1_000.0),
            total_ms: Some(self.total_ms()),
            ip: self.address.clone(),
            ssl_expiry: self.ssl_expiry,
            ssl_valid: self.ssl_valid,
            error: self.error.clone(),
            ..Check::default()
        };
        let mut properties = Map::new();
        for (phase, micros) in Phase::ALL.iter().zip(self.phases) {
            properties.insert(format!("{}_us", phase.as_str()), json!(micros));
        }
        for (name, value) in [
            ("total_us", Some(json!(self.total_us()))),
            ("bytes", Some(json!(self.bytes))),
            ("redirects", Some(json!(self.redirects))),
            ("retries", Some(json!(why.retries))),
            ("failure_streak", Some(json!(why.streak))),
            ("cause", Some(json!(why.name))),
            ("error_class", self.error_class.map(|class| json!(class))),
            ("degraded", why.degraded.then(|| json!(true))),
            ("parts", self.parts.clone()),
            ("places", why.origin.tally().map(|(all, _)| json!(all))),
            (
                "places_down",
                why.origin.tally().map(|(_, down)| json!(down)),
            ),
        ] {
            properties.extend(value.map(|value| (name.to_owned(), value)));
        }
        let times = (self.at_ms, why.now_ms);
        let id = why.id.clone();
        row(monitor, times, id, check, (properties, &why.origin))
    }
}

/// Where a row comes from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// The only place of the monitor, this server.
    Here,
    /// One of several places: its id, and what it is called.
    Place(String, String),
    /// What the places found together.
    Together { reported: u32, downs: u32 },
}

impl Origin {
    /// How many places have reported, and how many of them found it down.
    fn tally(&self) -> Option<(u32, u32)> {
        match self {
            Self::Together { reported, downs } => Some((*reported, *downs)),
            Self::Here | Self::Place(..) => None,
        }
    }
}

/// The part of a row that the check itself does not know.
#[derive(Debug, Clone)]
pub(super) struct RowContext {
    /// A slot has one row.
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) status: Status,
    pub(super) retries: u32,
    pub(super) streak: u32,
    pub(super) degraded: bool,
    pub(super) now_ms: i64,
    pub(super) origin: Origin,
}

/// The id and the cause of a check's row.
pub(super) fn row_id(cause: Cause, due_ms: i64) -> (String, &'static str) {
    match cause {
        Cause::Slot => (format!("slot:{due_ms}"), "slot"),
        Cause::Recheck => (format!("recheck:{due_ms}"), "recheck"),
        Cause::Asked => (format!("asked:{due_ms}"), "asked"),
    }
}

/// The id of a place's row of a slot.
pub(super) fn place_row_id(slot_ms: i64, place: &str) -> String {
    format!("slot:{slot_ms}@{place}")
}

/// The row of a slot of which too few places have reported.
pub(super) fn undecided(
    monitor: &Monitor,
    work: &Work,
    (reported, downs): (u32, u32),
    now_ms: i64,
) -> Accepted {
    let properties = Map::from_iter([
        ("cause".to_owned(), json!("undecided")),
        ("places".to_owned(), json!(reported)),
        ("places_down".to_owned(), json!(downs)),
    ]);
    let origin = Origin::Together { reported, downs };
    let (id, _) = row_id(work.cause, work.due_ms);
    let times = (work.due_ms, now_ms);
    let check = unseen("not decided: too few locations reported");
    row(monitor, times, id, check, (properties, &origin))
}

/// The row of a slot without a check.
pub(super) fn missed(monitor: &Monitor, slot_ms: i64, further: u64, now_ms: i64) -> Accepted {
    let why = "not checked: pharos was stopped or behind";
    let mut properties = Map::from_iter([("cause".to_owned(), json!("missed"))]);
    if further > 0 {
        properties.insert("further".to_owned(), json!(further));
    }
    let (id, _) = row_id(Cause::Slot, slot_ms);
    let rest = (properties, &Origin::Here);
    row(monitor, (slot_ms, now_ms), id, unseen(why), rest)
}

/// The row of a check that was not made.
pub(super) fn skipped(monitor: &Monitor, work: &Work, now_ms: i64) -> Accepted {
    let properties = Map::from_iter([("cause".to_owned(), json!("missed"))]);
    let (id, _) = row_id(work.cause, work.due_ms);
    let rest = (properties, &Origin::Here);
    row(monitor, (work.due_ms, now_ms), id, unseen(BUSY), rest)
}

/// The row of a pause, which ends the last result.
pub(super) fn paused(monitor: &Monitor, now_ms: i64) -> Accepted {
    let check = unseen("the monitor is paused");
    let properties = Map::from_iter([("cause".to_owned(), json!("paused"))]);
    let id = format!("paused:{now_ms}");
    row(
        monitor,
        (now_ms, now_ms),
        id,
        check,
        (properties, &Origin::Here),
    )
}

fn unseen(why: &str) -> Check {
    Check {
        status: Status::Missed,
        error: Some(why.to_owned()),
        ..Check::default()
    }
}

fn row(
    monitor: &Monitor,
    (time, received): (i64, i64),
    id: String,
    check: Check,
    (properties, origin): (Map<String, Value>, &Origin),
) -> Accepted {
    let (region, namespace, sender) = match origin {
        Origin::Here => (Some(REGION.to_owned()), None, None),
        Origin::Place(id, name) => (Some(name.clone()), None, Some(id.clone())),
        Origin::Together { .. } => (None, Some(TOGETHER.to_owned()), None),
    };
    let check = Check {
        url: monitor.url.clone(),
        ..check
    };
    let event = Event {
        organization: monitor.organization_key.0,
        website: monitor.key.0,
        time,
        received,
        name: monitor.kind.as_str().to_owned(),
        region,
        namespace,
        sender,
        properties: Some(Value::Object(properties).to_string()),
        details: Details::Check(Box::new(check)),
        ..Event::default()
    };
    Accepted {
        event,
        event_id: Some(id),
    }
}

pub(super) fn cut(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_ERROR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actors::monitors::{Granularity, MonitorFields, plan::Missed, testing};

    #[test]
    fn a_check_that_was_not_made_fails_nothing() {
        assert!(CheckResult::skipped(5).is_skipped);
        assert!(!CheckResult::new(5, Trace::begin()).is_skipped);
        let fields = MonitorFields {
            granularity: Some(Granularity::Minute),
            ..MonitorFields::default()
        };
        let work = Work {
            key: 1,
            fence: 1,
            due_ms: 60_000,
            cause: Cause::Recheck,
            missed: Missed::default(),
        };
        let row = skipped(&testing::monitor("m", fields), &work, 61_000);
        assert_eq!(row.event_id.as_deref(), Some("recheck:60000"));
        let Details::Check(check) = row.event.details else {
            panic!("{:?}", row.event.name);
        };
        assert_eq!(check.status.number(), Status::Missed.number());
    }
}
