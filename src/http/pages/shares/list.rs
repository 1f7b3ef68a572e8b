//! The share links of a website or a board.

use super::{
    ShareRoutes,
    show::{SharePage, draw_expiration},
};
use crate::{
    http::{
        pages::prelude::*,
        procedures::shares::{LIST, ShareOut},
    },
    pages::part::{Heading, ListPage, resource_table},
};

pub(super) async fn show<P: ShareRoutes>(
    context: PageContext,
    key: web::Path<Key>,
) -> Result<HttpResponse, Fault> {
    P::name(&context, key.id()).await?;
    let all = context.ask(&LIST, P::body(key.id())).await?;
    let date_format = context.date_format().await?;
    let new = key.fill(P::NEW);
    let page = ListPage {
        title: "Share links",
        create: context
            .can(P::SHARE)
            .then_some((new.as_str(), "Create share link")),
        none: "No share links yet",
        about: "A share link shows the dashboard to everyone who has it, or to visitors that you choose.",
        live: None,
    };
    let table = (!all.is_empty()).then(|| draw_table::<P>(key.id(), &all, &date_format));
    let main = page.draw(&P::back(key.id()), table);
    Ok(P::show(&context, P::NAV_ITEM, key.id(), page.title, &main))
}

/// Who sees it.
fn draw_access(share: &ShareOut) -> &'static str {
    match (
        share.members_only,
        share.has_password,
        share.allowed_ips.is_empty(),
    ) {
        (true, ..) => "Members",
        (false, true, true) => "With the password",
        (false, true, false) => "From allowed addresses, with the password",
        (false, false, false) => "From allowed addresses",
        (false, false, true) => "Everyone",
    }
}

fn draw_table<P: ShareRoutes>(id: &str, all: &[ShareOut], date_format: &DateFormat) -> Markup {
    let headings = ["Name", "Link", "Visitors", "Expires", "Embedding"].map(Heading::Text);
    let rows = html! {
        @for share in all { tr {
            td { a.name href=(SharePage::<P>::path(&[id, &share.id])) { (share.name) } }
            td.wide data-label="Link" { a href=(share.url) { (share.url) } }
            td data-label="Visitors" { (draw_access(share)) }
            td data-label="Expires" { (draw_expiration(share, date_format)) }
            td data-label="Embedding" { @if share.embed_origins.is_empty() { "Off" } @else { (share.embed_origins.join(", ")) } }
        } }
    };
    resource_table("Share links, newest first", &headings, &rows)
}
