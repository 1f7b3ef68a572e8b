//! All flags, of every website and of the organization.

use futures_util::future::try_join_all;

use super::{
    describe_decision, draw_status, list_bodies,
    stale::{Stale, draw_badge, find_stale},
};
use crate::{
    actors::flags::Status,
    http::{
        pages::prelude::*,
        procedures::flags::{
            self,
            shapes::{FlagOut, GroupOut},
        },
    },
    pages::{
        frame::Choice,
        part::{Heading, ListPage, hidden, resource_table},
        problem::capitalize,
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
        title: "Feature flags",
        create: can_write.then_some(("/console/flags/new", "Create flag")),
        none: "No feature flags yet",
        about: if can_write {
            "A feature flag turns a feature on for everyone, for some users or for a percentage, without a new release."
        } else {
            "Members of the organization can create feature flags."
        },
        live: None,
    };
    let stale = find_stale(&context, &flags).await;
    let table = (!flags.is_empty()).then(|| table(&flags, &websites, &stale, can_write));
    let above = html! { p.lead { a href=(GroupOut::LIST) { "Target groups" } } };
    Ok(context.show(NavItem::FeatureFlags, page.title, &page.draw(&above, table)))
}

fn table(flags: &[FlagOut], websites: &[Choice], stale: &Stale, can_write: bool) -> Markup {
    let headings = ["Flag", "Scope", "Targeting", "Status"].map(Heading::Text);
    let rows = html! {
        @for flag in flags { tr {
            td {
                a.name href=(FlagOut::path(&[&flag.id])) { (flag.name.as_deref().unwrap_or(&flag.key)) }
                @if flag.name.is_some() { span.dim { code { (flag.key) } } }
            }
            td data-label="Scope" { (find_scope(flag, websites)) }
            td data-label="Targeting" { (capitalize(&describe_decision(flag))) }
            td {
                (draw_status(flag)) (draw_badge(stale, flag))
                @if can_write && flag.status != Status::Archived { " " (switch(flag, "list")) }
            }
        } }
    };
    resource_table("Feature flags by website, newest first", &headings, &rows)
}

/// The website that a flag is for.
fn find_scope<'a>(flag: &FlagOut, websites: &'a [Choice]) -> &'a str {
    let own = websites
        .iter()
        .find(|one| Some(&one.id) == flag.website_id.as_ref());
    own.map_or("Organization", |one| &one.name)
}

/// The button that switches a flag on or off, and returns to its page.
pub(super) fn switch(flag: &FlagOut, from: &str) -> Markup {
    let (status, label) = if flag.status == Status::Active {
        ("inactive", "Turn off")
    } else {
        ("active", "Turn on")
    };
    html! {
        form.plain method="post" action=(format!("{}/switch", FlagOut::path(&[&flag.id]))) {
            (hidden("status", status))
            (hidden("from", from))
            button.button.small[from == "list"] type="submit" aria-label=(format!("{label}: {}", flag.key)) { (label) }
        }
    }
}
