//! One flag: switching it, its rules, what it is for somebody, its history.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::json;

use super::{describe_decision, draw_status, explain, fields, history, list::switch, path};
use crate::{
    access::Permission,
    actors::flags::Status,
    fault::Fault,
    http::{
        pages::{
            context::PageContext,
            form::{FormData, Inputs, Section},
            page,
            resource::{self, Page, Resource, change, delete, named, show},
            sent,
        },
        procedures::flags::{self, shapes::FlagOut},
        routes::Route,
    },
    pages::{frame::Place, part::panel},
};

pub(super) fn routes() -> Vec<Route> {
    let own = "/console/flag/{flag}";
    vec![
        page(own, |route| route.to(show::<FlagOut>)),
        sent(own, |route| {
            route.to(|context, key, sent| {
                change::<FlagOut, _, _>(context, key, sent, &flags::UPDATE)
            })
        }),
        sent("/console/flag/{flag}/switch", |route| {
            route.to(switch_status)
        }),
        sent("/console/flag/{flag}/delete", |route| {
            route.to(|context, key| delete::<FlagOut, _, _>(context, key, &flags::DELETE))
        }),
    ]
}

impl Resource for FlagOut {
    type Key = String;
    const PLACE: Place = Place::Flags;
    const WRITE: Permission = Permission::FlagWrite;
    const FORM: &'static [Section] = fields::FORM;

    fn path(id: &String) -> String {
        path(id)
    }

    fn list(_: &String) -> String {
        "/console/flags".to_owned()
    }

    async fn load(context: &PageContext, id: &String) -> Result<Self, Fault> {
        context.submit(&flags::GET_BY_ID, named::<Self>(id)).await
    }

    fn title(&self) -> &str {
        &self.key
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(self)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.name.as_deref().unwrap_or(&self.key)) }
                code { (self.key) }
                (draw_status(self))
                @if page.may && self.status != Status::Archived { div.actions { (switch(self, "page")) } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        Ok(html! {
            p.lead { "It decides: " (describe_decision(self)) "." }
            div.grid {
                (page.settings())
                @if !page.may { (panel("Rules", &html! { pre { (fields::pretty(&self.rules)) } })) }
                (panel("What it is for somebody", &explain::draw(page.context, &self.id).await?))
            }
            (panel("History", &history::draw(page.context, &self.id, page.date_format).await?))
            (page.deletion("Delete this flag…", "Programs that ask for it are told that there is none."))
        })
    }
}

async fn switch_status(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let status = ("status".to_owned(), json!(sent.text("status")));
    let input = flags::UpdateBody {
        id: id.to_string(),
        patch: [status].into_iter().collect(),
    };
    let outcome = context.ask(&flags::UPDATE, input).await;
    let address = if sent.text("from") == "list" {
        FlagOut::list(&id)
    } else {
        path(&id)
    };
    resource::done::<FlagOut, _>(&context, &id, outcome, None, &address).await
}
