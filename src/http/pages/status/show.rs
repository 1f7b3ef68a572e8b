//! One status page: what is told on it, its monitors, its settings, and who follows it.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{address, fields, found, incidents, monitors, path, subscribers};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::status_page::{
            bodies::{IdBody, UpdateBody},
            pages,
            wire::WholePageOut,
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Form, confirm, notice, panel},
        problem::Problems,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/status-page/{page}", |route| route.to(show)),
        sent("/console/status-page/{page}", |route| route.to(change)),
        sent("/console/status-page/{page}/delete", |route| {
            route.to(delete)
        }),
    ]
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let page = found(&context, &id).await?;
    let form = fields::form(&page.page.fields);
    let main = draw(&context, &page, &form, &Problems::NONE).await?;
    Ok(context.show(Place::StatusPages, &page.page.fields.name, &main))
}

async fn draw(
    context: &PageContext,
    found: &WholePageOut,
    form: &FormData,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let page = &found.page;
    let date_format = context.date_format().await?;
    let own = path(&page.id);
    let may = context.may(Permission::StatusPageWrite);
    let told = incidents::listed(context, &page.id).await?;
    let address = address(context, page);
    // What no field is there for is said above the page.
    let settings = Form {
        action: &own,
        send: "Save",
        problems: &Problems::NONE,
        fields: &fields::NAMES,
    };
    Ok(html! {
        div.title-row {
            h1 { (page.fields.name) }
            a href=(address) { (address) }
            @if may { div.actions {
                a.button.first href=(format!("{own}/incidents/new")) { "Tell of an incident" }
                a.button href=(format!("{own}/maintenance/new")) { "Plan maintenance" }
            } }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @for said in problems.above(&fields::NAMES) { (notice("bad", &html! { (said) })) }
        (panel("Incidents and maintenance", &incidents::table(&page.id, &told, &date_format)))
        (panel("Monitors", &monitors::draw(context, found, may).await?))
        @if may {
            div.grid {
                (panel("Settings", &settings.around(&fields::draw(form, problems))))
                (panel("Who follows it", &subscribers::draw(context, &page.id, &date_format).await?))
            }
            (panel("Delete", &confirm("Delete this status page…", "Its incidents and everybody who follows it are gone.", &format!("{own}/delete"), "Delete it", &html! {})))
        }
    })
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = UpdateBody {
        status_page_id: id.to_string(),
        said: fields::body(&sent),
    };
    let changed = context.ask(&pages::UPDATE, body).await;
    done(&context, &id, changed, Some(&sent)).await
}

/// The way back to the page, or the page with what is wrong.
pub(super) async fn done<O>(
    context: &PageContext,
    id: &str,
    outcome: Result<O, Fault>,
    sent: Option<&FormData>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", path(id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let page = found(context, id).await?;
            let form = sent
                .cloned()
                .unwrap_or_else(|| fields::form(&page.page.fields));
            let main = draw(context, &page, &form, &problems).await?;
            Ok(context.again(refused, Place::StatusPages, &page.page.fields.name, &main))
        }
    }
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let status_page_id = id.into_inner();
    context
        .ask(&pages::DELETE, IdBody { status_page_id })
        .await?;
    Ok(answer::see("/console/status-pages"))
}
