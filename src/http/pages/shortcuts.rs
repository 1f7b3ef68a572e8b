//! `/console/shortcuts`: the keyboard shortcuts. The script shows them in a dialog.

use crate::{
    http::pages::prelude::*,
    pages::{
        navigation::{NavLink, organization_links, website_links},
        part::panel,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/shortcuts", |route| route.to(show))]
}

/// Keys of every page.
const EVERYWHERE: [(&str, &str); 5] = [
    ("Ctrl K", "Search. ⌘ K on a Mac. Also: /"),
    ("↓ ↑ Enter", "Select a search result"),
    ("n", "Main button of the page, such as “Create short link”"),
    ("Esc", "Close a menu"),
    ("?", "Keyboard shortcuts"),
];

/// Keys of reports.
const REPORTS: [(&str, &str); 4] = [
    ("1 … 5", "Today, yesterday, 7, 30 or 90 days"),
    ("h", "Hourly"),
    ("b", "Daily"),
    ("f", "Filter"),
];

async fn show(context: PageContext) -> HttpResponse {
    let main = html! {
        div.title-row { h1 { "Keyboard shortcuts" } span.dim { "Shortcuts need JavaScript." } }
        div.grid #keys {
            div {
                (panel("Everywhere", &draw_keys(&EVERYWHERE)))
                (panel("Reports", &draw_keys(&REPORTS)))
            }
            div {
                (panel("Organization pages", &draw_links(organization_links())))
                (panel("Website pages", &draw_links(website_links())))
            }
        }
    };
    context.show(NavItem::Elsewhere, "Keyboard shortcuts", &main)
}

fn draw_keys(all: &[(&str, &str)]) -> Markup {
    html! { dl.facts { @for (key, does) in all { dt { kbd { (key) } } dd { (does) } } } }
}

fn draw_links(links: impl Iterator<Item = &'static NavLink>) -> Markup {
    html! { dl.facts { @for link in links.filter(|link| !link.key.is_empty()) { dt { kbd { "g" } " " kbd { (link.key) } } dd { (link.title) } } } }
}
