//! The pages that there are ways to from everywhere.

/// Where in the console somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Websites,
    NewWebsite,
    Dashboard,
    Now,
    Sessions,
    People,
    Events,
    Engagement,
    Goals,
    Funnels,
    Journeys,
    Retention,
    Revenue,
    Vitals,
    Errors,
    Quality,
    Segments,
    Tracking,
    Settings,
    Links,
    Monitors,
    StatusPages,
    Alarms,
    Flags,
    Chats,
    Keys,
    Members,
    Audit,
    Usage,
    Account,
    Elsewhere,
}

/// A way to a page.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// Where it leads.
    pub place: Place,
    pub title: &'static str,
    /// Where that is; `{site}` is the website that is looked at.
    path: &'static str,
    /// The key that leads there behind a `g`; empty = none.
    pub key: &'static str,
}

impl Way {
    /// The address; `site` is the website that is looked at.
    pub fn path(&self, site: &str) -> String {
        self.path.replace("{site}", site)
    }
}

const fn way(place: Place, title: &'static str, path: &'static str, key: &'static str) -> Way {
    Way {
        place,
        title,
        path,
        key,
    }
}

/// Pages that are about everything an organization has.
pub const OVER_ALL: &[Way] = &[
    way(Place::Websites, "Websites", "/", "w"),
    way(Place::Links, "Links", "/console/links", "l"),
    way(Place::Monitors, "Monitors", "/console/monitors", "m"),
    way(
        Place::StatusPages,
        "Status pages",
        "/console/status-pages",
        "s",
    ),
    way(Place::Alarms, "Alarms", "/console/alarms", "a"),
    way(Place::Flags, "Flags", "/console/flags", "f"),
    way(Place::Chats, "Chats", "/console/chats", "c"),
    way(Place::Keys, "API keys", "/console/keys", "k"),
    way(Place::Members, "Members", "/console/members", "p"),
    way(Place::Audit, "Audit log", "/console/audit", ""),
    way(Place::Usage, "Usage", "/console/usage", "u"),
];

/// Pages of one website.
pub const OF_SITE: &[Way] = &[
    way(Place::Dashboard, "Dashboard", "/console/site/{site}", "d"),
    way(Place::Now, "Now", "/console/site/{site}/now", "n"),
    way(
        Place::Sessions,
        "Visits",
        "/console/site/{site}/sessions",
        "v",
    ),
    way(Place::People, "People", "/console/site/{site}/people", ""),
    way(Place::Events, "Events", "/console/site/{site}/events", "e"),
    way(Place::Goals, "Goals", "/console/site/{site}/goals", "g"),
    way(
        Place::Funnels,
        "Funnels",
        "/console/site/{site}/funnels",
        "",
    ),
    way(
        Place::Journeys,
        "Journeys",
        "/console/site/{site}/journeys",
        "j",
    ),
    way(
        Place::Retention,
        "Retention",
        "/console/site/{site}/retention",
        "r",
    ),
    way(
        Place::Engagement,
        "Engagement",
        "/console/site/{site}/engagement",
        "",
    ),
    way(
        Place::Revenue,
        "Revenue",
        "/console/site/{site}/revenue",
        "",
    ),
    way(
        Place::Vitals,
        "Web vitals",
        "/console/site/{site}/vitals",
        "",
    ),
    way(Place::Errors, "Errors", "/console/site/{site}/errors", "x"),
    way(
        Place::Quality,
        "Data quality",
        "/console/site/{site}/quality",
        "",
    ),
    way(
        Place::Segments,
        "Segments",
        "/console/site/{site}/segments",
        "",
    ),
    way(
        Place::Tracking,
        "Tracking",
        "/console/site/{site}/setup",
        "t",
    ),
    way(
        Place::Settings,
        "Settings",
        "/console/site/{site}/settings",
        "",
    ),
];

/// The first page of a website.
pub fn site_path(id: &str) -> String {
    format!("/console/site/{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_leads_to_two_places() {
        let all = OVER_ALL.iter().chain(OF_SITE);
        let mut keys: Vec<&str> = all
            .map(|way| way.key)
            .filter(|key| !key.is_empty())
            .collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert_eq!(OF_SITE[0].path("w"), site_path("w"));
    }
}
