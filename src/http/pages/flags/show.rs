//! One flag: switching it, its rules, what it is for somebody, its history.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Flag, explain, fields, history, list::switch, path};
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
        page("/console/flag/{flag}", |route| route.to(show)),
        sent("/console/flag/{flag}", |route| route.to(change)),
        sent("/console/flag/{flag}/switch", |route| route.to(turn)),
        sent("/console/flag/{flag}/delete", |route| route.to(delete)),
    ]
}

async fn found(context: &PageContext, id: &str) -> Result<Value, Fault> {
    context.ask("flags", "getById", json!({ "id": id })).await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let flag = found(&context, &id).await?;
    let (title, main) = draw(&context, &flag, &fields::form(&flag), &Problems::NONE).await?;
    Ok(context.show(Place::Flags, &title, &main))
}

async fn draw(
    context: &PageContext,
    found: &Value,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let flag = Flag::deserialize(found).map_err(Fault::internal)?;
    let date_format = context.date_format().await?;
    let may = context.may(Permission::FlagWrite);
    let own = path(&flag.id);
    let around = Form {
        action: &own,
        send: "Save",
        problems,
        fields: &fields::NAMES,
    };
    let main = html! {
        div.title-row {
            h1 { (flag.name.as_deref().unwrap_or(&flag.key)) }
            code { (flag.key) }
            (flag.stands())
            @if may && flag.status != "archived" { div.actions { (switch(&flag, "page")) } }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        p.lead { "It decides: " (flag.decides()) "." }
        div.grid {
            @if may || !problems.is_empty() { (panel("Settings", &around.around(&fields::draw(form, problems)))) }
            @else { (panel("Rules", &html! { pre { (fields::pretty(&found["rules"])) } })) }
            (panel("What it is for somebody", &explain::draw(context, &flag.id).await?))
        }
        (panel("History", &history::draw(context, &flag.id, &date_format).await?))
        @if may {
            (panel("Delete", &confirm("Delete this flag…", "Programs that ask for it are told that there is none.", &format!("{own}/delete"), "Delete it", &html! {})))
        }
    };
    Ok((flag.key.clone(), main))
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let changed: Result<Value, Fault> = async {
        let mut body = fields::body(&sent)?;
        body.insert("id".to_owned(), json!(*id));
        context.ask("flags", "update", Value::Object(body)).await
    }
    .await;
    let address = format!("{}?done=1", path(&id));
    done(&context, &id, changed, Some(&sent), &address).await
}

async fn turn(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "id": *id, "status": sent.text("status") });
    let turned: Result<Value, Fault> = context.ask("flags", "update", input).await;
    let address = if sent.text("from") == "list" {
        "/console/flags".to_owned()
    } else {
        path(&id)
    };
    done(&context, &id, turned, None, &address).await
}

/// What a change answers: the way to its result, or the page with what is wrong.
async fn done(
    context: &PageContext,
    id: &str,
    outcome: Result<Value, Fault>,
    sent: Option<&FormData>,
    address: &str,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(address)),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let flag = found(context, id).await?;
            let form = sent.cloned().unwrap_or_else(|| fields::form(&flag));
            let (title, main) = draw(context, &flag, &form, &problems).await?;
            Ok(context.again(refused, Place::Flags, &title, &main))
        }
    }
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let _: Value = context.ask("flags", "delete", json!({ "id": *id })).await?;
    Ok(answer::see("/console/flags"))
}
