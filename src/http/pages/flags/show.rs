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
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::flags::{self, ScopeBody, shapes::FlagOut},
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

async fn found(context: &PageContext, id: &str) -> Result<FlagOut, Fault> {
    let input = flags::ScopedIdBody {
        id: id.to_owned(),
        scope: ScopeBody::default(),
    };
    context.ask(&flags::GET_BY_ID, input).await
}

/// The form with what the flag is.
fn filled(flag: &FlagOut) -> Result<FormData, Fault> {
    let whole = serde_json::to_value(flag).map_err(Fault::internal)?;
    Ok(fields::form(&whole))
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let flag = found(&context, &id).await?;
    let (title, main) = draw(&context, &flag, &filled(&flag)?, &Problems::NONE).await?;
    Ok(context.show(Place::Flags, &title, &main))
}

async fn draw(
    context: &PageContext,
    flag: &FlagOut,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
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
            (draw_status(flag))
            @if may && flag.status != Status::Archived { div.actions { (switch(flag, "page")) } }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        p.lead { "It decides: " (describe_decision(flag)) "." }
        div.grid {
            @if may || !problems.is_empty() { (panel("Settings", &around.around(&fields::draw(form, problems)))) }
            @else { (panel("Rules", &html! { pre { (fields::pretty(&flag.rules)) } })) }
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
    let changed = async {
        let input = flags::UpdateBody {
            id: id.to_string(),
            patch: fields::body(&sent)?,
        };
        context.ask(&flags::UPDATE, input).await
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
    let status = ("status".to_owned(), json!(sent.text("status")));
    let input = flags::UpdateBody {
        id: id.to_string(),
        patch: [status].into_iter().collect(),
    };
    let turned = context.ask(&flags::UPDATE, input).await;
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
    outcome: Result<FlagOut, Fault>,
    sent: Option<&FormData>,
    address: &str,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(address)),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let flag = found(context, id).await?;
            let form = sent.cloned().map_or_else(|| filled(&flag), Ok)?;
            let (title, main) = draw(context, &flag, &form, &problems).await?;
            Ok(context.again(refused, Place::Flags, &title, &main))
        }
    }
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let id = id.into_inner();
    context.ask(&flags::DELETE, flags::IdBody { id }).await?;
    Ok(answer::see("/console/flags"))
}
