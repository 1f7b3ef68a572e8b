//! Single sign-on of the organization: its domains and its providers.

mod domains;
mod provider;
mod roles;

use super::members::Members;
use crate::{
    http::{
        pages::{
            prelude::*,
            resource::{creation, routes as resource_routes},
        },
        procedures::{
            bodies::OrganizationBody,
            sso::{self, DomainOut, ProviderOut},
        },
    },
    pages::part::{Heading, empty, panel, resource_table},
};

pub(super) fn routes() -> Vec<Route> {
    // `new` goes before the pattern of one.
    let mut routes: Vec<Route> = creation::<provider::NewProvider>().into();
    routes.extend(resource_routes::<Sso>());
    routes.extend(domains::routes());
    routes.extend(resource_routes::<provider::ProviderPage>());
    routes.push(form_route(provider::TEST, |route| route.to(provider::test)));
    routes
}

pub(super) struct Sso {
    domains: Vec<DomainOut>,
    providers: Vec<ProviderOut>,
}

impl Resource for Sso {
    const PATH: &'static str = "/console/members/sso";
    const NAV_ITEM: NavItem = NavItem::Members;
    const WRITE: Option<Permission> = Some(Permission::OwnersManage);

    async fn load(context: &PageContext, _: &Key) -> Result<Self, Fault> {
        let body = OrganizationBody::default;
        Ok(Self {
            domains: context.ask(&sso::LIST_DOMAINS, body()).await?,
            providers: context.ask(&sso::LIST_PROVIDERS, body()).await?,
        })
    }

    fn title(&self) -> &'static str {
        "Single sign-on"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.title()) } div.actions { a href=(Members::PATH) { "Members" } } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            (panel("Domains", &domains::draw(&self.domains, page)))
            (panel("Providers", &draw_providers(&self.providers)))
        })
    }
}

fn draw_providers(providers: &[ProviderOut]) -> Markup {
    let headings = ["Name", "Issuer", "Status"].map(Heading::Text);
    let rows = html! {
        @for one in providers { tr {
            td { a.name href=(provider::ProviderPage::path(&[&one.id])) { (one.label) } }
            td.wide data-label="Issuer" { (one.issuer) }
            td data-label="Status" { @if one.enabled { "Enabled" } @else { "Disabled" } }
        } }
    };
    html! {
        @if providers.is_empty() { (empty("No providers yet", &html! { "Verify a domain, then add the OpenID Connect provider of your organization." })) }
        @else { (resource_table("Providers, oldest first", &headings, &rows)) }
        p { a.button href=(provider::NEW) { "Add provider" } }
    }
}
