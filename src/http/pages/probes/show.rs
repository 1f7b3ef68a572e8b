//! One probe, and the form of a new one.

use super::{draw_state, draw_token, last_seen};
use crate::{
    http::{
        pages::{form::Kind, prelude::*, resource::id_input},
        procedures::{
            bodies::OrganizationBody,
            probes::{self, ProbeOut},
        },
    },
    pages::part::{confirm, panel},
};

const RENEW: &str = "/console/probe/{probe}/renew";
const REVOKE: &str = "/console/probe/{probe}/revoke";

const FORM: &[Section] = &[Section::plain(&[
    Input::line("name", "Location")
        .hint("Where the probe runs. Example: Frankfurt")
        .required(),
    Input::line("country", "Country").hint("A code of two letters. Example: DE"),
    Input::new(Kind::Decimal, "latitude", "Latitude")
        .hint("Degrees north, for the map. Example: 50.1"),
    Input::new(Kind::Decimal, "longitude", "Longitude")
        .hint("Degrees east, for the map. Example: 8.7"),
])];

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<ProbeOut>();
    routes.push(form_route(RENEW, |route| route.to(renew)));
    routes
}

impl Resource for ProbeOut {
    const PATH: &'static str = "/console/probe/{probe}";
    const LIST: &'static str = "/console/probes";
    const NAV_ITEM: NavItem = NavItem::Monitors;
    const WRITE: Option<Permission> = Some(Permission::MonitorWrite);
    const FORM: &'static [Section] = FORM;
    const UPDATE: Option<Procedure> = Some(probes::UPDATE.erase());
    const ACTIONS: &'static [Action] = &[(REVOKE, probes::REVOKE.erase())];
    const DELETE: Option<Action> = Some(("/console/probe/{probe}/delete", probes::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let all = context
            .ask(&probes::LIST, OrganizationBody::default())
            .await?;
        let found = all.into_iter().find(|probe| probe.id == key.id());
        found.ok_or_else(|| Fault::not_found("Probe", key.id()))
    }

    fn title(&self) -> &str {
        &self.fields.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.fields)
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { (self.fields.name) } (draw_state(self)) } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            (panel("Details", &self.draw_facts(page)))
            (page.settings())
            @if page.can_change {
                (panel(resource::DANGER, &html! { div.rows {
                    (confirm("Renew token…", "The old token stops immediately. The new one is shown once.", &page.below("renew"), "Renew token", &html! {}))
                    @if self.revoked_at.is_none() {
                        (confirm("Revoke token…", "The probe stops immediately. Its monitors go on at their other locations.", &page.below("revoke"), "Revoke token", &html! {}))
                    }
                    (confirm("Delete probe…", "A probe can be deleted when no monitor uses it. Its checks are kept.", &page.below("delete"), "Delete probe", &html! {}))
                } }))
            }
        })
    }
}

impl ProbeOut {
    fn draw_facts(&self, page: &Page<'_>) -> Markup {
        html! {
            dl.facts {
                dt { "Last seen" } dd { (last_seen(self, page.date_format, page.now_ms)) }
                dt { "Monitors" } dd { (self.monitors) }
                @if let Some(host) = &self.host { dt { "Machine" } dd { (host) } }
                @if let Some(version) = &self.version { dt { "Version" } dd { (version) } }
                @if self.lost_results > 0 { dt { "Lost results" } dd { (self.lost_results) } }
            }
        }
    }
}

async fn renew(context: PageContext, key: web::Path<Key>) -> Result<HttpResponse, Fault> {
    let input = id_input::<ProbeOut>(&key);
    let new = context.submit(&probes::RENEW_TOKEN, input).await?;
    Ok(draw_token(&context, "Token renewed", &new))
}

pub(super) struct NewProbe;

impl Creation for NewProbe {
    type Resource = ProbeOut;
    const PATH: &'static str = "/console/probes/new";
    const TITLE: &'static str = "Create probe";
    const CREATE: Procedure = probes::CREATE.erase();

    async fn create(draft: &Draft<'_>) -> Result<HttpResponse, Fault> {
        let body = draft.inputs.read(draft.sent)?;
        let new = draft.context.submit(&probes::CREATE, body).await?;
        Ok(draw_token(draft.context, "Probe created", &new))
    }
}
