//! All flags, of every website and of the organization.

use actix_web::HttpResponse;
use futures_util::future::try_join_all;
use maud::{Markup, html};
use serde_json::json;

use super::{Flag, path};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        routes::Route,
    },
    pages::{
        frame::{Choice, Place},
        part::{empty, hidden},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/flags", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let websites = context.websites();
    let mut scopes: Vec<_> = websites
        .iter()
        .map(|one| json!({ "websiteId": one.id }))
        .collect();
    if let Some(organization) = &context.session.active_organization {
        scopes.push(json!({ "organizationId": organization.as_str() }));
    }
    let of =
        async |scope| -> Result<Vec<Flag>, Fault> { context.ask("flags", "list", scope).await };
    let flags: Vec<Flag> = try_join_all(scopes.into_iter().map(of))
        .await?
        .into_iter()
        .flatten()
        .collect();
    let may = context.may(Permission::FlagWrite);
    let main = html! {
        div.title-row {
            h1 { "Flags" }
            @if may && !flags.is_empty() { div.actions { a.button.first href="/console/flags/new" { "Make a flag" } } }
        }
        section.panel {
            @if flags.is_empty() {
                (empty("There is no flag yet", &html! {
                    @if may {
                        p { "A flag switches something on for everybody, for some, or for a share of all, without a new release." }
                        a.button.first href="/console/flags/new" { "Make a flag" }
                    } @else { p { "Members of the organization can make flags." } }
                }))
            } @else { (table(&flags, &websites, may)) }
        }
    };
    Ok(context.show(Place::Flags, "Flags", &main))
}

fn table(flags: &[Flag], websites: &[Choice], may: bool) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Flags, by website, newest first" }
            thead { tr {
                th scope="col" { "Flag" }
                th scope="col" { "For" }
                th scope="col" { "Decides" }
                th scope="col" { "State" }
            } }
            tbody { @for flag in flags { tr {
                td {
                    a.name href=(path(&flag.id)) { (flag.name.as_deref().unwrap_or(&flag.key)) }
                    span.dim { code { (flag.key) } }
                }
                td data-label="For" { (whose(flag, websites)) }
                td data-label="Decides" { (flag.decides()) }
                td {
                    (flag.stands())
                    @if may && flag.status != "archived" { " " (switch(flag, "list")) }
                }
            } } }
        }
    }
}

/// The website that a flag is for.
fn whose<'a>(flag: &Flag, websites: &'a [Choice]) -> &'a str {
    let own = websites
        .iter()
        .find(|one| Some(&one.id) == flag.website_id.as_ref());
    own.map_or("the organization", |one| &one.name)
}

/// The button that switches a flag on or off, and comes back to where it was.
pub(super) fn switch(flag: &Flag, from: &str) -> Markup {
    let (status, label) = if flag.status == "active" {
        ("inactive", "Switch off")
    } else {
        ("active", "Switch on")
    };
    html! {
        form.plain method="post" action=(format!("{}/switch", path(&flag.id))) {
            (hidden("status", status))
            (hidden("from", from))
            button.button.small[from == "list"] type="submit" aria-label=(format!("{label}: {}", flag.key)) { (label) }
        }
    }
}
