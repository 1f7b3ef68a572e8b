//! Commands: "create monitor", "new goal", "invite".

use super::{SearchResult, SearchTerms};
use crate::{
    http::pages::prelude::*,
    pages::frame::{Choice, site_path},
};

/// An action: its label, other words for it, its address and permission.
type Action = (&'static str, &'static str, &'static str, Permission);

/// Other verbs for creating something.
const CREATE: &str = "add create make new";

const ACTIONS: [Action; 17] = [
    (
        "Add website",
        "site domain",
        "/console/sites/new",
        Permission::WebsiteManage,
    ),
    (
        "Create short link",
        "url",
        "/console/links/new",
        Permission::LinkWrite,
    ),
    (
        "Create monitor",
        "uptime check heartbeat",
        "/console/monitors/new",
        Permission::MonitorWrite,
    ),
    (
        "Create status page",
        "",
        "/console/status-pages/new",
        Permission::StatusPageWrite,
    ),
    (
        "Create alert",
        "alarm notification",
        "/console/alarms/new",
        Permission::AlarmWrite,
    ),
    (
        "Create feature flag",
        "rollout experiment",
        "/console/flags/new",
        Permission::FlagWrite,
    ),
    (
        "Create board",
        "overview wall",
        "/console/boards/new",
        Permission::BoardWrite,
    ),
    (
        "Create target group",
        "segment flag rules",
        "/console/target-groups/new",
        Permission::FlagWrite,
    ),
    (
        "Add domain",
        "host dns certificate",
        "/console/domains/new",
        Permission::OrganizationUpdate,
    ),
    (
        "Create API key",
        "token secret",
        "/console/keys/new",
        Permission::KeysManage,
    ),
    (
        "Import",
        "export bitly dub shlink kuma gatus unleash growthbook",
        "/console/import",
        Permission::LinkWrite,
    ),
    (
        "Export",
        "download csv parquet shlink flagd",
        "/console/export",
        Permission::WebsiteRead,
    ),
    (
        "Invite member",
        "user person team",
        "/console/members",
        Permission::MembersManage,
    ),
    (
        "Account settings",
        "password email session",
        "/console/account",
        Permission::WebsiteRead,
    ),
    (
        "Two-factor authentication",
        "2fa security",
        "/console/account",
        Permission::WebsiteRead,
    ),
    (
        "Documentation",
        "help guide docs",
        "/docs",
        Permission::WebsiteRead,
    ),
    (
        "Keyboard shortcuts",
        "keys help",
        "/console/shortcuts",
        Permission::WebsiteRead,
    ),
];

/// Actions on each website: label, address below the website's, permission.
const WEBSITE_ACTIONS: [(&str, &str, Permission); 6] = [
    ("Create goal", "goals/new", Permission::WebsiteConfigure),
    ("Create funnel", "funnels/new", Permission::WebsiteConfigure),
    ("Create segment", "segments", Permission::WebsiteConfigure),
    ("Create share link", "shares/new", Permission::WebsiteManage),
    (
        "Schedule report",
        "scheduled-reports",
        Permission::WebsiteConfigure,
    ),
    ("Install script", "setup", Permission::WebsiteRead),
];

/// Whether a command is meant; creating has several verbs.
fn is_meant(terms: &SearchTerms, label: &str, more: &str) -> bool {
    let is_creation = ["Create ", "Add ", "Schedule "]
        .iter()
        .any(|verb| label.starts_with(verb));
    let verbs = if is_creation { CREATE } else { "" };
    terms.match_text(&format!("{label} {more} {verbs}"))
}

/// Actions that the person may take.
pub(super) fn find(
    context: &PageContext,
    websites: &[Choice],
    terms: &SearchTerms,
) -> Vec<SearchResult> {
    let overall = ACTIONS.iter().filter(|(label, more, _, permission)| {
        is_meant(terms, label, more) && context.can(*permission)
    });
    let overall = overall.map(|(label, _, path, _)| SearchResult {
        name: (*label).to_owned(),
        detail: String::new(),
        path: (*path).to_owned(),
    });
    let of_websites = WEBSITE_ACTIONS
        .iter()
        .filter(|(_, _, permission)| context.can(*permission));
    let of_websites = of_websites.flat_map(|(label, below, _)| {
        let meant = websites.iter();
        let meant = meant.filter(move |site| is_meant(terms, label, &site.name));
        meant.map(move |site| SearchResult {
            name: (*label).to_owned(),
            detail: site.name.clone(),
            path: format!("{}/{below}", site_path(&site.id)),
        })
    });
    overall.chain(of_websites).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood_with_other_words() {
        let meant = |typed: &str, label: &str, more: &str| {
            is_meant(&SearchTerms::parse(typed), label, more)
        };
        assert!(meant("create monitor", "Create monitor", "uptime"));
        assert!(meant("new uptime", "Create monitor", "uptime"));
        assert!(meant("make goal shop", "Create goal", "Shop"));
        assert!(!meant("create goal", "Create monitor", "uptime"));
        assert!(!meant("new keyboard", "Keyboard shortcuts", ""));
    }
}
