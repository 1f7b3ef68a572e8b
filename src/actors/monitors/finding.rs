//! What a check found, and the row that is written of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Monitor, Verdict, plan::Cause};
use crate::{
    egress::{Class, Failure, Phase, Trace},
    events::{
        event::{Check, Details, Event, Status},
        store::Accepted,
    },
};

/// Where checks are made from. There is one place so far.
pub(super) const REGION: &str = "local";
const MAX_ERROR: usize = 300;

/// What a check found.
#[derive(Debug, Clone)]
pub struct Finding {
    /// When it began, Unix milliseconds.
    pub at_ms: i64,
    /// Status of the last HTTP answer, 0 = none.
    pub http_code: u16,
    /// How long what took.
    pub trace: Trace,
    /// What is wrong; nothing when all is as wanted.
    pub failure: Option<Failure>,
    /// Whether it was good, but slow.
    pub slow: bool,
    /// What a health answer says of its parts.
    pub parts: Option<Value>,
}

impl Finding {
    /// What it means for the state machine.
    pub fn verdict(&self) -> Verdict {
        match self.failure {
            Some(_) => Verdict::Bad,
            None => Verdict::Good { slow: self.slow },
        }
    }

    /// What is remembered of it beside how the monitor stands.
    pub(super) fn last(&self, status: Status) -> Last {
        let micros = |phase| self.trace.phase(phase).as_micros() as u64;
        Last {
            at_ms: self.at_ms,
            status: status.number(),
            http_code: self.http_code,
            phases: Phase::ALL.map(micros),
            address: self.trace.address.map(|ip| ip.to_string()),
            bytes: self.trace.bytes,
            redirects: self.trace.redirects,
            ssl_expiry: self
                .trace
                .certificate
                .map(|certificate| certificate.ends_ms),
            ssl_valid: self
                .trace
                .certificate
                .map(|certificate| certificate.problem.is_none()),
            error_class: self.failure.as_ref().map(|failure| failure.class),
            error: self.failure.as_ref().map(|failure| cut(&failure.message)),
            parts: self.parts.clone(),
        }
    }
}

/// The last check of a monitor, as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Last {
    /// When it began, Unix milliseconds.
    pub at_ms: i64,
    /// 0 down, 1 up, 2 pending, 3 maintenance.
    pub status: u32,
    /// Status of the last HTTP answer, 0 = none.
    pub http_code: u16,
    /// Microseconds of every [`Phase`].
    pub phases: [u64; 5],
    /// The address that was reached.
    pub address: Option<String>,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Redirects that were followed.
    pub redirects: u32,
    /// When the certificate ends, Unix milliseconds.
    pub ssl_expiry: Option<i64>,
    /// Whether it is to be trusted.
    pub ssl_valid: Option<bool>,
    /// The class of what is wrong.
    pub error_class: Option<Class>,
    /// What is wrong.
    pub error: Option<String>,
    /// What a health answer says of its parts.
    pub parts: Option<Value>,
}

impl Last {
    /// Microseconds of all phases.
    pub fn total_us(&self) -> u64 {
        self.phases.iter().sum()
    }

    /// Milliseconds of all phases, a started one counted whole: what events, days and percentiles hold.
    pub(super) fn total_ms(&self) -> u32 {
        u32::try_from(self.total_us().div_ceil(1_000)).unwrap_or(u32::MAX)
    }

    /// The event of it.
    pub(super) fn row(&self, monitor: &Monitor, why: &Why) -> Accepted {
        let answered = self.phases[Phase::Ttfb as usize] > 0 && self.http_code > 0;
        let before: u64 = self.phases[..4].iter().sum();
        let check = Check {
            url: monitor.url.clone(),
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
        properties.insert("total_us".to_owned(), json!(self.total_us()));
        properties.insert("bytes".to_owned(), json!(self.bytes));
        properties.insert("redirects".to_owned(), json!(self.redirects));
        properties.insert("retries".to_owned(), json!(why.retries));
        properties.insert("failure_streak".to_owned(), json!(why.streak));
        properties.insert("cause".to_owned(), json!(why.name));
        if let Some(class) = self.error_class {
            properties.insert("error_class".to_owned(), json!(class));
        }
        if why.degraded {
            properties.insert("degraded".to_owned(), json!(true));
        }
        if let Some(parts) = &self.parts {
            properties.insert("parts".to_owned(), parts.clone());
        }
        accepted(
            monitor,
            (self.at_ms, why.now_ms),
            why.id.clone(),
            why.status,
            check,
            properties,
        )
    }
}

/// Why there was a check, and what follows from it.
#[derive(Debug, Clone)]
pub(super) struct Why {
    /// The row's own id: a slot has one row.
    pub(super) id: String,
    pub(super) name: &'static str,
    pub(super) status: Status,
    pub(super) retries: u32,
    pub(super) streak: u32,
    pub(super) degraded: bool,
    pub(super) now_ms: i64,
}

/// The id of a check's row.
pub(super) fn id_of(cause: Cause, due_ms: i64) -> (String, &'static str) {
    match cause {
        Cause::Slot => (format!("slot:{due_ms}"), "slot"),
        Cause::Recheck => (format!("recheck:{due_ms}"), "recheck"),
        Cause::Asked => (format!("asked:{due_ms}"), "asked"),
    }
}

/// The event of a slot in which nobody checked.
pub(super) fn missed(monitor: &Monitor, slot_ms: i64, further: u64, now_ms: i64) -> Accepted {
    let check = Check {
        url: monitor.url.clone(),
        error: Some("nobody checked: the program did not run, or was behind".to_owned()),
        ..Check::default()
    };
    let mut properties = Map::new();
    properties.insert("cause".to_owned(), json!("missed"));
    if further > 0 {
        properties.insert("further".to_owned(), json!(further));
    }
    let (id, _) = id_of(Cause::Slot, slot_ms);
    accepted(
        monitor,
        (slot_ms, now_ms),
        id,
        Status::Missed,
        check,
        properties,
    )
}

/// The event of a monitor that is not watched any more: what the check before it said ends there.
pub(super) fn paused(monitor: &Monitor, now_ms: i64) -> Accepted {
    let check = Check {
        url: monitor.url.clone(),
        error: Some("the monitor is paused".to_owned()),
        ..Check::default()
    };
    let mut properties = Map::new();
    properties.insert("cause".to_owned(), json!("paused"));
    accepted(
        monitor,
        (now_ms, now_ms),
        format!("paused:{now_ms}"),
        Status::Missed,
        check,
        properties,
    )
}

fn accepted(
    monitor: &Monitor,
    (time, received): (i64, i64),
    id: String,
    status: Status,
    check: Check,
    properties: Map<String, Value>,
) -> Accepted {
    let event = Event {
        organization: monitor.organization_key.0,
        website: monitor.key.0,
        time,
        received,
        name: monitor.kind.as_str().to_owned(),
        region: Some(REGION.to_owned()),
        properties: Some(Value::Object(properties).to_string()),
        details: Details::Check(Box::new(Check { status, ..check })),
        ..Event::default()
    };
    Accepted {
        event,
        event_id: Some(id),
    }
}

fn cut(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MAX_ERROR).collect()
}
