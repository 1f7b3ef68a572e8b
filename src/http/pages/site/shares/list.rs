//! The share links of a website.

use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::WebsiteIdBody,
            shares::{LIST, ShareOut},
        },
    },
    pages::part::{Heading, ListPage, resource_table},
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route(ShareOut::LIST, |route| route.to(show))]
}

async fn show(context: PageContext, key: web::Path<Key>) -> Result<HttpResponse, Fault> {
    let website = context.website(key.id()).await?;
    let website_id = website.id.clone();
    let all = context.ask(&LIST, WebsiteIdBody { website_id }).await?;
    let date_format = context.date_format().await?;
    let new = format!("{}/new", key.fill(ShareOut::LIST));
    let can_change = context.can(Permission::WebsiteConfigure);
    let page = ListPage {
        title: "Share links",
        create: can_change.then_some((new.as_str(), "Create share link")),
        none: "No share links yet",
        about: "A share link shows the dashboard to everyone who has it, without an account.",
        live: None,
    };
    let table = (!all.is_empty()).then(|| draw_table(&website.id, &all, &date_format));
    let main = page.draw(&html! {}, table);
    Ok(context.show_site(NavItem::Settings, &website.id, page.title, &main))
}

fn draw_table(site: &str, all: &[ShareOut], date_format: &DateFormat) -> Markup {
    let headings = ["Name", "Link", "Password", "Expires", "Embedding"].map(Heading::Text);
    let rows = html! {
        @for share in all { tr {
            td { a.name href=(ShareOut::path(&[site, &share.id])) { (share.name) } }
            td.wide data-label="Link" { a href=(share.url) { (share.url) } }
            td data-label="Password" { @if share.has_password { "Required" } @else { "None" } }
            td data-label="Expires" { (super::show::draw_expiration(share, date_format)) }
            td data-label="Embedding" { @if share.embed_origins.is_empty() { "Off" } @else { (share.embed_origins.join(", ")) } }
        } }
    };
    resource_table("Share links, newest first", &headings, &rows)
}
