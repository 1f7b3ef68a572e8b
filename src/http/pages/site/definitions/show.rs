//! One goal or funnel: what came of it, and its settings.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{conversion, fields, kind::Kind};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
            site::{
                period::{PeriodQuery, bar, filtered_address},
                website,
            },
        },
        procedures::{bodies::IdBody, definitions::Update, funnels, goals},
        routes::Route,
    },
    pages::{
        part::{Form, confirm, notice, panel},
        problem::Problems,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let (goal, funnel) = (
        "/console/site/{id}/goal/{goal}",
        "/console/site/{id}/funnel/{funnel}",
    );
    vec![
        page(goal, |route| route.to(show)),
        sent(goal, |route| route.to(change)),
        sent("/console/site/{id}/goal/{goal}/delete", |route| {
            route.to(delete)
        }),
        page(funnel, |route| route.to(show)),
        sent(funnel, |route| route.to(change)),
        sent("/console/site/{id}/funnel/{funnel}/delete", |route| {
            route.to(delete)
        }),
    ]
}

/// A website's id, and that of what is saved of it.
type Ids = web::Path<(String, String)>;

/// What is shown of a goal or a funnel.
struct Saved {
    name: String,
    is_active: bool,
    form: FormData,
}

/// What is saved, if it is the website's.
async fn load(context: &PageContext, kind: Kind, ids: &(String, String)) -> Result<Saved, Fault> {
    let website = website(context, &ids.0).await?;
    let body = IdBody { id: ids.1.clone() };
    let (site, value, name, is_active) = match kind {
        Kind::Goal => {
            let goal = context.ask(&goals::GET_BY_ID, body).await?;
            let (site, goal) = (goal.website_id, goal.fields);
            (site, serde_json::to_value(&goal), goal.name, goal.is_active)
        }
        Kind::Funnel => {
            let funnel = context.ask(&funnels::GET_BY_ID, body).await?;
            let (site, funnel) = (funnel.website_id, funnel.listed);
            let value = serde_json::to_value(&funnel);
            (site, value, funnel.name, funnel.is_active)
        }
    };
    let saved = Saved {
        name,
        is_active,
        form: fields::form(&value.map_err(Fault::internal)?),
    };
    if site == website.id {
        Ok(saved)
    } else {
        Err(Fault::not_found(kind.one(), ids.1.as_str()))
    }
}

async fn show(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let kind = Kind::from_route(&context);
    let path = kind.path_of(&ids.0, &ids.1);
    if let Some(address) = filtered_address(context.request.query_string(), &path, &[]) {
        return Ok(answer::see(&address));
    }
    let saved = load(&context, kind, &ids).await?;
    let (title, main) = draw(&context, kind, &ids, &saved, &saved.form, &Problems::NONE).await?;
    Ok(context.show_site(kind.place(), &ids.0, &title, &main))
}

async fn draw(
    context: &PageContext,
    kind: Kind,
    ids: &(String, String),
    saved: &Saved,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let path = kind.path_of(&ids.0, &ids.1);
    let asked = PeriodQuery::load(context, &[]).await?;
    let around = Form {
        action: &path,
        send: "Save",
        problems,
        fields: &fields::NAMES,
    };
    let main = html! {
        div.title-row { h1 { (saved.name) } @if !saved.is_active { span.state { "not in use" } } }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @for said in asked.problems.above(&[]) { (notice("bad", &html! { (said) })) }
        (bar(&asked, &path, false, &[]))
        (conversion::draw(context, kind, &ids.0, &ids.1, &asked).await?)
        @if context.may(Permission::WebsiteConfigure) {
            (panel("Settings", &around.around(&fields::draw(kind, form, false, problems))))
            (panel("Delete", &confirm(&format!("Delete this {}…", kind.one()), "Its numbers are made of events, which stay.", &format!("{path}/delete"), "Delete it", &html! {})))
        }
    };
    Ok((saved.name.clone(), main))
}

async fn change(context: PageContext, ids: Ids, sent: FormData) -> Result<HttpResponse, Fault> {
    let kind = Kind::from_route(&context);
    let saved = load(&context, kind, &ids).await?;
    let changed: Result<(), Fault> = async {
        let (id, fields) = (ids.1.clone(), fields::body(kind, &sent, false)?);
        match kind {
            Kind::Goal => {
                let body = Update {
                    id,
                    fields: fields.into(),
                };
                context.ask(&goals::UPDATE, body).await.map(drop)
            }
            Kind::Funnel => {
                let body = Update {
                    id,
                    fields: fields.into(),
                };
                context.ask(&funnels::UPDATE, body).await.map(drop)
            }
        }
    }
    .await;
    match changed {
        Ok(()) => Ok(answer::see(&format!(
            "{}?done=1",
            kind.path_of(&ids.0, &ids.1)
        ))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let (title, main) = draw(&context, kind, &ids, &saved, &sent, &problems).await?;
            Ok(context.again_site(refused, kind.place(), &ids.0, &title, &main))
        }
    }
}

async fn delete(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let kind = Kind::from_route(&context);
    load(&context, kind, &ids).await?;
    let body = IdBody { id: ids.1.clone() };
    match kind {
        Kind::Goal => context.ask(&goals::DELETE, body).await?,
        Kind::Funnel => context.ask(&funnels::DELETE, body).await?,
    };
    Ok(answer::see(&kind.path(&ids.0)))
}
