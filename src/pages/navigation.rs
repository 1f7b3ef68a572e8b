//! The navigation of the console.

/// A page of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavItem {
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
    ScheduledReports,
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

/// A link of the navigation.
#[derive(Debug, Clone, Copy)]
pub struct NavLink {
    /// The page that it leads to.
    pub item: NavItem,
    pub title: &'static str,
    /// Its address; `{site}` is the website.
    path: &'static str,
    /// The key that leads there after a `g`; empty = none.
    pub key: &'static str,
}

impl NavLink {
    pub fn path(&self, site: &str) -> String {
        self.path.replace("{site}", site)
    }
}

const fn link(
    item: NavItem,
    title: &'static str,
    path: &'static str,
    key: &'static str,
) -> NavLink {
    NavLink {
        item,
        title,
        path,
        key,
    }
}

/// Pages that are about everything an organization has.
pub const ORGANIZATION_LINKS: &[NavLink] = &[
    link(NavItem::Websites, "Websites", "/", "w"),
    link(NavItem::Links, "Links", "/console/links", "l"),
    link(NavItem::Monitors, "Monitors", "/console/monitors", "m"),
    link(
        NavItem::StatusPages,
        "Status pages",
        "/console/status-pages",
        "s",
    ),
    link(NavItem::Alarms, "Alarms", "/console/alarms", "a"),
    link(NavItem::Flags, "Flags", "/console/flags", "f"),
    link(NavItem::Chats, "Chats", "/console/chats", "c"),
    link(NavItem::Keys, "API keys", "/console/keys", "k"),
    link(NavItem::Members, "Members", "/console/members", "p"),
    link(NavItem::Audit, "Audit log", "/console/audit", ""),
    link(NavItem::Usage, "Usage", "/console/usage", "u"),
];

/// Pages of one website.
pub const WEBSITE_LINKS: &[NavLink] = &[
    link(NavItem::Dashboard, "Dashboard", "/console/site/{site}", "d"),
    link(NavItem::Now, "Now", "/console/site/{site}/now", "n"),
    link(
        NavItem::Sessions,
        "Visits",
        "/console/site/{site}/sessions",
        "v",
    ),
    link(NavItem::People, "People", "/console/site/{site}/people", ""),
    link(
        NavItem::Events,
        "Events",
        "/console/site/{site}/events",
        "e",
    ),
    link(NavItem::Goals, "Goals", "/console/site/{site}/goals", "g"),
    link(
        NavItem::Funnels,
        "Funnels",
        "/console/site/{site}/funnels",
        "",
    ),
    link(
        NavItem::Journeys,
        "Journeys",
        "/console/site/{site}/journeys",
        "j",
    ),
    link(
        NavItem::Retention,
        "Retention",
        "/console/site/{site}/retention",
        "r",
    ),
    link(
        NavItem::Engagement,
        "Engagement",
        "/console/site/{site}/engagement",
        "",
    ),
    link(
        NavItem::Revenue,
        "Revenue",
        "/console/site/{site}/revenue",
        "",
    ),
    link(
        NavItem::Vitals,
        "Web vitals",
        "/console/site/{site}/vitals",
        "",
    ),
    link(
        NavItem::Errors,
        "Errors",
        "/console/site/{site}/errors",
        "x",
    ),
    link(
        NavItem::Quality,
        "Data quality",
        "/console/site/{site}/quality",
        "",
    ),
    link(
        NavItem::Segments,
        "Segments",
        "/console/site/{site}/segments",
        "",
    ),
    link(
        NavItem::ScheduledReports,
        "Scheduled reports",
        "/console/site/{site}/scheduled-reports",
        "",
    ),
    link(
        NavItem::Tracking,
        "Tracking",
        "/console/site/{site}/setup",
        "t",
    ),
    link(
        NavItem::Settings,
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
        let all = ORGANIZATION_LINKS.iter().chain(WEBSITE_LINKS);
        let mut keys: Vec<&str> = all
            .map(|link| link.key)
            .filter(|key| !key.is_empty())
            .collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert_eq!(WEBSITE_LINKS[0].path("w"), site_path("w"));
    }
}
