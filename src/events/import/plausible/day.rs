//! A day's sums, as the tables say them.

use chrono::NaiveDate;
use serde_json::{Map, Value};

use crate::events::event::Event;

/// Visits, page views or events of a day that can be dealt out.
const MAX: u64 = 1_000_000;

/// The tables that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Visitors,
    Pages,
    Entries,
    Sources,
    Browsers,
    Systems,
    Devices,
    Locations,
    Events,
}

/// Tables by how their files begin. Which page was the last of a visit follows from the others; properties belong to no event.
const TABLES: [(&str, Table); 9] = [
    ("imported_visitors", Table::Visitors),
    ("imported_pages", Table::Pages),
    ("imported_entry_pages", Table::Entries),
    ("imported_sources", Table::Sources),
    ("imported_browsers", Table::Browsers),
    ("imported_operating_systems", Table::Systems),
    ("imported_devices", Table::Devices),
    ("imported_locations", Table::Locations),
    ("imported_custom_events", Table::Events),
];

impl Table {
    /// The table in a file with this name.
    pub(super) fn named(file: &str) -> Option<Self> {
        let stem = file.strip_suffix(".csv")?;
        let found = TABLES.iter().find(|(name, _)| {
            let rest = stem.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        });
        found.map(|(_, table)| *table)
    }
}

/// Values and how often they are there.
pub(super) type Row = (Vec<Option<String>>, u64);

/// What is kept of a source.
const SOURCE: [&str; 7] = [
    "source",
    "referrer",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];
/// What is kept of a system.
const SYSTEM: [&str; 2] = ["operating_system", "operating_system_version"];

#[derive(Debug)]
pub(super) struct Day {
    pub(super) date: NaiveDate,
    pub(super) line: u64,
    pub(super) visitors: u64,
    pub(super) visits: u64,
    pub(super) views: u64,
    pub(super) bounces: u64,
    pub(super) pages: Vec<Row>,
    pub(super) entries: Vec<Row>,
    pub(super) sources: Vec<Row>,
    pub(super) browsers: Vec<Row>,
    pub(super) systems: Vec<Row>,
    pub(super) devices: Vec<Row>,
    pub(super) locations: Vec<Row>,
    pub(super) events: Vec<Row>,
}

/// What is known of a visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VisitorContext {
    pub(super) browser: Vec<Option<String>>,
    pub(super) system: Vec<Option<String>>,
    pub(super) device: Option<String>,
    pub(super) country: Option<String>,
    pub(super) region: Option<String>,
}

/// An event that was made up.
#[derive(Debug)]
pub(super) struct SyntheticEvent {
    pub(super) line: u64,
    pub(super) is_page: bool,
    pub(super) body: Map<String, Value>,
    pub(super) visit: VisitorContext,
}

impl Day {
    pub(super) const fn new(date: NaiveDate) -> Self {
        Self {
            date,
            line: 0,
            visitors: 0,
            visits: 0,
            views: 0,
            bounces: 0,
            pages: Vec::new(),
            entries: Vec::new(),
            sources: Vec::new(),
            browsers: Vec::new(),
            systems: Vec::new(),
            devices: Vec::new(),
            locations: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Takes a row of a table in.
    pub(super) fn take<'c>(
        &mut self,
        table: Table,
        line: u64,
        cell: &impl Fn(&str) -> Option<&'c str>,
    ) -> Result<(), String> {
        let number = |column: &str| {
            let text = cell(column).unwrap_or("0");
            let number = text.parse::<u64>().ok().filter(|number| *number <= MAX);
            number.ok_or_else(|| format!("`{column}` is no number up to {MAX}: {text}"))
        };
        let Some((list, columns, count)) = self.rows_of_table(table) else {
            self.line = line;
            (self.visitors, self.visits) = (number("visitors")?, number("visits")?);
            (self.views, self.bounces) = (number("pageviews")?, number("bounces")?);
            return Ok(());
        };
        let texts = columns.iter().map(|column| cell(column).map(str::to_owned));
        list.push((texts.collect(), number(count)?));
        Ok(())
    }

    /// Where rows of a table go, what is kept of them, and which column counts; `None` for the sums of the whole day.
    fn rows_of_table(
        &mut self,
        table: Table,
    ) -> Option<(&mut Vec<Row>, &'static [&'static str], &'static str)> {
        Some(match table {
            Table::Visitors => return None,
            Table::Pages => (&mut self.pages, &["hostname", "page"], "pageviews"),
            Table::Entries => (&mut self.entries, &["entry_page"], "entrances"),
            Table::Sources => (&mut self.sources, &SOURCE, "visits"),
            Table::Browsers => (
                &mut self.browsers,
                &["browser", "browser_version"],
                "visits",
            ),
            Table::Systems => (&mut self.systems, &SYSTEM, "visits"),
            Table::Devices => (&mut self.devices, &["device"], "visits"),
            Table::Locations => (&mut self.locations, &["country", "region"], "visits"),
            Table::Events => (&mut self.events, &["name", "link_url", "path"], "events"),
        })
    }
}

impl VisitorContext {
    /// What Plausible found out about the visitor.
    pub(super) fn stamp(&self, event: &mut Event) {
        let text = |list: &[Option<String>], at: usize| list.get(at).cloned().flatten();
        event.browser_name = text(&self.browser, 0);
        event.browser_version = text(&self.browser, 1);
        event.os_name = text(&self.system, 0).map(|name| {
            if name == "Mac" {
                "macOS".to_owned()
            } else {
                name
            }
        });
        event.os_version = text(&self.system, 1);
        event.device_type.clone_from(&self.device);
        event.country = self.country.as_ref().map(|code| code.to_ascii_uppercase());
        event.region.clone_from(&self.region);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_how_they_begin() {
        assert_eq!(
            Table::named("imported_pages_20260101_20260131.csv"),
            Some(Table::Pages)
        );
        assert_eq!(
            Table::named("imported_entry_pages.csv"),
            Some(Table::Entries)
        );
        for other in [
            "imported_exit_pages_20260101_20260131.csv",
            "imported_custom_props_1_2.csv",
            "imported_pages.txt",
            "pages.csv",
        ] {
            assert_eq!(Table::named(other), None, "{other}");
        }
    }
}
