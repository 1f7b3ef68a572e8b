//! One status page: what is told on it, its monitors, its settings, and who follows it.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{address, fields, incidents, load_page, monitors, path, subscribers};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            context::PageContext,
            form::{FormData, Inputs, Section},
            page,
            resource::{self, Page, Resource, change, delete, show},
            sent,
        },
        procedures::status_page::{pages, wire::WholePageOut},
        routes::Route,
    },
    pages::{frame::Place, part::panel},
};

pub(super) fn routes() -> Vec<Route> {
    let own = "/console/status-page/{page}";
    vec![
        page(own, |route| route.to(show::<WholePageOut>)),
        sent(own, |route| {
            route.to(|context, key, sent| {
                change::<WholePageOut, _, _>(context, key, sent, &pages::UPDATE)
            })
        }),
        sent("/console/status-page/{page}/delete", |route| {
            route.to(|context, key| delete::<WholePageOut, _, _>(context, key, &pages::DELETE))
        }),
    ]
}

impl Resource for WholePageOut {
    type Key = String;
    const PLACE: Place = Place::StatusPages;
    const ID: &'static str = "statusPageId";
    const WRITE: Permission = Permission::StatusPageWrite;
    const FORM: &'static [Section] = fields::FORM;

    fn path(id: &String) -> String {
        path(id)
    }

    fn list(_: &String) -> String {
        "/console/status-pages".to_owned()
    }

    async fn load(context: &PageContext, id: &String) -> Result<Self, Fault> {
        load_page(context, id).await
    }

    fn title(&self) -> &str {
        &self.page.fields.name
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        inputs.fill(&self.page.fields)
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let address = address(page.context, &self.page);
        html! {
            div.title-row {
                h1 { (self.page.fields.name) }
                a href=(address) { (address) }
                @if page.may { div.actions {
                    a.button.first href=(page.below("incidents/new")) { "Tell of an incident" }
                    a.button href=(page.below("maintenance/new")) { "Plan maintenance" }
                } }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (context, date_format, id) = (page.context, page.date_format, &self.page.id);
        let told = incidents::load_incidents(context, id).await?;
        Ok(html! {
            (panel("Incidents and maintenance", &incidents::table(id, &told, date_format)))
            (panel("Monitors", &monitors::draw(context, self, page.may).await?))
            @if page.may {
                div.grid {
                    (page.settings())
                    (panel("Who follows it", &subscribers::draw(context, id, date_format).await?))
                }
                (page.deletion("Delete this status page…", "Its incidents and everybody who follows it are gone."))
            }
        })
    }
}

/// The way back to the page, or the page with what is wrong.
pub(super) async fn done<O>(
    context: &PageContext,
    id: &str,
    outcome: Result<O, Fault>,
) -> Result<HttpResponse, Fault> {
    let path = format!("{}?done=1", path(id));
    resource::done::<WholePageOut, O>(context, &id.to_owned(), outcome, None, &path).await
}
