//! All that is stored of a website, event by event, as a file (threat T32).
//!
//! [`Pages`] reads in order of time, so many at a time; [`File`] turns pages into pieces of a file of some [`Format`]:
//! no more than a page is in memory, however long the file is. Whatever comes between two pages is in the file or not, and
//! nothing is in it twice.

mod file;
mod pages;

pub use file::{File, FileError, Format, harmless};
pub use pages::{ExportQuery, Pages};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Whole,
    Number,
    /// Unix milliseconds, written as ISO 8601.
    Time,
    /// A hash, written as 16 hex digits; 0 is none.
    Hash,
}

/// A column of the file: its name, what it is, how it is written.
#[derive(Debug)]
pub(super) struct Column(pub(super) &'static str, &'static str, pub(super) Form);

/// The kinds of events by their number, which begins at 1.
const KIND: &str = "CASE kind WHEN 1 THEN 'page' WHEN 2 THEN 'custom' WHEN 3 THEN 'outgoing_link' WHEN 4 THEN 'vital' \
    WHEN 5 THEN 'error' WHEN 6 THEN 'engagement' WHEN 7 THEN 'tool_call' WHEN 8 THEN 'agent' ELSE 'other' END";
const SENT_BY: &str = "CASE trust WHEN 1 THEN 'key' ELSE 'client' END";
const VERDICT: &str = "CASE bot WHEN 0 THEN 'person' WHEN 1 THEN 'suspected' ELSE 'declared' END";

const fn text(name: &'static str) -> Column {
    Column(name, name, Form::Text)
}

const fn whole(name: &'static str) -> Column {
    Column(name, name, Form::Whole)
}

const fn number(name: &'static str) -> Column {
    Column(name, name, Form::Number)
}

/// What a file has rows of.
#[derive(Debug)]
pub struct Table {
    /// What a file says of a row. The second one is its time, by which pages are cut.
    pub(super) columns: &'static [Column],
    /// A condition that holds for the rows.
    rows: &'static str,
}

/// What happened on websites.
pub static EVENTS: Table = Table {
    columns: EVENT_COLUMNS,
    rows: "kind < kind_of(click)",
};

/// Clicks on short links.
pub static CLICKS: Table = Table {
    columns: CLICK_COLUMNS,
    rows: "kind = kind_of(click)",
};

const CLICK_COLUMNS: &[Column] = &[
    // A number, in whose place the reader puts the link's id.
    Column("link_id", "website", Form::Text),
    Column("timestamp", "time", Form::Time),
    Column("click_id", "short_link", Form::Text),
    text("referrer"),
    text("referrer_domain"),
    text("source"),
    text("channel"),
    text("utm_source"),
    text("utm_medium"),
    text("utm_campaign"),
    text("utm_term"),
    text("utm_content"),
    text("country"),
    text("region"),
    text("city"),
    text("language"),
    text("device_type"),
    text("browser_name"),
    text("browser_version"),
    text("os_name"),
    text("os_version"),
    Column("bot_verdict", VERDICT, Form::Text),
];

const EVENT_COLUMNS: &[Column] = &[
    Column("event_type", KIND, Form::Text),
    Column("timestamp", "time", Form::Time),
    Column("received_at", "received", Form::Time),
    text("name"),
    Column("anonymous_id", "visitor", Form::Hash),
    Column("session_id", "session", Form::Hash),
    Column("profile_id", "profile", Form::Text),
    text("host"),
    text("path"),
    text("title"),
    text("referrer"),
    text("referrer_domain"),
    text("source"),
    text("channel"),
    text("utm_source"),
    text("utm_medium"),
    text("utm_campaign"),
    text("utm_term"),
    text("utm_content"),
    text("country"),
    text("region"),
    text("city"),
    text("timezone"),
    text("language"),
    text("device_type"),
    text("browser_name"),
    text("browser_version"),
    text("os_name"),
    text("os_version"),
    Column("screen_resolution", "screen", Form::Text),
    number("time_on_page"),
    number("scroll_depth"),
    Column("interaction_count", "interactions", Form::Whole),
    text("href"),
    text("message"),
    text("namespace"),
    text("properties"),
    Column("bot_verdict", VERDICT, Form::Text),
    // What an import needs beside to restore an event as it was.
    whole("bot_signals"),
    Column("sent_by", SENT_BY, Form::Text),
    text("sender"),
    text("short_link"),
    text("click_id"),
    text("device_brand"),
    text("device_model"),
    Column("viewport_size", "viewport", Form::Text),
    Column("connection_type", "connection", Form::Text),
    whole("page_count"),
    number("load_time"),
    number("dom_ready_time"),
    number("ttfb"),
    number("render_time"),
    number("value"),
    text("link_text"),
    text("filename"),
    whole("line"),
    whole("column_number"),
    text("stack"),
    number("active_time"),
    number("first_interaction"),
    whole("rage_clicks"),
    whole("dead_clicks"),
    text("rage_target"),
    text("dead_target"),
    whole("form_fields"),
    whole("form_submits"),
    text("last_field"),
    whole("error_count"),
    text("exit_type"),
    whole("page_index"),
    whole("scrolls"),
    whole("clicks"),
    whole("keystrokes"),
    whole("copies"),
    whole("is_error"),
    text("error_code"),
    whole("duration_ms"),
    whole("output_chars"),
    text("client"),
    text("client_name"),
    text("client_version"),
    text("user_agent"),
    text("server_name"),
    text("server_version"),
    text("environment"),
    text("agent_product"),
    text("agent_operator"),
    text("agent_purpose"),
    text("agent_source"),
];
