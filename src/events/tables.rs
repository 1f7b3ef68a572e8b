//! The columns of the event table, declared once.
//!
//! DuckDB's tail tables, the Parquet segments, the ClickHouse table and the documentation all derive from
//! [`COLUMNS`]. Adding a column is one line here and a field in [`Event`].

use super::event::{Bot, Details, Engagement, Event, Failure, Page, Trust};

/// Version of this column list; every segment carries the version it was written with.
pub const SCHEMA: i32 = 1;

/// Numbers of the event kinds as stored in column `kind`.
pub mod kind {
    /// `screen_view`, `page_exit` and other page events.
    pub const PAGE: i64 = 1;
    /// Custom events.
    pub const CUSTOM: i64 = 2;
    /// Outgoing links.
    pub const OUTGOING: i64 = 3;
    /// Web vitals.
    pub const VITAL: i64 = 4;
    /// JavaScript errors.
    pub const ERROR: i64 = 5;
    /// Engagement spans.
    pub const ENGAGEMENT: i64 = 6;
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

/// One column.
pub struct Column {
    /// Its name in every engine.
    pub name: &'static str,
    /// Type and source.
    pub read: Read,
    /// What it holds, for people.
    pub about: &'static str,
}

const fn column(name: &'static str, read: Read, about: &'static str) -> Column {
    Column { name, read, about }
}

fn page(event: &Event) -> Option<&Page> {
    match &event.details {
        Details::Page(page) => Some(page),
        _ => None,
    }
}

fn failure(event: &Event) -> Option<&Failure> {
    match &event.details {
        Details::Error(failure) => Some(failure),
        _ => None,
    }
}

fn engagement(event: &Event) -> Option<&Engagement> {
    match &event.details {
        Details::Engagement(engagement) => Some(engagement),
        _ => None,
    }
}

fn kind_of(event: &Event) -> u8 {
    let kind = match event.details {
        Details::Page(_) => kind::PAGE,
        Details::Custom => kind::CUSTOM,
        Details::Outgoing { .. } => kind::OUTGOING,
        Details::Vital { .. } => kind::VITAL,
        Details::Error(_) => kind::ERROR,
        Details::Engagement(_) => kind::ENGAGEMENT,
    };
    kind as u8
}

use Read::{Count, Double, Float, Hash, Int, Text, Tiny};

/// Every column, in stored order. `website` and `time` are the sort order of segments.
pub const COLUMNS: &[Column] = &[
    column("organization", Int(|e| e.organization), "owner"),
    column("website", Int(|e| e.website), "website, 0 = none"),
    column("time", Int(|e| e.time), "when it happened, Unix ms"),
    column(
        "received",
        Int(|e| e.received),
        "when we received it, Unix ms",
    ),
    column(
        "kind",
        Tiny(kind_of),
        "1 page, 2 custom, 3 outgoing link, 4 vital, 5 error, 6 engagement",
    ),
    column(
        "name",
        Text(|e| Some(&e.name)),
        "event name, metric name or error type",
    ),
    column(
        "visitor",
        Hash(|e| e.visitor),
        "hash of the visitor id, 0 = none",
    ),
    column(
        "session",
        Hash(|e| e.session),
        "hash of the session id, 0 = none",
    ),
    column(
        "profile",
        Text(|e| e.profile.as_deref()),
        "the caller's own user id",
    ),
    column("host", Text(|e| e.host.as_deref()), "host of the page"),
    column(
        "path",
        Text(|e| Some(&e.path)),
        "decoded pathname without trailing slash",
    ),
    column("title", Text(|e| e.title.as_deref()), "page title"),
    column(
        "referrer",
        Text(|e| e.referrer.as_deref()),
        "host and path of the referrer",
    ),
    column(
        "referrer_domain",
        Text(|e| e.referrer_domain.as_deref()),
        "its registrable domain",
    ),
    column(
        "source",
        Text(|e| e.source.as_deref()),
        "name of the traffic source",
    ),
    column(
        "channel",
        Text(|e| e.channel.as_deref()),
        "kind of traffic source",
    ),
    column(
        "country",
        Text(|e| e.country.as_deref()),
        "ISO 3166-1 alpha-2",
    ),
    column(
        "region",
        Text(|e| e.region.as_deref()),
        "first-level subdivision",
    ),
    column("city", Text(|e| e.city.as_deref()), "city"),
    column(
        "device_type",
        Text(|e| e.device_type.as_deref()),
        "desktop, mobile, tablet, …",
    ),
    column(
        "browser_name",
        Text(|e| e.browser_name.as_deref()),
        "browser family",
    ),
    column(
        "browser_version",
        Text(|e| e.browser_version.as_deref()),
        "browser version",
    ),
    column(
        "os_name",
        Text(|e| e.os_name.as_deref()),
        "operating system",
    ),
    column(
        "os_version",
        Text(|e| e.os_version.as_deref()),
        "its version",
    ),
    column("language", Text(|e| e.language.as_deref()), "language tag"),
    column(
        "timezone",
        Text(|e| e.timezone.as_deref()),
        "the visitor's time zone",
    ),
    column("screen", Text(|e| e.screen.as_deref()), "screen size"),
    column("viewport", Text(|e| e.viewport.as_deref()), "window size"),
    column(
        "utm_source",
        Text(|e| e.utm.source.as_deref()),
        "campaign source",
    ),
    column(
        "utm_medium",
        Text(|e| e.utm.medium.as_deref()),
        "campaign medium",
    ),
    column(
        "utm_campaign",
        Text(|e| e.utm.campaign.as_deref()),
        "campaign name",
    ),
    column("utm_term", Text(|e| e.utm.term.as_deref()), "campaign term"),
    column(
        "utm_content",
        Text(|e| e.utm.content.as_deref()),
        "campaign content",
    ),
    column(
        "namespace",
        Text(|e| e.namespace.as_deref()),
        "namespace of a custom event",
    ),
    column(
        "sender",
        Text(|e| e.sender.as_deref()),
        "source field of a custom event",
    ),
    column(
        "trust",
        Tiny(|e| u8::from(e.trust == Trust::Key)),
        "0 client id, 1 API key",
    ),
    column(
        "bot",
        Tiny(|e| match e.bot {
            Bot::No => 0,
            Bot::Suspected => 1,
            Bot::Declared => 2,
        }),
        "0 no, 1 suspected, 2 declared",
    ),
    column(
        "properties",
        Text(|e| e.properties.as_deref()),
        "the caller's properties, JSON",
    ),
    column(
        "time_on_page",
        Float(|e| {
            page(e)
                .and_then(|p| p.time_on_page)
                .or_else(|| engagement(e).map(|s| s.time_on_page))
        }),
        "seconds on the page",
    ),
    column(
        "scroll_depth",
        Float(|e| {
            page(e)
                .and_then(|p| p.scroll_depth)
                .or_else(|| engagement(e).map(|s| s.scroll_depth))
        }),
        "deepest scroll position, percent",
    ),
    column(
        "interactions",
        Count(|e| {
            page(e)
                .and_then(|p| p.interactions)
                .or_else(|| engagement(e).map(|s| s.interactions))
        }),
        "clicks, keys and touches",
    ),
    column(
        "page_count",
        Count(|e| page(e).and_then(|p| p.page_count)),
        "pages seen so far",
    ),
    column(
        "load_time",
        Float(|e| page(e).and_then(|p| p.load_time)),
        "ms until loaded",
    ),
    column(
        "dom_ready_time",
        Float(|e| page(e).and_then(|p| p.dom_ready_time)),
        "ms until ready",
    ),
    column(
        "ttfb",
        Float(|e| page(e).and_then(|p| p.ttfb)),
        "ms until the first byte",
    ),
    column(
        "render_time",
        Float(|e| page(e).and_then(|p| p.render_time)),
        "ms spent rendering",
    ),
    column(
        "value",
        Double(|e| match e.details {
            Details::Vital { value } => Some(value),
            _ => None,
        }),
        "value of a vital",
    ),
    column(
        "href",
        Text(|e| match &e.details {
            Details::Outgoing { href, .. } => Some(href),
            _ => None,
        }),
        "target of an outgoing link",
    ),
    column(
        "link_text",
        Text(|e| match &e.details {
            Details::Outgoing { text, .. } => Some(text),
            _ => None,
        }),
        "text of an outgoing link",
    ),
    column(
        "message",
        Text(|e| failure(e).map(|f| f.message.as_str())),
        "error message",
    ),
    column(
        "filename",
        Text(|e| failure(e).and_then(|f| f.filename.as_deref())),
        "error script",
    ),
    column(
        "line",
        Count(|e| failure(e).and_then(|f| f.line)),
        "error line",
    ),
    column(
        "column_number",
        Count(|e| failure(e).and_then(|f| f.column)),
        "error column",
    ),
    column(
        "stack",
        Text(|e| failure(e).and_then(|f| f.stack.as_deref())),
        "error stack",
    ),
    column(
        "active_time",
        Float(|e| engagement(e).map(|s| s.active_time)),
        "seconds active",
    ),
    column(
        "first_interaction",
        Float(|e| engagement(e).and_then(|s| s.first_interaction)),
        "ms until the first interaction",
    ),
    column(
        "rage_clicks",
        Count(|e| engagement(e).map(|s| s.rage_clicks)),
        "angry bursts",
    ),
    column(
        "dead_clicks",
        Count(|e| engagement(e).map(|s| s.dead_clicks)),
        "clicks in vain",
    ),
    column(
        "rage_target",
        Text(|e| engagement(e).and_then(|s| s.rage_target.as_deref())),
        "what was clicked in rage",
    ),
    column(
        "dead_target",
        Text(|e| engagement(e).and_then(|s| s.dead_target.as_deref())),
        "what was clicked in vain",
    ),
    column(
        "form_fields",
        Count(|e| engagement(e).map(|s| s.form_fields)),
        "form fields touched",
    ),
    column(
        "form_submits",
        Count(|e| engagement(e).map(|s| s.form_submits)),
        "forms submitted",
    ),
    column(
        "last_field",
        Text(|e| engagement(e).and_then(|s| s.last_field.as_deref())),
        "form field touched last",
    ),
    column(
        "error_count",
        Count(|e| engagement(e).map(|s| s.errors)),
        "errors during the view",
    ),
];

impl Read {
    /// The column's type in DuckDB (and, but for spelling, everywhere else).
    pub const fn duckdb_type(self) -> &'static str {
        match self {
            Int(_) => "BIGINT NOT NULL",
            Hash(_) => "UBIGINT NOT NULL",
            Tiny(_) => "UTINYINT NOT NULL",
            Count(_) => "UINTEGER",
            Float(_) => "FLOAT",
            Double(_) => "DOUBLE",
            Text(_) => "VARCHAR",
        }
    }
}

/// The statement that creates a tail table of this shape.
pub fn create_table(name: &str) -> String {
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|column| format!("{} {}", column.name, column.read.duckdb_type()))
        .collect();
    format!("CREATE TABLE {name} ({})", columns.join(", "))
}
