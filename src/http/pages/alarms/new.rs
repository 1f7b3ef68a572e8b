//! Making an alarm: first what it is about, then when it goes off and whom it tells.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Alarm, KINDS, fields, past, path};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            form::Sent,
            page, sent,
            visit::{Visit, told},
        },
        routes::Route,
    },
    pages::{
        frame::{Choice, Place},
        part::Form,
        problem::Problems,
    },
};

const TITLE: &str = "Make an alarm";
const PATH: &str = "/console/alarms/new";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page(PATH, |route| route.to(show)),
        sent(PATH, |route| route.to(make)),
    ]
}

/// Monitors of which an alarm can name some.
pub(super) async fn monitors(visit: &Visit) -> Result<Vec<Choice>, Fault> {
    let all: Vec<Value> = visit.ask("uptime", "listSchedules", json!({})).await?;
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let choice = |one: &Value| Choice {
        id: text(one, "id"),
        name: [text(one, "name"), text(one, "url"), text(one, "id")]
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_default(),
    };
    Ok(all.iter().map(choice).collect())
}

async fn show(visit: Visit) -> Result<HttpResponse, Fault> {
    let asked = visit.parameter("about");
    let known = KINDS.iter().find(|(kind, _)| *kind == asked);
    let kind = known.map_or(KINDS[0].0, |(kind, _)| kind);
    let main = draw(&visit, &fields::fresh(kind), &html! {}, &Problems::NONE).await?;
    Ok(visit.show(Place::Alarms, TITLE, &main))
}

async fn draw(
    visit: &Visit,
    sent: &Sent,
    news: &Markup,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let kind = sent.some("triggerType").unwrap_or(KINDS[0].0);
    let names = fields::names(kind);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let form = Form {
        action: PATH,
        send: "Make it",
        problems,
        fields: &names,
    };
    let websites = visit.websites();
    let monitors = monitors(visit).await?;
    let date_format = visit.date_format().await?;
    Ok(html! {
        div.title-row {
            h1 { (TITLE) }
            nav.tabs aria-label="What it is about" {
                @for (own, label) in KINDS {
                    a href=(format!("{PATH}?about={own}")) aria-current=[(own == kind).then_some("true")] { (label) }
                }
            }
        }
        (news)
        section.panel { (form.around(&fields::draw(sent, &websites, &monitors, &date_format, problems))) }
    })
}

async fn make(visit: Visit, sent: Sent) -> Result<HttpResponse, Fault> {
    match made(&visit, &sent).await {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&visit, &sent, &html! {}, &problems).await?;
            Ok(visit.again(refused, Place::Alarms, TITLE, &main))
        }
    }
}

async fn made(visit: &Visit, sent: &Sent) -> Result<HttpResponse, Fault> {
    if sent.is_on("backtest") {
        let news = past::played(visit, fields::body(sent)?).await?;
        let main = draw(visit, sent, &news, &Problems::NONE).await?;
        return Ok(visit.show(Place::Alarms, TITLE, &main));
    }
    let date_format = visit.date_format().await?;
    let may = visit.may(Permission::AlarmWrite);
    let body = Value::Object(fields::whole(sent, &date_format, may)?);
    let alarm: Alarm = visit.ask("alarms", "create", body).await?;
    let fresh = alarm.secrets();
    if fresh.0.is_empty() {
        return Ok(answer::see(&path(&alarm.id)));
    }
    let main = html! {
        div.title-row { h1 { "The alarm is made" } }
        (fresh)
        p { a.button href=(path(&alarm.id)) { "To the alarm" } }
    };
    Ok(visit.show(Place::Alarms, "The alarm is made", &main))
}
