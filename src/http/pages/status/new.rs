//! Making a status page.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::Value;

use super::{Page, fields, path};
use crate::{
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
    pages::{frame::Place, part::Form, problem::Problems},
};

const TITLE: &str = "Make a status page";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/status-pages/new", |route| route.to(show)),
        sent("/console/status-pages/new", |route| route.to(make)),
    ]
}

async fn show(context: PageContext) -> HttpResponse {
    let main = draw(&FormData::default(), &Problems::NONE);
    context.show(Place::StatusPages, TITLE, &main)
}

fn draw(sent: &FormData, problems: &Problems) -> Markup {
    let form = Form {
        action: "/console/status-pages/new",
        send: "Make it",
        problems,
        fields: &fields::NAMES,
    };
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&fields::draw(sent, problems))) }
    }
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let body = Value::Object(fields::body(&sent));
    let made: Result<Page, Fault> = context.ask("statusPage", "create", body).await;
    match made {
        Ok(made) => Ok(answer::see(&path(&made.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&sent, &problems);
            Ok(context.again(refused, Place::StatusPages, TITLE, &main))
        }
    }
}
