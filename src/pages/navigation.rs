//! The navigation of the console: groups of links, for a website and for the organization.

use super::view::View;

/// A page of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NavItem {
    Home,
    NewWebsite,
    Dashboard,
    Realtime,
    Sessions,
    Users,
    Events,
    Engagement,
    Goals,
    Funnels,
    UserPaths,
    Retention,
    Revenue,
    Vitals,
    Errors,
    Quality,
    Segments,
    ScheduledReports,
    Installation,
    Settings,
    ShortLinks,
    Monitors,
    StatusPages,
    Alerts,
    FeatureFlags,
    Boards,
    Domains,
    Assistant,
    Keys,
    Members,
    Audit,
    Usage,
    Import,
    Export,
    Account,
    Elsewhere,
}

/// A link of the navigation.
#[derive(Debug, Clone, Copy)]
pub struct NavLink {
    /// The page that it leads to.
    pub item: NavItem,
    pub title: &'static str,
    /// Its address; of a website's page, behind the website's.
    path: &'static str,
    /// The key that leads there after a `g`; empty = none.
    pub key: &'static str,
}

impl NavLink {
    /// The address; `site` is the website, or empty.
    pub fn path(&self, site: &str) -> String {
        if site.is_empty() {
            return self.path.to_owned();
        }
        format!("{}{}", site_path(site), self.path)
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

/// Links under a heading.
#[derive(Debug, Clone, Copy)]
pub struct NavGroup {
    pub title: &'static str,
    /// The path of its icon, in a square of 16 units.
    pub icon: &'static str,
    pub links: &'static [NavLink],
}

/// The first page.
pub const HOME: NavLink = link(NavItem::Home, "Home", "/", "h");
/// The icon of [`HOME`].
pub const HOME_ICON: &str = "M2 7.5 8 2l6 5.5M4 6.5V14h8V6.5";

/// Pages of one website.
pub const WEBSITE_GROUPS: &[NavGroup] = &[
    NavGroup {
        title: "Analytics",
        icon: "M2 14h12M4 14V8M8 14V3M12 14v-4",
        links: &[
            link(NavItem::Dashboard, "Dashboard", "", "d"),
            link(NavItem::Realtime, "Realtime", "/now", "n"),
            link(NavItem::Sessions, "Sessions", "/sessions", "v"),
            link(NavItem::Users, "Users", "/people", ""),
            link(NavItem::Events, "Events", "/events", "e"),
            link(NavItem::Revenue, "Revenue", "/revenue", ""),
            link(
                NavItem::ScheduledReports,
                "Scheduled reports",
                "/scheduled-reports",
                "",
            ),
        ],
    },
    NavGroup {
        title: "Behavior",
        icon: "M2 3h12L9.5 8.5V13l-3 1.5v-6z",
        links: &[
            link(NavItem::Goals, "Goals", "/goals", "g"),
            link(NavItem::Funnels, "Funnels", "/funnels", ""),
            link(NavItem::UserPaths, "User paths", "/journeys", "j"),
            link(NavItem::Retention, "Retention", "/retention", "r"),
            link(NavItem::Engagement, "Engagement", "/engagement", ""),
            link(NavItem::Segments, "Segments", "/segments", ""),
        ],
    },
    NavGroup {
        title: "Health",
        icon: "M1 8h4l2-5 3 10 2-5h3",
        links: &[
            link(NavItem::Vitals, "Web vitals", "/vitals", ""),
            link(NavItem::Errors, "Errors", "/errors", "x"),
            link(NavItem::Quality, "Data quality", "/quality", ""),
            link(NavItem::Installation, "Installation", "/setup", "t"),
            link(NavItem::Settings, "Settings", "/settings", ""),
        ],
    },
];

/// Pages that are about everything an organization has.
pub const ORGANIZATION_GROUPS: &[NavGroup] = &[
    NavGroup {
        title: "Products",
        icon: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
        links: &[
            link(NavItem::Boards, "Boards", "/console/boards", "b"),
            link(NavItem::ShortLinks, "Short links", "/console/links", "l"),
            link(NavItem::Monitors, "Monitors", "/console/monitors", "m"),
            link(
                NavItem::StatusPages,
                "Status pages",
                "/console/status-pages",
                "s",
            ),
            link(NavItem::Alerts, "Alerts", "/console/alarms", "a"),
            link(
                NavItem::FeatureFlags,
                "Feature flags",
                "/console/flags",
                "f",
            ),
            link(NavItem::Assistant, "Assistant", "/console/chats", "c"),
        ],
    },
    NavGroup {
        title: "Organization",
        icon: "M3 14V2h7v12M10 6h3v8M1 14h14M5.5 5h2M5.5 8h2M5.5 11h2",
        links: &[
            link(NavItem::Keys, "API keys", "/console/keys", "k"),
            link(NavItem::Members, "Members", "/console/members", "p"),
            link(NavItem::Domains, "Domains", "/console/domains", ""),
            link(NavItem::Audit, "Audit log", "/console/audit", ""),
            link(NavItem::Usage, "Usage", "/console/usage", "u"),
            link(NavItem::Import, "Import", "/console/import", ""),
            link(NavItem::Export, "Export", "/console/export", ""),
        ],
    },
];

/// The links of all groups.
pub fn links(groups: &'static [NavGroup]) -> impl Iterator<Item = &'static NavLink> {
    groups.iter().flat_map(|group| group.links)
}

/// Every page of a website.
pub fn website_links() -> impl Iterator<Item = &'static NavLink> {
    links(WEBSITE_GROUPS)
}

/// Every page of an organization, the first page among them.
pub fn organization_links() -> impl Iterator<Item = &'static NavLink> {
    std::iter::once(&HOME).chain(links(ORGANIZATION_GROUPS))
}

/// The first page of a website.
pub fn site_path(id: &str) -> String {
    format!("/console/site/{id}")
}

/// The same page of another website, or its first one; with the same range and filters.
pub fn same_page(item: NavItem, site: &str, view: &View) -> String {
    let found = website_links().find(|link| link.item == item);
    view.address(&found.map_or_else(|| site_path(site), |link| link.path(site)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_leads_to_two_pages() {
        let all = organization_links().chain(website_links());
        let mut keys: Vec<&str> = all
            .map(|link| link.key)
            .filter(|key| !key.is_empty())
            .collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert_eq!(WEBSITE_GROUPS[0].links[0].path("w"), site_path("w"));
    }

    #[test]
    fn another_website_opens_at_the_same_report_with_the_same_range() {
        let view = View::default().with_preset("today");
        let path = |item| same_page(item, "w", &view);
        assert_eq!(path(NavItem::Errors), "/console/site/w/errors?preset=today");
        assert_eq!(path(NavItem::Monitors), "/console/site/w?preset=today");
    }
}
