//! One flag: its switch, its settings, its test evaluation, its history, and the form of a new one.

use serde_json::{Map, Value, json};

use super::{
    compatibility, describe_decision, draw_status, evaluations, explain, fields, groups, history,
    list::switch, preview, schedules, snippets, stale,
};
use crate::{
    actors::flags::Status,
    http::{
        pages::{
            prelude::*,
            resource::{id_input, submit_change},
        },
        procedures::flags::{self, shapes::FlagOut},
    },
    pages::{frame::Choice, part::panel},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<FlagOut>();
    let path = "/console/flag/{flag}/switch";
    routes.push(form_route(path, |route| route.to(switch_status)));
    routes
}

impl Resource for FlagOut {
    const PATH: &'static str = "/console/flag/{flag}";
    const LIST: &'static str = "/console/flags";
    const NAV_ITEM: NavItem = NavItem::FeatureFlags;
    const WRITE: Option<Permission> = Some(Permission::FlagWrite);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(flags::UPDATE.erase());
    const DELETE: Option<Action> = Some(("/console/flag/{flag}/delete", flags::DELETE.erase()));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let input = id_input::<Self>(key);
        context.submit(&flags::GET_BY_ID, input).await
    }

    fn title(&self) -> &str {
        &self.key
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(self)
    }

    /// Shows what the change would do, or saves it.
    async fn change(&self, edit: &Edit<'_>) -> Result<Reply, Fault> {
        if !edit.sent.is_on(preview::BUTTON) {
            return submit_change(self, edit).await;
        }
        let change = self.read(&edit.inputs, edit.sent)?;
        let preview = preview::run_preview(edit.context, edit.key.id(), change).await?;
        Ok(Reply::Preview(preview))
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.name.as_deref().unwrap_or(&self.key)) }
                code { (self.key) }
                (draw_status(self))
                @if page.can_change && self.status != Status::Archived { div.actions { (switch(self, "page")) } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let stale = stale::find_stale(page.context, std::slice::from_ref(self)).await;
        Ok(html! {
            (stale::draw_notice(&stale, self))
            (compatibility::draw(self, page).await?)
            p.lead { "Targeting: " (describe_decision(self)) "." }
            (evaluations::draw(self, page).await)
            div.grid {
                (page.settings())
                div {
                    @if !page.can_change { (panel("Rules", &html! { pre { (fields::pretty(&self.rules)) } })) }
                    (panel("Test evaluation", &explain::draw(page.context, &self.id).await?))
                    (groups::draw_assigned(self, page).await?)
                    (panel("Schedules", &schedules::draw(self, page).await?))
                }
            }
            (panel("Code snippets", &snippets::draw(page.context, self)))
            (panel("History", &history::draw(page.context, &self.id, page.date_format).await?))
            (page.deletion("Delete flag…", "Programs that ask for it get no value and use their own default."))
        })
    }
}

pub(super) struct NewFlag;

impl Creation for NewFlag {
    type Resource = FlagOut;
    const PATH: &'static str = "/console/flags/new";
    const TITLE: &'static str = "Create flag";
    const FORM: &'static [Section] = fields::NEW;
    const CREATE: Procedure = flags::CREATE.erase();

    fn blank(context: &PageContext, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        let first = context.websites().into_iter().next();
        inputs.fill(&json!({ "websiteId": first.map(|one| one.id) }))
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        let mut among = context.websites();
        among.push(Choice {
            id: String::new(),
            name: "Organization (no website)".to_owned(),
        });
        Ok(Choices::default().with("websiteId", among))
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let mut body = draft.inputs.read(draft.sent)?;
        if body["websiteId"].is_null() {
            let own = &draft.context.session.active_organization;
            body.insert("organizationId".to_owned(), json!(own));
        }
        Ok(body)
    }
}

async fn switch_status(form: Submission) -> Result<HttpResponse, Fault> {
    let status = ("status".to_owned(), json!(form.sent.text("status")));
    let input = flags::UpdateBody {
        id: form.key.id().to_owned(),
        patch: [status].into_iter().collect(),
    };
    let outcome = form.context.ask(&flags::UPDATE, input).await;
    let address = if form.sent.text("from") == "list" {
        FlagOut::LIST.to_owned()
    } else {
        FlagOut::path(&[form.key.id()])
    };
    let outcome = outcome.map(|_| Reply::Redirect(address));
    form.finish::<FlagOut>(outcome).await
}
