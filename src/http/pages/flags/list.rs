//! All flags, of every website and of the organization.

use futures_util::future::try_join_all;

use super::{describe_decision, draw_status, list_bodies};
use crate::{
    actors::flags::Status,
    http::{
        pages::prelude::*,
        procedures::flags::{self, shapes::FlagOut},
    },
    pages::{
        frame::Choice,
        part::{Heading, ListPage, hidden, resource_table},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/flags", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let websites = context.websites();
    let bodies = list_bodies(&context).into_iter();
    let asked = bodies.map(|body| context.ask(&flags::LIST, body));
    let flags = try_join_all(asked).await?.into_iter();
    let flags: Vec<FlagOut> = flags.flatten().collect();
    let can_write = context.can(Permission::FlagWrite);
    let page = ListPage {
        title: "Flags",
        create: can_write.then_some(("/console/flags/new", "Make a flag")),
        none: "There is no flag yet",
        about: if can_write {
            "A flag switches something on for everybody, for some, or for a share of all, without a new release."
        } else {
            "Members of the organization can make flags."
        },
        live: None,
    };
    let table = (!flags.is_empty()).then(|| table(&flags, &websites, can_write));
    Ok(context.show(
        NavItem::FeatureFlags,
        page.title,
        &page.draw(&html! {}, table),
    ))
}

fn table(flags: &[FlagOut], websites: &[Choice], can_write: bool) -> Markup {
    let headings = ["Flag", "For", "Decides", "State"].map(Heading::Text);
    let rows = html! {
        @for flag in flags { tr {
            td {
                a.name href=(FlagOut::path(&[&flag.id])) { (flag.name.as_deref().unwrap_or(&flag.key)) }
                span.dim { code { (flag.key) } }
            }
            td data-label="For" { (find_scope(flag, websites)) }
            td data-label="Decides" { (describe_decision(flag)) }
            td {
                (draw_status(flag))
                @if can_write && flag.status != Status::Archived { " " (switch(flag, "list")) }
            }
        } }
    };
    resource_table("Flags, by website, newest first", &headings, &rows)
}

/// The website that a flag is for.
fn find_scope<'a>(flag: &FlagOut, websites: &'a [Choice]) -> &'a str {
    let own = websites
        .iter()
        .find(|one| Some(&one.id) == flag.website_id.as_ref());
    own.map_or("the organization", |one| &one.name)
}

/// The button that switches a flag on or off, and returns to its page.
pub(super) fn switch(flag: &FlagOut, from: &str) -> Markup {
    let (status, label) = if flag.status == Status::Active {
        ("inactive", "Switch off")
    } else {
        ("active", "Switch on")
    };
    html! {
        form.plain method="post" action=(format!("{}/switch", FlagOut::path(&[&flag.id]))) {
            (hidden("status", status))
            (hidden("from", from))
            button.button.small[from == "list"] type="submit" aria-label=(format!("{label}: {}", flag.key)) { (label) }
        }
    }
}
