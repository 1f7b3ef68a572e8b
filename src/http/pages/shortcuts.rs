//! `/console/shortcuts`: the keys that lead somewhere. The script shows this page's words in a dialog.

use crate::{
    http::pages::prelude::*,
    pages::{
        navigation::{NavLink, ORGANIZATION_LINKS, WEBSITE_LINKS},
        part::panel,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/shortcuts", |route| route.to(show))]
}

/// Keys of every page.
const EVERYWHERE: [(&str, &str); 5] = [
    ("Ctrl K", "Search (on a Mac ⌘ K); also /"),
    ("↓ ↑ Enter", "Choose what was found"),
    ("n", "The page’s main button, such as “Make a link”"),
    ("Esc", "Close what is open"),
    ("?", "These keys"),
];

/// Keys of pages that are about some days.
const DAYS: [(&str, &str); 4] = [
    ("1 … 5", "Today, yesterday, 7, 30 and 90 days"),
    ("h", "Steps of hours"),
    ("b", "Steps of days"),
    ("f", "Add a filter"),
];

async fn show(context: PageContext) -> HttpResponse {
    let main = html! {
        div.title-row { h1 { "Keyboard shortcuts" } span.dim { "They need JavaScript." } }
        div.grid #keys {
            div {
                (panel("Everywhere", &draw_keys(&EVERYWHERE)))
                (panel("Where there are days", &draw_keys(&DAYS)))
            }
            div {
                (panel("To a page", &draw_links(ORGANIZATION_LINKS)))
                (panel("On a page of a website", &draw_links(WEBSITE_LINKS)))
            }
        }
    };
    context.show(NavItem::Elsewhere, "Keyboard shortcuts", &main)
}

fn draw_keys(all: &[(&str, &str)]) -> Markup {
    html! { dl.facts { @for (key, does) in all { dt { kbd { (key) } } dd { (does) } } } }
}

fn draw_links(links: &[NavLink]) -> Markup {
    html! { dl.facts { @for link in links.iter().filter(|link| !link.key.is_empty()) { dt { kbd { "g" } " " kbd { (link.key) } } dd { (link.title) } } } }
}
