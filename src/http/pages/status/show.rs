//! One status page: its incidents, monitors, settings and subscribers, and the form of a new one.

use super::{draw_address, fields, incidents, load_page, logo, monitors, subscribers};
use crate::{
    http::{
        pages::prelude::*,
        procedures::status_page::{pages, wire::WholePageOut},
    },
    pages::part::panel,
};

impl Resource for WholePageOut {
    const PATH: &'static str = "/console/status-page/{page}";
    const LIST: &'static str = "/console/status-pages";
    const NAV_ITEM: NavItem = NavItem::StatusPages;
    const ID: &'static str = "statusPageId";
    const WRITE: Option<Permission> = Some(Permission::StatusPageWrite);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(pages::UPDATE.erase());
    const DELETE: Option<Action> =
        Some(("/console/status-page/{page}/delete", pages::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        load_page(context, key.id()).await
    }

    fn title(&self) -> &str {
        &self.page.fields.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.page)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.page.fields.name) }
                (draw_address(page.context, &self.page))
                @if self.page.is_private() { span.state { "Private" } }
                @if page.can_change { div.actions {
                    a.button.first href=(page.below("incidents/new")) { "Report incident" }
                    a.button href=(page.below("maintenance/new")) { "Schedule maintenance" }
                } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (context, date_format, id) = (page.context, page.date_format, &self.page.id);
        let all = incidents::load_incidents(context, id).await?;
        Ok(html! {
            (panel("Incidents and maintenance", &incidents::table(id, &all, date_format)))
            (panel("Monitors", &monitors::draw(context, self, page.can_change).await?))
            @if page.can_change {
                div.grid {
                    (page.settings())
                    div {
                        (panel("Logo", &logo::draw(&self.page, page.path, page.problems)))
                        (panel("Subscribers", &subscribers::draw(context, id, date_format).await?))
                    }
                }
                (page.deletion("Delete status page…", "Its incidents and subscribers are deleted too."))
            }
        })
    }
}

pub(super) struct NewPage;

impl Creation for NewPage {
    type Resource = WholePageOut;
    const PATH: &'static str = "/console/status-pages/new";
    const TITLE: &'static str = "Create status page";
    const SEND: &'static str = "Create status page";
    const CREATE: Procedure = pages::CREATE.erase();
}
