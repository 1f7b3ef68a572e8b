//! All that is stored of a website, event by event, as a file (spec, "Websites"; threat T32).
//!
//! [`Pages`] reads in order of time, so many at a time; [`File`] turns pages into pieces of a file of some [`Format`], so that
//! no more than a page is in memory, however long the file is. Whatever comes between two pages is in the file or not, and
//! nothing is in it twice.

mod file;

pub use file::{File, FileError, Format, harmless};

use super::{
    dialect::Sql,
    range::{AHEAD_MS, EPOCH_MS},
    run::Source,
};
use crate::{
    access::ReadAccess,
    events::statement::{Bind, Cell, QueryError, Scope, Statement},
};

/// Events of a page.
const PAGE: usize = 10_000;

/// How a column is written.
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
pub(super) struct Column(pub(super) &'static str, &'static str, pub(super) Form);

/// The kinds of events by their number, which begins at 1.
const KIND: &str = "CASE kind WHEN 1 THEN 'page' WHEN 2 THEN 'custom' WHEN 3 THEN 'outgoing_link' WHEN 4 THEN 'vital' \
    WHEN 5 THEN 'error' WHEN 6 THEN 'engagement' WHEN 7 THEN 'tool_call' WHEN 8 THEN 'agent' ELSE 'other' END";
const VERDICT: &str = "CASE bot WHEN 0 THEN 'person' WHEN 1 THEN 'suspected' ELSE 'declared' END";

const fn text(name: &'static str) -> Column {
    Column(name, name, Form::Text)
}

/// What a file says of an event. The second one is its time, by which pages are cut.
pub(super) const COLUMNS: &[Column] = &[
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
    Column("time_on_page", "time_on_page", Form::Number),
    Column("scroll_depth", "scroll_depth", Form::Number),
    Column("interaction_count", "interactions", Form::Whole),
    text("href"),
    text("message"),
    text("namespace"),
    text("properties"),
    Column("bot_verdict", VERDICT, Form::Text),
];
/// Where the time stands.
const TIME: usize = 1;

/// What is exported: a website's events of `[from, to)`, Unix milliseconds.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Proof that they may be read.
    pub access: ReadAccess,
    /// First millisecond.
    pub from: i64,
    /// First millisecond after.
    pub to: i64,
}

/// Events in order of time, so many at a time.
#[derive(Debug)]
pub struct Pages<S> {
    source: S,
    asked: Asked,
    over: bool,
}

impl<S: Source> Pages<S> {
    /// From the beginning; what lies ahead of `now_ms` is not looked for.
    pub fn new(source: S, mut asked: Asked, now_ms: i64) -> Self {
        asked.from = asked.from.max(EPOCH_MS);
        asked.to = asked.to.min(now_ms.saturating_add(AHEAD_MS + 1));
        Self {
            over: asked.from >= asked.to,
            source,
            asked,
        }
    }

    /// The next page; `None` behind the last one.
    ///
    /// # Errors
    /// The engine cannot answer.
    pub async fn next(&mut self) -> Result<Option<Vec<Vec<Cell>>>, QueryError> {
        if self.over {
            return Ok(None);
        }
        let (from, to) = (self.asked.from, self.asked.to);
        let mut rows = self.read(from, to, Some(PAGE)).await?;
        if rows.len() < PAGE {
            self.over = true;
            return Ok((!rows.is_empty()).then_some(rows));
        }
        let last = time(rows.last());
        if time(rows.first()) == last {
            // So many in one millisecond: there may be more.
            rows = self.read(last, last + 1, None).await?;
            self.asked.from = last + 1;
            self.over = self.asked.from >= to;
        } else {
            // There may be more of the last millisecond: they are in the next page.
            rows.retain(|row| time(Some(row)) != last);
            self.asked.from = last;
        }
        Ok(Some(rows))
    }

    async fn read(
        &self,
        from: i64,
        to: i64,
        most: Option<usize>,
    ) -> Result<Vec<Vec<Cell>>, QueryError> {
        let columns: Vec<String> = COLUMNS
            .iter()
            .map(|Column(name, sql, _)| format!("{sql} AS \"{name}\""))
            .collect();
        let mut sql = Sql::of(&format!(
            "SELECT {} FROM {{events}} WHERE kind < 64 ORDER BY time, received, name, session, visitor",
            columns.join(", ")
        ));
        if let Some(most) = most {
            sql.push(" LIMIT ").bind(Bind::Int(most as i64));
        }
        let statement = Statement {
            text: self.source.dialect().spell(&sql.text, &sql.binds),
            binds: sql.binds,
            scope: Scope {
                organization: self.asked.access.organization().0,
                website: self.asked.access.website().map(|website| website.0),
                from,
                to,
            },
        };
        Ok(self.source.query(statement).await?.rows)
    }
}

fn time(row: Option<&Vec<Cell>>) -> i64 {
    match row.and_then(|row| row.get(TIME)) {
        Some(Cell::Int(ms)) => *ms,
        _ => i64::MAX,
    }
}
