//! One goal or funnel: what came of it, and its settings.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{fields, kind::Kind, outcome};
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
                days::{PeriodQuery, bar, chosen},
                website,
            },
        },
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

/// What is saved, if it is the website's.
async fn found(context: &PageContext, kind: Kind, ids: &(String, String)) -> Result<Value, Fault> {
    let website = website(context, &ids.0).await?;
    let input = json!({ "id": ids.1 });
    let saved: Value = context.ask(kind.router(), "getById", input).await?;
    if saved["websiteId"] == json!(website.id) {
        Ok(saved)
    } else {
        Err(Fault::not_found(kind.one(), ids.1.as_str()))
    }
}

async fn show(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let kind = Kind::of(&context);
    let path = kind.path_of(&ids.0, &ids.1);
    if let Some(address) = chosen(context.request.query_string(), &path, &[]) {
        return Ok(answer::see(&address));
    }
    let saved = found(&context, kind, &ids).await?;
    let form = fields::form(&saved);
    let (title, main) = draw(&context, kind, &ids, &saved, &form, &Problems::NONE).await?;
    Ok(context.show_site(kind.place(), &ids.0, &title, &main))
}

async fn draw(
    context: &PageContext,
    kind: Kind,
    ids: &(String, String),
    saved: &Value,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let path = kind.path_of(&ids.0, &ids.1);
    let title = saved["name"].as_str().unwrap_or_default().to_owned();
    let query = context.request.query_string();
    let asked = PeriodQuery::read(
        query,
        &[],
        context.date_format().await?,
        context.shared().clock.now_ms(),
    );
    let around = Form {
        action: &path,
        send: "Save",
        problems,
        fields: &fields::NAMES,
    };
    let main = html! {
        div.title-row { h1 { (title) } @if saved["isActive"] == false { span.state { "not in use" } } }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @for said in asked.problems.above(&[]) { (notice("bad", &html! { (said) })) }
        (bar(&asked, &path, false))
        (outcome::draw(context, kind, &ids.0, &ids.1, &asked).await?)
        @if context.may(Permission::WebsiteConfigure) {
            (panel("Settings", &around.around(&fields::draw(kind, form, false, problems))))
            (panel("Delete", &confirm(&format!("Delete this {}…", kind.one()), "Its numbers are made of events, which stay.", &format!("{path}/delete"), "Delete it", &html! {})))
        }
    };
    Ok((title, main))
}

async fn change(context: PageContext, ids: Ids, sent: FormData) -> Result<HttpResponse, Fault> {
    let kind = Kind::of(&context);
    let saved = found(&context, kind, &ids).await?;
    let changed: Result<Value, Fault> = async {
        let mut body = fields::body(kind, &sent, false)?;
        body.insert("id".to_owned(), json!(ids.1));
        context
            .ask(kind.router(), "update", Value::Object(body))
            .await
    }
    .await;
    match changed {
        Ok(_) => Ok(answer::see(&format!(
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
    let kind = Kind::of(&context);
    found(&context, kind, &ids).await?;
    let _: Value = context
        .ask(kind.router(), "delete", json!({ "id": ids.1 }))
        .await?;
    Ok(answer::see(&kind.path(&ids.0)))
}
