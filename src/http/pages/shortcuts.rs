//! `/console/shortcuts`: the keys that lead somewhere. The script shows this page's words in a dialog.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{context::PageContext, page};
use crate::{
    http::routes::Route,
    pages::{
        frame::Place,
        part::panel,
        ways::{OF_SITE, OVER_ALL, Way},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/shortcuts", |route| route.to(show))]
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
                (panel("Everywhere", &said(&EVERYWHERE)))
                (panel("Where there are days", &said(&DAYS)))
            }
            div {
                (panel("To a page", &keys(OVER_ALL)))
                (panel("On a page of a website", &keys(OF_SITE)))
            }
        }
    };
    context.show(Place::Elsewhere, "Keyboard shortcuts", &main)
}

fn said(all: &[(&str, &str)]) -> Markup {
    html! { dl.facts { @for (key, does) in all { dt { kbd { (key) } } dd { (does) } } } }
}

fn keys(ways: &[Way]) -> Markup {
    html! { dl.facts { @for way in ways.iter().filter(|way| !way.key.is_empty()) { dt { kbd { "g" } " " kbd { (way.key) } } dd { (way.title) } } } }
}
