//! Making a status page.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{fields, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::status_page::{bodies::CreateBody, pages},
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
    let body = CreateBody {
        organization_id: None,
        said: fields::body(&sent),
    };
    match context.ask(&pages::CREATE, body).await {
        Ok(made) => Ok(answer::see(&path(&made.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&sent, &problems);
            Ok(context.again(refused, Place::StatusPages, TITLE, &main))
        }
    }
}
