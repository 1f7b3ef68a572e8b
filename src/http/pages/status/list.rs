//! All status pages with their open incidents.

use futures_util::future::try_join_all;

use super::{
    draw_address,
    incidents::{is_open, load_incidents},
};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            status_page::{
                pages::LIST,
                wire::{IncidentOut, PageOut, WholePageOut},
            },
        },
    },
    pages::part::{Heading, ListPage, resource_table},
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/status-pages", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let pages = context.ask(&LIST, OrganizationBody::default()).await?;
    let incidents = try_join_all(pages.iter().map(|one| load_incidents(&context, &one.id))).await?;
    let can_write = context.can(Permission::StatusPageWrite);
    let page = ListPage {
        title: "Status pages",
        create: can_write.then_some(("/console/status-pages/new", "Create status page")),
        none: "No status pages yet",
        about: "A status page shows whether your services work. Visitors can subscribe to incidents and maintenance.",
        live: None,
    };
    let table = (!pages.is_empty()).then(|| table(&context, &pages, &incidents));
    Ok(context.show(
        NavItem::StatusPages,
        page.title,
        &page.draw(&html! {}, table),
    ))
}

fn table(context: &PageContext, pages: &[PageOut], incidents: &[Vec<IncidentOut>]) -> Markup {
    let headings = [
        Heading::Text("Page"),
        Heading::Number("Monitors"),
        Heading::Text("Status"),
        Heading::Text("URL"),
    ];
    let rows = html! {
        @for (one, incidents) in pages.iter().zip(incidents) {
            @let open = incidents.iter().filter(|incident| is_open(incident)).count();
            tr {
                td { a.name href=(WholePageOut::path(&[&one.id])) { (one.fields.name) } span.dim { (one.fields.slug) } }
                td.num data-label="Monitors" { (one.monitor_count) }
                td data-label="Status" {
                    @if open > 0 { span.state.warn { (open) @if open == 1 { " open incident" } @else { " open incidents" } } }
                    @else { span.state.good { "No open incidents" } }
                }
                td { (draw_address(context, one)) }
            }
        }
    };
    resource_table("Status pages, newest first", &headings, &rows)
}
