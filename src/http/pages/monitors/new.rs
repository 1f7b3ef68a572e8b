//! Making a monitor.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::json;

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
        procedures::{uptime, uptime_wire::BriefOut},
        routes::Route,
    },
    pages::{frame::Place, part::Form, problem::Problems, time::DateFormat},
};

const TITLE: &str = "Watch something";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/monitors/new", |route| route.to(show)),
        sent("/console/monitors/new", |route| route.to(make)),
    ]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let main = draw(&context, &fields::fresh(), &date_format, &Problems::NONE);
    Ok(context.show(Place::Monitors, TITLE, &main))
}

fn draw(
    context: &PageContext,
    sent: &FormData,
    date_format: &DateFormat,
    problems: &Problems,
) -> Markup {
    let form = Form {
        action: "/console/monitors/new",
        send: "Watch it",
        problems,
        fields: &fields::NAMES,
    };
    let websites = context.websites();
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&fields::draw(sent, true, (&websites, date_format), problems))) }
    }
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let kind = sent.some("kind").unwrap_or("http");
    let date_format = context.date_format().await?;
    let made: Result<BriefOut, Fault> = async {
        let mut said = fields::body(&sent, kind, &date_format)?;
        said.insert("kind".to_owned(), json!(kind));
        let body = uptime::CreateBody {
            organization_id: None,
            said,
        };
        context.ask(&uptime::CREATE_SCHEDULE, body).await
    }
    .await;
    match made {
        Ok(made) => Ok(answer::see(&path(&made.schedule_id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            Ok(context.again(
                refused,
                Place::Monitors,
                TITLE,
                &draw(&context, &sent, &date_format, &problems),
            ))
        }
    }
}
