//! All domains of the organization.

use super::{draw_state, use_label};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            domains::{DomainOut, LIST},
        },
    },
    pages::part::{Heading, ListPage, resource_table},
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route(DomainOut::LIST, |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let domains = context.ask(&LIST, OrganizationBody::default()).await?;
    let can_write = context.can(Permission::OrganizationUpdate);
    let page = ListPage {
        title: "Domains",
        create: can_write.then_some(("/console/domains/new", "Add domain")),
        none: "No domains yet",
        about: if can_write {
            "Short links, a status page, a shared dashboard or the tracker under a domain of your own, such as go.example.com."
        } else {
            "Admins of the organization can add domains."
        },
        live: None,
    };
    let table = (!domains.is_empty()).then(|| draw_table(&domains));
    let main = page.draw(&html! {}, table);
    Ok(context.show(NavItem::Domains, page.title, &main))
}

fn draw_table(domains: &[DomainOut]) -> Markup {
    let headings = [
        Heading::Text("Domain"),
        Heading::Text("Used for"),
        Heading::Text("State"),
    ];
    let rows = html! {
        @for domain in domains { tr {
            td { a.name href=(DomainOut::path(&[&domain.id])) { (domain.host) } }
            td data-label="Used for" { (use_label(domain.serves)) }
            td data-label="State" { (draw_state(domain)) }
        } }
    };
    resource_table("Domains, oldest first", &headings, &rows)
}
