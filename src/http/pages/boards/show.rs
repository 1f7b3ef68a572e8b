//! One board: its panels, its settings, and the form of a new one.

use actix_web::http::Method;
use serde_json::{Value, json};

use super::{BoardView, fields, rows::BUTTON};
use crate::{
    http::{
        pages::{
            prelude::*,
            resource::{Tail, submit_change},
            site::period::PeriodQuery,
        },
        procedures::{
            boards::{BoardOut, CREATE, DELETE, GET_BY_ID, UPDATE},
            bodies::IdBody,
        },
    },
    pages::part::empty,
};

impl Resource for BoardOut {
    const PATH: &'static str = "/console/board/{board}";
    const LIST: &'static str = "/console/boards";
    const NAV_ITEM: NavItem = NavItem::Boards;
    const WRITE: Option<Permission> = Some(Permission::BoardWrite);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(UPDATE.erase());
    const DELETE: Option<Action> = Some(("/console/board/{board}/delete", DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let id = key.id().to_owned();
        context.ask(&GET_BY_ID, IdBody { id }).await
    }

    fn title(&self) -> &str {
        &self.fields.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let mut fields = json!(self.fields);
        for panel in fields["panels"].as_array_mut().into_iter().flatten() {
            let own = |id: &str| self.resources.iter().find(|one| one.id == id);
            let name = panel["resourceId"].as_str().and_then(own);
            panel["name"] = json!(name.and_then(|one| one.name.as_deref()));
        }
        inputs.fill(&fields)
    }

    /// Shows the form again with its panels changed, or saves it.
    async fn change(&self, edit: &Edit<'_>) -> Result<Reply, Fault> {
        if edit.sent.is_on(BUTTON) {
            return Ok(Reply::Preview(html! {}));
        }
        submit_change(self, edit).await
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        fields::choices(context).await
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.fields.name) }
                @if page.can_change { div.actions {
                    @if shows_settings(page) { a.button href=(page.path) { "Back to board" } }
                    @else {
                        a href=(page.below("shares")) { "Share links" }
                        a href=(page.below("scheduled-reports")) { "Scheduled reports" }
                        a.button href=(settings_path(page)) { "Edit" }
                    }
                } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        if shows_settings(page) {
            return Ok(html! {
                (page.settings())
                (page.deletion("Delete board…", "Its share links stop working and its reports end. What its panels show stays."))
            });
        }
        let next = html! {
            p { "Put the numbers that you look at every day on one page." }
            @if page.can_change { a.button.first href=(settings_path(page)) { "Add panels" } }
        };
        if self.fields.panels.is_empty() {
            return Ok(html! { section.panel { (empty("No panels yet", &next)) } });
        }
        Ok(self.view(page).draw_head(page.path))
    }

    fn tail(&self, page: &Page<'_>) -> Option<Tail> {
        let has_panels = !self.fields.panels.is_empty() && !shows_settings(page);
        has_panels.then(|| self.view(page).tail(page.context))
    }
}

impl BoardOut {
    fn view(&self, page: &Page<'_>) -> BoardView {
        let query = page.context.request.query_string();
        let date_format = page.date_format.clone();
        BoardView {
            owner: self.organization_id.as_str().into(),
            fields: self.fields.clone(),
            period: PeriodQuery::read_with(query, &self.fields.range, date_format, page.now_ms),
            caller: Some(page.context.call.caller.clone()),
        }
    }
}

fn settings_path(page: &Page<'_>) -> String {
    format!("{}?tab=settings", page.path)
}

/// Whether the page shows its form, as it does after a form that was not saved.
fn shows_settings(page: &Page<'_>) -> bool {
    let request = &page.context.request;
    let is_sent = request.method() == Method::POST && request.path() == page.path;
    page.can_change && (is_sent || page.context.parameter("tab") == "settings")
}

pub(super) struct NewBoard;

impl Creation for NewBoard {
    type Resource = BoardOut;
    const PATH: &'static str = "/console/boards/new";
    const TITLE: &'static str = "Create board";
    const PREVIEW: &'static str = BUTTON;
    const CREATE: Procedure = CREATE.erase();

    fn blank(_: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&Value::Null)
    }
}
