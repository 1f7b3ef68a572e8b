//! Exports: everything that people put in, as files.

use crate::{
    http::{
        exports::{KINDS, Kind, Owner},
        pages::prelude::*,
    },
    pages::part::{choice, empty, panel},
};

const TITLE: &str = "Export";
/// The formats of events.
const EVENT_FORMATS: [&str; 5] = ["ndjson", "json", "csv", "txt", "parquet"];

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/export", |route| route.to(show))]
}

async fn show(context: PageContext) -> HttpResponse {
    let websites = context.websites();
    let asked = context.parameter("website");
    let chosen = websites.iter().find(|one| one.id == asked);
    let chosen = chosen.or(websites.first());
    let main = html! {
        h1 { (TITLE) }
        (panel("Organization", &html! {
            p { "Everything you put in, in formats that other programs read. " a href="/docs/export" { "What each file holds" } }
            (table(Owner::Organization, "", &html! {}))
        }))
        (panel("Website", &html! {
            @if let Some(website) = chosen {
                @if websites.len() > 1 {
                    form.form method="get" action="/console/export" {
                        (choice("website", "Website", &websites.iter().map(|one| (one.id.as_str(), one.name.as_str())).collect::<Vec<_>>(), &website.id))
                        p.send { button.button type="submit" { "Show" } }
                    }
                }
                (table(Owner::Website, &website.id, &row("Events", "/v1/export", EVENT_FORMATS.into_iter(), &website.id)))
            } @else {
                (empty("No websites yet", &html! { p { a href="/console/sites/new" { "Create website" } } }))
            }
        }))
    };
    context.show(NavItem::Export, TITLE, &main)
}

/// The files of an owner; `website` is empty for those of an organization.
fn table(owner: Owner, website: &str, first: &Markup) -> Markup {
    let is_shown = |kind: &&Kind| match owner {
        Owner::Organization => kind.owner == owner,
        // A website has flags of its own.
        Owner::Website => kind.owner == owner || kind.name == "flags",
    };
    html! {
        table.table.sites {
            caption.hide { "Files" }
            thead { tr { th scope="col" { "Export" } th scope="col" { "Formats" } } }
            tbody {
                (first)
                @for kind in KINDS.iter().filter(is_shown) {
                    (row(kind.label, &format!("/v1/export/{}", kind.name), kind.formats(), website))
                }
            }
        }
    }
}

fn row(
    label: &str,
    path: &str,
    formats: impl Iterator<Item = &'static str>,
    website: &str,
) -> Markup {
    let address = |format: &str| {
        let of = if website.is_empty() {
            String::new()
        } else {
            format!("&website_id={website}")
        };
        format!("{path}?format={format}{of}")
    };
    html! {
        tr {
            td data-label="Export" { (label) }
            td.wide data-label="Formats" { div.exports {
                @for format in formats { a href=(address(format)) aria-label=(format!("{label} as {}", name(format))) { (name(format)) } }
            } }
        }
    }
}

fn name(format: &'static str) -> &'static str {
    match format {
        "csv" => "CSV",
        "json" => "JSON",
        "ndjson" => "NDJSON",
        "parquet" => "Parquet",
        "txt" => "TSV",
        "shlink" => "Shlink",
        other => other,
    }
}
