//! What a column of the event table is, and how its value is read off an event.
//!
//! The list of columns is [`super::tables`]; this is its vocabulary.

use super::event::{AgentRequest, Call, Check, Details, Engagement, Event, Failure, Page};

/// Numbers of the event kinds as stored in column `kind`.
pub mod kind {
    /// `screen_view`, `page_exit` and other page events.
    pub const PAGE: i64 = 1;
    pub const CUSTOM: i64 = 2;
    pub const OUTGOING: i64 = 3;
    pub const VITAL: i64 = 4;
    pub const ERROR: i64 = 5;
    pub const ENGAGEMENT: i64 = 6;
    /// Tool calls of MCP servers.
    pub const CALL: i64 = 7;
    /// Pages that agents fetched.
    pub const AGENT: i64 = 8;
    pub const CLICK: i64 = 64;
    pub const CHECK: i64 = 65;
    /// Checks of a monitor from one of several places; what these found together is a [`CHECK`].
    pub const PLACE_CHECK: i64 = 66;
    /// Kinds below 64 are events that were sent to us. A row of this kind represents a number of them that are not
    /// stored.
    pub const COUNTER: i64 = 100;
    /// Aliases: who a visitor is.
    pub const ALIAS: i64 = 101;

    /// Every kind: its number, its name in statements, and what its rows are called in an answer.
    const NAMES: [(i64, &str, &str); 13] = [
        (PAGE, "page", "pages"),
        (CUSTOM, "custom", "customEvents"),
        (OUTGOING, "outgoing", "outgoingLinks"),
        (VITAL, "vital", "vitals"),
        (ERROR, "error", "errors"),
        (ENGAGEMENT, "engagement", "engagement"),
        (CALL, "call", "toolCalls"),
        (AGENT, "agent", "agentRequests"),
        (CLICK, "click", "clicks"),
        (CHECK, "check", "checks"),
        (PLACE_CHECK, "place_check", "placeChecks"),
        (COUNTER, "counter", "tallies"),
        (ALIAS, "alias", "identities"),
    ];

    /// The number of the kind that statements call so.
    pub fn number(name: &str) -> Option<i64> {
        let found = NAMES.iter().find(|(_, known, _)| *known == name);
        found.map(|(number, ..)| *number)
    }

    /// What rows of a kind are called in an answer.
    pub fn name(kind: i64) -> &'static str {
        let found = NAMES.iter().find(|(number, ..)| *number == kind);
        found.map_or("others", |(.., rows)| *rows)
    }
}

/// How a column's value is read off an event; the variant is the column's type.
#[derive(Clone, Copy)]
pub enum Read {
    /// 64-bit signed, never null.
    Int(fn(&Event) -> i64),
    /// 64-bit unsigned hash, never null, 0 = none.
    Hash(fn(&Event) -> u64),
    /// 8-bit unsigned, never null.
    Tiny(fn(&Event) -> u8),
    /// 32-bit unsigned, null where the kind has no such field.
    Count(fn(&Event) -> Option<u32>),
    /// 32-bit float, null where the kind has no such field.
    Float(fn(&Event) -> Option<f32>),
    /// 64-bit float, null where the kind has no such field.
    Double(fn(&Event) -> Option<f64>),
    /// Text, null when unknown.
    Text(fn(&Event) -> Option<&str>),
}

pub struct Column {
    pub name: &'static str,
    pub read: Read,
    pub about: &'static str,
    /// The first version of the table that has it.
    pub since: i32,
}

impl Column {
    /// A column that the table has since this version.
    pub(super) const fn since(mut self, version: i32) -> Self {
        self.since = version;
        self
    }
}

pub(super) const fn column(name: &'static str, read: Read, about: &'static str) -> Column {
    Column {
        name,
        read,
        about,
        since: 1,
    }
}

pub(super) fn page(event: &Event) -> Option<&Page> {
    match &event.details {
        Details::Page(page) => Some(page),
        _ => None,
    }
}

pub(super) fn failure(event: &Event) -> Option<&Failure> {
    match &event.details {
        Details::Error(failure) => Some(failure),
        _ => None,
    }
}

pub(super) fn engagement(event: &Event) -> Option<&Engagement> {
    match &event.details {
        Details::Engagement(engagement) => Some(engagement),
        _ => None,
    }
}

pub(super) fn call(event: &Event) -> Option<&Call> {
    match &event.details {
        Details::Call(call) => Some(call),
        _ => None,
    }
}

pub(super) fn check(event: &Event) -> Option<&Check> {
    match &event.details {
        Details::Check(check) => Some(check),
        _ => None,
    }
}

/// Milliseconds until the first byte, of a page or of a check.
pub(super) fn first_byte(event: &Event) -> Option<f32> {
    page(event)
        .and_then(|page| page.ttfb)
        .or_else(|| check(event)?.ttfb_ms)
}

/// Milliseconds that a tool call or a check took.
pub(super) fn duration(event: &Event) -> Option<u32> {
    call(event)
        .map(|call| call.duration_ms)
        .or_else(|| check(event)?.total_ms)
}

pub(super) fn agent(event: &Event) -> Option<&AgentRequest> {
    match &event.details {
        Details::Agent(request) => Some(request),
        _ => None,
    }
}

pub(super) fn event_kind(event: &Event) -> u8 {
    let kind = match event.details {
        Details::Page(_) => kind::PAGE,
        Details::Custom => kind::CUSTOM,
        Details::Outgoing { .. } => kind::OUTGOING,
        Details::Vital { .. } => kind::VITAL,
        Details::Error(_) => kind::ERROR,
        Details::Engagement(_) => kind::ENGAGEMENT,
        Details::Call(_) => kind::CALL,
        Details::Agent(_) => kind::AGENT,
        Details::Click => kind::CLICK,
        Details::Check(_) if event.sender.is_some() => kind::PLACE_CHECK,
        Details::Check(_) => kind::CHECK,
        Details::Counter { .. } => kind::COUNTER,
        Details::Alias => kind::ALIAS,
    };
    kind as u8
}

impl Column {
    /// The column as a file of this version of the table has it.
    pub fn in_version(&self, version: i32) -> String {
        if self.since > version {
            self.stand_in()
        } else {
            self.name.to_owned()
        }
    }

    /// The column as rows have it that were written before there was such a column.
    pub fn stand_in(&self) -> String {
        let (kind, name) = (self.read.duckdb_type(), self.name);
        match kind.strip_suffix(" NOT NULL") {
            Some(kind) => format!("0::{kind} AS {name}"),
            None => format!("NULL::{kind} AS {name}"),
        }
    }
}

impl Read {
    /// The column's type in ClickHouse.
    pub const fn clickhouse_type(self) -> &'static str {
        match self {
            Self::Int(_) => "Int64",
            Self::Hash(_) => "UInt64",
            Self::Tiny(_) => "UInt8",
            Self::Count(_) => "Nullable(UInt32)",
            Self::Float(_) => "Nullable(Float32)",
            Self::Double(_) => "Nullable(Float64)",
            Self::Text(_) => "Nullable(String)",
        }
    }

    /// The column's type in DuckDB.
    pub const fn duckdb_type(self) -> &'static str {
        match self {
            Self::Int(_) => "BIGINT NOT NULL",
            Self::Hash(_) => "UBIGINT NOT NULL",
            Self::Tiny(_) => "UTINYINT NOT NULL",
            Self::Count(_) => "UINTEGER",
            Self::Float(_) => "FLOAT",
            Self::Double(_) => "DOUBLE",
            Self::Text(_) => "VARCHAR",
        }
    }
}
