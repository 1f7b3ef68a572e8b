//! Extracts: what most questions about visits and pages need of a segment, prepared when it is written.
//!
//! A row of an extract represents the events of one visitor in one visit, within a quarter of an hour, under the same
//! circumstances (where from, where, with what); it says how many views they were, how many events, how many seconds,
//! how many acts. That is a tenth of the rows and a third of the columns.
//!
//! Everything an extract says of its events is a sum or a minimum, so rows may be split and added up at will: those of two segments, or
//! of a session that goes on in the next segment, need no reconciling, and an event that comes late is one more row.
//! An event alone is a row as well ([`Extract::event_relation`]): so the tail, and segments without extracts, take part.
//!
//! An extract is a function of its segment. Statements that ask for what it does not have read the events.

mod extract_files;
mod row_aggregator;

use super::{column::kind, tables::COLUMNS};
use crate::events::versions::selection;

pub(in crate::events) use extract_files::ExtractFiles;

/// Times of rows are whole quarters of an hour, Unix ms: no zone of our time is shifted by anything finer.
pub const QUARTER: i64 = 900_000;

/// What an extract keeps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extract {
    Visits,
    /// The pages of visits.
    Pages,
}

/// What the manifest says of an extract's file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExtractRow {
    pub extract: Extract,
    pub rows: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// BLAKE3 of the file, hex.
    pub checksum: String,
}

/// Whose, when and who.
const IDENTITY: [&str; 5] = ["organization", "website", "time", "visitor", "session"];

/// What the events of a row agree in besides.
const CIRCUMSTANCES: [&str; 30] = [
    "profile",
    "host",
    "referrer",
    "referrer_domain",
    "source",
    "channel",
    "country",
    "region",
    "city",
    "device_type",
    "device_brand",
    "device_model",
    "browser_name",
    "browser_version",
    "os_name",
    "os_version",
    "language",
    "timezone",
    "screen",
    "connection",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "click_id",
    "trust",
    "bot",
    "bot_signals",
    PAGE,
];
const PAGE: &str = "path";

/// What rows say, and what a single event says: `seen` views, `happened` events of a visit, `stayed` seconds, `acted`
/// events that are neither a view nor its end; and `opened`, by which the first of a session's rows is found: the time,
/// later than any time for what is no page event. That one is a minimum, the others are sums.
const FIGURES: [(&str, &str); 5] = [
    (
        "seen",
        "CAST(CASE WHEN kind = 1 AND name = 'screen_view' THEN 1 ELSE 0 END AS INTEGER)",
    ),
    (
        "happened",
        "CAST(CASE WHEN kind <= 3 THEN 1 ELSE 0 END AS INTEGER)",
    ),
    (
        "stayed",
        "CAST(CASE WHEN kind = 1 AND name = 'page_exit' AND time_on_page > 0 THEN time_on_page ELSE 0 END AS DOUBLE)",
    ),
    (
        "acted",
        "CAST(CASE WHEN kind IN (2, 3) OR kind = 1 AND name NOT IN ('screen_view', 'page_exit') THEN 1 ELSE 0 END AS INTEGER)",
    ),
    (
        "opened",
        "CASE WHEN kind = 1 THEN time ELSE time + 2305843009213693952 END",
    ),
];
/// Added to times of what is no page event, Unix ms: later than any time.
pub const NO_PAGE: i64 = 1 << 61;

/// The kinds of event that make visits: the first three.
const LAST_KIND: i64 = kind::OUTGOING;
/// The events that are in extracts: those, and whatever else says how a session began.
const ROWS: &str = "(kind <= 3 OR session <> 0)";

impl Extract {
    /// Every one, the coarsest first.
    pub const ALL: [Self; 2] = [Self::Visits, Self::Pages];

    /// What its files and its relation are called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Visits => "visits",
            Self::Pages => "pages",
        }
    }

    /// Name of the file beside a segment's.
    pub fn file_name(self, segment: &str) -> String {
        format!("{segment}.{}.parquet", self.name())
    }

    /// What its rows agree in besides whose, when and who.
    fn circumstances(self) -> &'static [&'static str] {
        let [without @ .., _] = &CIRCUMSTANCES;
        match self {
            Self::Visits => without,
            Self::Pages => &CIRCUMSTANCES,
        }
    }

    /// Columns of the event table that its rows have.
    fn shared(self) -> impl Iterator<Item = &'static str> {
        let circumstances = self.circumstances().iter();
        IDENTITY.iter().chain(circumstances).copied()
    }

    /// Whether its rows have this column of the event table.
    pub fn has(self, column: &str) -> bool {
        self.shared().any(|shared| shared == column)
    }

    /// Its columns, as a list to select.
    pub fn columns(self) -> String {
        let figures = FIGURES.iter().map(|(name, _)| *name);
        self.shared().chain(figures).collect::<Vec<_>>().join(", ")
    }

    /// A relation with one row per event; `from` is where the events are, of this version of the table.
    pub fn event_relation(self, version: i32, from: &str, predicate: &str) -> String {
        let shared = self.shared().map(str::to_owned);
        let figures = FIGURES.iter().map(|(name, sql)| format!("{sql} AS {name}"));
        let columns: Vec<String> = shared.chain(figures).collect();
        format!(
            "SELECT {} FROM (SELECT {} FROM {from}) e WHERE {predicate} AND {ROWS}",
            columns.join(", "),
            selection(version),
        )
    }

    /// Whether a statement over this extract asks for nothing that only events have. Sorts out too much rather than too
    /// little: any word that is a column's name counts as that column.
    pub fn covers(self, statement: &str) -> bool {
        let words =
            statement.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let lacks =
            |word: &str| COLUMNS.iter().any(|column| column.name == word) && !self.has(word);
        !words.into_iter().any(lacks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_need_more_than_an_extract_has_are_known() {
        for (text, visits, pages) in [
            (
                "SELECT sum(seen) FROM {visits} WHERE country = ?",
                true,
                true,
            ),
            ("SELECT coalesce(path, '') AS k0", false, true),
            ("starts_with(coalesce(title, ''), ?)", false, false),
            ("whole_div(time + ?, 86400000) AS \"pageviews\"", true, true),
            ("kind <= 3", false, false),
        ] {
            assert_eq!(Extract::Visits.covers(text), visits, "{text}");
            assert_eq!(Extract::Pages.covers(text), pages, "{text}");
        }
    }

    #[test]
    fn extracts_are_made_of_columns_that_events_have() {
        for name in Extract::Pages.shared() {
            assert!(COLUMNS.iter().any(|column| column.name == name), "{name}");
        }
        for (name, _) in FIGURES {
            assert!(COLUMNS.iter().all(|column| column.name != name), "{name}");
        }
    }
}
