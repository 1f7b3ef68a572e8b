//! All status pages, with what their readers are told now.

use actix_web::HttpResponse;
use futures_util::future::try_join_all;
use maud::{Markup, html};

use super::{
    address,
    incidents::{is_open, load_incidents},
    path,
};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        procedures::{
            bodies::OrganizationBody,
            status_page::{
                pages::LIST,
                wire::{IncidentOut, PageOut},
            },
        },
        routes::Route,
    },
    pages::{frame::Place, part::empty},
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/status-pages", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let pages = context.ask(&LIST, OrganizationBody::default()).await?;
    let told = try_join_all(pages.iter().map(|one| load_incidents(&context, &one.id))).await?;
    let make = html! {
        @if context.may(Permission::StatusPageWrite) { a.button.first href="/console/status-pages/new" { "Make a status page" } }
    };
    let main = html! {
        div.title-row {
            h1 { "Status pages" }
            @if !pages.is_empty() { div.actions { (make) } }
        }
        section.panel {
            @if pages.is_empty() {
                (empty("There is no status page yet", &html! {
                    p { "A status page tells people how your monitors stand, what goes wrong and what is planned. They can follow it." }
                    (make)
                }))
            } @else { (table(&context, &pages, &told)) }
        }
    };
    Ok(context.show(Place::StatusPages, "Status pages", &main))
}

fn table(context: &PageContext, pages: &[PageOut], told: &[Vec<IncidentOut>]) -> Markup {
    html! {
        table.table.sites {
            caption.hide { "Status pages, newest first" }
            thead { tr {
                th scope="col" { "Page" }
                th.num scope="col" { "Monitors" }
                th scope="col" { "Now" }
                th scope="col" { "Seen at" }
            } }
            tbody { @for (one, incidents) in pages.iter().zip(told) {
                @let open = incidents.iter().filter(|incident| is_open(incident)).count();
                tr {
                    td { a.name href=(path(&one.id)) { (one.fields.name) } span.dim { (one.fields.slug) } }
                    td.num data-label="Monitors" { (one.monitor_count) }
                    td data-label="Now" {
                        @if open > 0 { span.state.warn { (open) @if open == 1 { " open incident" } @else { " open incidents" } } }
                        @else { span.state.good { "nothing is open" } }
                    }
                    td { a href=(address(context, one)) { (address(context, one)) } }
                }
            } }
        }
    }
}
