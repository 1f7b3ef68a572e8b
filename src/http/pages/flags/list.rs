//! All flags, of every website and of the organization.

use actix_web::HttpResponse;
use futures_util::future::try_join_all;
use maud::{Markup, html};

use super::{describe_decision, draw_status, list_bodies, path};
use crate::{
    access::Permission,
    actors::flags::Status,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        procedures::flags::{self, shapes::FlagOut},
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
    let bodies = list_bodies(&context).into_iter();
    let asked = bodies.map(|body| context.ask(&flags::LIST, body));
    let flags = try_join_all(asked).await?.into_iter();
    let flags: Vec<FlagOut> = flags.flatten().collect();
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

fn table(flags: &[FlagOut], websites: &[Choice], may: bool) -> Markup {
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
                td data-label="Decides" { (describe_decision(flag)) }
                td {
                    (draw_status(flag))
                    @if may && flag.status != Status::Archived { " " (switch(flag, "list")) }
                }
            } } }
        }
    }
}

/// The website that a flag is for.
fn whose<'a>(flag: &FlagOut, websites: &'a [Choice]) -> &'a str {
    let own = websites
        .iter()
        .find(|one| Some(&one.id) == flag.website_id.as_ref());
    own.map_or("the organization", |one| &one.name)
}

/// The button that switches a flag on or off, and comes back to where it was.
pub(super) fn switch(flag: &FlagOut, from: &str) -> Markup {
    let (status, label) = if flag.status == Status::Active {
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
