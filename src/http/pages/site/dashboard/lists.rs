//! The panels of the dashboard and the lists that they show.

use crate::analytics::catalogue::find;

/// A list: rows of a query type, by one of its columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct List {
    /// Its name in addresses.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// The query type.
    pub(super) kind: &'static str,
    /// The column that says what a row is.
    pub(super) key: &'static str,
    /// The column with the value to filter by.
    pub(super) value: &'static str,
    /// The field that a click filters by.
    pub(super) field: &'static str,
    /// Its numbers: column and heading, the one that rows are measured by first.
    pub(super) numbers: [(&'static str, &'static str); 2],
}

/// A panel with its lists, of which it shows one.
#[derive(Debug)]
pub(super) struct Panel {
    /// Its name in addresses.
    pub(super) name: &'static str,
    /// Its heading.
    pub(super) title: &'static str,
    pub(super) lists: &'static [List],
}

const VIEWED: [(&str, &str); 2] = [("pageviews", "Views"), ("visitors", "Visitors")];
const VISITED: [(&str, &str); 2] = [("sessions", "Visits"), ("visitors", "Visitors")];

const fn list(
    name: &'static str,
    title: &'static str,
    kind: &'static str,
    field: &'static str,
) -> List {
    List {
        name,
        title,
        kind,
        key: "name",
        value: "name",
        field,
        numbers: VIEWED,
    }
}

const fn counted(list: List, numbers: [(&'static str, &'static str); 2]) -> List {
    List { numbers, ..list }
}

pub(super) const PANELS: [Panel; 6] = [
    Panel {
        name: "pages",
        title: "Pages",
        lists: &[
            list("top", "All", "top_pages", "path"),
            counted(list("entry", "Entry", "entry_pages", "path"), VISITED),
            counted(list("exit", "Exit", "exit_pages", "path"), VISITED),
        ],
    },
    Panel {
        name: "sources",
        title: "Sources",
        lists: &[
            list("source", "Sources", "traffic_sources", "source"),
            list("referrer", "Referrers", "top_referrers", "referrer"),
            list("channel", "Channels", "traffic_channels", "channel"),
        ],
    },
    Panel {
        name: "campaigns",
        title: "Campaigns",
        lists: &[
            list("campaign", "Campaign", "utm_campaigns", "utm_campaign"),
            list("source", "Source", "utm_sources", "utm_source"),
            list("medium", "Medium", "utm_mediums", "utm_medium"),
            list("term", "Term", "utm_terms", "utm_term"),
            list("content", "Content", "utm_content", "utm_content"),
        ],
    },
    Panel {
        name: "places",
        title: "Places",
        lists: &[
            List {
                value: "country_code",
                ..list("country", "Countries", "country", "country")
            },
            list("region", "Regions", "region", "region"),
            list("city", "Cities", "city", "city"),
            list("language", "Languages", "language", "language"),
            list("timezone", "Time zones", "timezone", "timezone"),
        ],
    },
    Panel {
        name: "devices",
        title: "Devices",
        lists: &[
            list("browser", "Browsers", "browsers", "browser_name"),
            list("system", "Systems", "operating_systems", "os_name"),
            list("kind", "Devices", "device_types", "device_type"),
            list(
                "screen",
                "Screens",
                "screen_resolution",
                "screen_resolution",
            ),
        ],
    },
    Panel {
        name: "events",
        title: "Events",
        lists: &[
            counted(
                list("custom", "Custom", "custom_events", "event_name"),
                [("total_events", "Events"), ("unique_users", "Visitors")],
            ),
            List {
                key: "domain",
                value: "domain",
                ..counted(
                    list("outbound", "Outgoing", "outbound_domains", ""),
                    [("total_clicks", "Clicks"), ("unique_users", "Visitors")],
                )
            },
        ],
    },
];

/// Names of panels, as addresses have them.
pub(in super::super) const NAMES: [&str; 6] = [
    "pages",
    "sources",
    "campaigns",
    "places",
    "devices",
    "events",
];

impl Panel {
    /// The lists that can be chosen, by everybody or by whoever may see all of it.
    pub(super) fn offered(&self, public: bool) -> impl Iterator<Item = &'static List> {
        let is_public = |list: &&List| find(list.kind).is_some_and(|kind| kind.public);
        self.lists
            .iter()
            .filter(move |list| !public || is_public(list))
    }

    /// The list of a name; the first one for any other.
    pub(super) fn shown(&self, name: Option<&str>, public: bool) -> &'static List {
        let found = self.offered(public).find(|list| Some(list.name) == name);
        found.unwrap_or(&self.lists[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytics::catalogue::Field;

    #[test]
    fn every_list_asks_what_there_is_and_filters_by_what_it_shows() {
        for (panel, name) in PANELS.iter().zip(NAMES) {
            assert_eq!(panel.name, name);
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
                panel.offered(true).next().unwrap().name,
                panel.lists[0].name
            );
            assert_eq!(panel.shown(None, false).name, panel.lists[0].name);
            assert_eq!(
                panel.shown(Some("nonsense"), true).name,
                panel.lists[0].name
            );
        }
    }
}
