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
//! An extract is a function of its segment. Statements that ask for what it does not have read the events. Figures are added from
//! version to version ([`figures`]): a statement that needs one that a file does not have reads that segment's events.

mod event_batch;
mod extract_files;
mod figures;
mod row_aggregator;

use super::{
    column::kind,
    tables::COLUMNS,
    versions::{SCHEMA, selection},
    words::{Words, listed},
};

pub(in crate::events) use extract_files::ExtractFiles;
pub use figures::VERSION;

/// Times of rows are whole quarters of an hour, Unix ms: no zone of our time is shifted by anything finer.
pub const QUARTER: i64 = 900_000;

/// What an extract keeps apart.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
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
    /// Which figures it has: those of this version and earlier ones.
    #[serde(default = "first_version")]
    pub version: u32,
    pub rows: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// BLAKE3 of the file, hex.
    pub checksum: String,
}

/// Manifests of the first extracts do not name it.
const fn first_version() -> u32 {
    1
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

    /// What the rows of this version say, by name.
    pub fn figures(self, version: u32) -> impl Iterator<Item = &'static str> {
        figures::names(self, version)
    }

    /// The version that a statement of these words needs.
    pub fn version_for(self, words: &Words<'_>) -> u32 {
        figures::version_for(self, words)
    }

    /// Those of its columns that these words name, as a list to select.
    pub fn columns(self, words: &Words<'_>) -> String {
        let columns = self.shared().chain(self.figures(VERSION));
        listed(columns.filter(|name| words.has(name)).map(str::to_owned))
    }

    /// A relation with one row per event and those columns; `from` is where the events are, in this version of the table.
    pub fn event_relation(
        self,
        words: &Words<'_>,
        (version, from): (i32, &str),
        predicate: &str,
    ) -> String {
        let shared = self.shared().filter(|name| words.has(name));
        let figures = figures::event_columns(self, words);
        let columns = listed(shared.map(str::to_owned).chain(figures));
        if version == SCHEMA {
            return format!("SELECT {columns} FROM {from} WHERE {predicate} AND {ROWS}");
        }
        let today = selection(version);
        format!("SELECT {columns} FROM (SELECT {today} FROM {from}) e WHERE {predicate} AND {ROWS}")
    }

    /// Whether a statement over this extract asks for nothing that only events or finer extracts have. Sorts out too much rather
    /// than too little: any word that is a column's name counts as that column.
    pub fn covers(self, statement: &str) -> bool {
        let words = Words::new(statement);
        let columns = COLUMNS.iter().map(|column| column.name);
        let lacks = |name: &str| {
            words.has(name) && !self.has(name) && self.figures(VERSION).all(|figure| figure != name)
        };
        !columns.chain(Self::Pages.figures(VERSION)).any(lacks)
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
            ("sum(scroll_sum)", true, true),
            ("sum(load_sum)", false, true),
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
    }

    #[test]
    fn statements_need_the_version_of_their_newest_figure() {
        for (text, visits, pages) in [
            ("SELECT sum(seen), min(opened) FROM {visits}", 1, 1),
            ("SELECT sum(seen), sum(scroll_sum) FROM {visits}", 2, 2),
            ("SELECT sum(seen), sum(load_sum) FROM {pages}", 1, 2),
        ] {
            let words = Words::new(text);
            assert_eq!(Extract::Visits.version_for(&words), visits, "{text}");
            assert_eq!(Extract::Pages.version_for(&words), pages, "{text}");
        }
    }
}
