//! The panels of the dashboard and the lists that they show.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    analytics::catalogue::find,
    locale::Texts,
    pages::{
        draw_brand,
        part::{RankedRow, ranked_table},
    },
};

/// Columns of numbers with their headings, the one that rows are measured by first.
type Numbers = [(&'static str, &'static str); 2];

/// A list: rows of a query type, by one of its columns.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct List {
    /// Its name in addresses.
    pub(super) name: &'static str,
    pub(in super::super) title: &'static str,
    /// The query type.
    pub(in super::super) kind: &'static str,
    /// The column with the name of a row.
    pub(super) key: &'static str,
    /// The column with the value to filter by.
    pub(in super::super) value: &'static str,
    /// The field that a click filters by.
    pub(in super::super) field: &'static str,
    pub(super) numbers: Numbers,
}

/// A panel that shows one of its lists.
#[derive(Debug)]
pub(super) struct Panel {
    /// Its name in addresses.
    pub(super) name: &'static str,
    /// Its heading.
    pub(super) title: &'static str,
    pub(super) lists: &'static [List],
}

const VIEWED: Numbers = [("pageviews", "Pageviews"), ("visitors", "Visitors")];
const VISITED: Numbers = [("sessions", "Sessions"), ("visitors", "Visitors")];
pub(in super::super) const SENT: Numbers =
    [("total_events", "Events"), ("unique_users", "Visitors")];
const CLICKED: Numbers = [("total_clicks", "Clicks"), ("unique_users", "Visitors")];

impl List {
    pub(in super::super) const fn new(
        name: &'static str,
        title: &'static str,
        kind: &'static str,
        field: &'static str,
    ) -> Self {
        Self {
            name,
            title,
            kind,
            key: "name",
            value: "name",
            field,
            numbers: VIEWED,
        }
    }

    pub(in super::super) const fn counting(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// With the value to filter by in another column.
    pub(in super::super) const fn by(self, value: &'static str) -> Self {
        Self { value, ..self }
    }

    /// The rows with their numbers; `name` gives a row's name and the link that filters by it.
    pub(in super::super) fn draw(
        &self,
        texts: Texts,
        rows: &[Value],
        name: impl Fn(&Value) -> (String, Option<(String, String)>),
    ) -> Markup {
        let headings = html! { @for (_, heading) in self.numbers { th.num scope="col" { (texts.label(heading)) } } };
        self.draw_under(texts, &headings, rows, name)
    }

    /// The same under other headings of the numbers.
    pub(super) fn draw_under(
        &self,
        texts: Texts,
        headings: &Markup,
        rows: &[Value],
        name: impl Fn(&Value) -> (String, Option<(String, String)>),
    ) -> Markup {
        let row = |row: &Value| {
            let number = |(column, _): (&str, &str)| row[column].as_u64().unwrap_or(0);
            let (name, link) = name(row);
            let numbers = self.numbers.map(number).into();
            let picture = draw_brand(self.field, row[self.value].as_str().unwrap_or_default());
            let row = RankedRow {
                name,
                link,
                numbers,
            };
            (picture, row)
        };
        let rows: Vec<(Option<Markup>, RankedRow)> = rows.iter().map(row).collect();
        ranked_table(texts, self.title, headings, &rows)
    }
}

const fn panel(name: &'static str, title: &'static str, lists: &'static [List]) -> Panel {
    Panel { name, title, lists }
}

pub(super) const PANELS: [Panel; 6] = [
    panel("pages", "Pages", PAGES),
    panel("sources", "Sources", SOURCES),
    panel("campaigns", "Campaigns", CAMPAIGNS),
    panel("locations", "Locations", LOCATIONS),
    panel("devices", "Devices", DEVICES),
    panel("events", "Events", EVENTS),
];

const PAGES: &[List] = &[
    List::new("top", "Top pages", "top_pages", "path"),
    List::new("entry", "Entry pages", "entry_pages", "path").counting(VISITED),
    List::new("exit", "Exit pages", "exit_pages", "path").counting(VISITED),
];
const SOURCES: &[List] = &[
    List::new("source", "Sources", "traffic_sources", "source"),
    List::new("referrer", "Referrers", "top_referrers", "referrer"),
    List::new("channel", "Channels", "traffic_channels", "channel"),
];
const CAMPAIGNS: &[List] = &[
    List::new("campaign", "Campaigns", "utm_campaigns", "utm_campaign"),
    List::new("source", "Sources", "utm_sources", "utm_source"),
    List::new("medium", "Mediums", "utm_mediums", "utm_medium"),
    List::new("term", "Terms", "utm_terms", "utm_term"),
    List::new("content", "Contents", "utm_content", "utm_content"),
];
const LOCATIONS: &[List] = &[
    List::new("country", "Countries", "country", "country").by("country_code"),
    List::new("region", "Regions", "region", "region"),
    List::new("city", "Cities", "city", "city"),
    List::new("language", "Languages", "language", "language"),
    List::new("timezone", "Time zones", "timezone", "timezone"),
];
const SCREEN: &str = "screen_resolution";
const DEVICES: &[List] = &[
    List::new("browser", "Browsers", "browsers", "browser_name"),
    List::new(
        "system",
        "Operating systems",
        "operating_systems",
        "os_name",
    ),
    List::new("kind", "Devices", "device_types", "device_type"),
    List::new("screen", "Screens", SCREEN, SCREEN),
];
const EVENTS: &[List] = &[
    List::new("custom", "Custom events", "custom_events", "event_name").counting(SENT),
    List {
        key: "domain",
        ..List::new("outbound", "Outbound links", "outbound_domains", "")
    }
    .by("domain")
    .counting(CLICKED),
];

/// Names of panels, as addresses have them.
pub(in super::super) fn panel_names() -> [&'static str; 6] {
    PANELS.map(|panel| panel.name)
}

impl Panel {
    /// The lists that can be chosen; on a public dashboard the public ones.
    pub(super) fn choices(&self, public: bool) -> impl Iterator<Item = &'static List> {
        let is_public = |list: &&List| find(list.kind).is_some_and(|kind| kind.public);
        self.lists
            .iter()
            .filter(move |list| !public || is_public(list))
    }

    /// The list of a name; the first one for any other.
    pub(super) fn find_list(&self, name: Option<&str>, public: bool) -> &'static List {
        let found = self.choices(public).find(|list| Some(list.name) == name);
        found.unwrap_or(&self.lists[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::Field;

    #[test]
    fn every_list_asks_what_there_is_and_filters_by_what_it_shows() {
        for panel in &PANELS {
            for list in panel.lists {
                let kind = find(list.kind).unwrap_or_else(|| panic!("{} is no type", list.kind));
                assert!(
                    list.field.is_empty() || Field::find(list.field).is_some(),
                    "{}",
                    list.field
                );
                assert_eq!(kind.name, list.kind);
            }
            // What is shown first can be shown to everybody.
            assert_eq!(
                panel.choices(true).next().unwrap().name,
                panel.lists[0].name
            );
            assert_eq!(panel.find_list(None, false).name, panel.lists[0].name);
            assert_eq!(
                panel.find_list(Some("nonsense"), true).name,
                panel.lists[0].name
            );
        }
    }
}
