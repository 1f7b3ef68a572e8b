//! Making an alarm: first what it is about, then when it goes off and whom it tells.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{KINDS, backtest, fields, new_secrets, path};
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
        procedures::{alarms, uptime, uptime_wire::ScheduleOut},
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
pub(super) async fn monitors(context: &PageContext) -> Result<Vec<Choice>, Fault> {
    let all = context.ask(&uptime::LIST_SCHEDULES, uptime::ListBody::default());
    let choice = |monitor: ScheduleOut| {
        let fields = monitor.fields;
        let names = [fields.name, fields.url, Some(monitor.id.clone())];
        let name = names.into_iter().flatten().find(|name| !name.is_empty());
        Choice {
            id: monitor.id,
            name: name.unwrap_or_default(),
        }
    };
    Ok(all.await?.into_iter().map(choice).collect())
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let asked = context.parameter("about");
    let known = KINDS.iter().find(|(kind, _)| *kind == asked);
    let kind = known.map_or(KINDS[0].0, |(kind, _)| kind);
    let main = draw(&context, &fields::fresh(kind)?, &html! {}, &Problems::NONE).await?;
    Ok(context.show(Place::Alarms, TITLE, &main))
}

async fn draw(
    context: &PageContext,
    sent: &FormData,
    news: &Markup,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let kind = sent.some("triggerType").unwrap_or(KINDS[0].0);
    let names = fields::names(kind);
    let form = Form {
        action: PATH,
        send: "Make it",
        problems,
        fields: &names,
    };
    let monitors = monitors(context).await?;
    let date_format = context.date_format().await?;
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
        section.panel { (form.around(&fields::draw(sent, context.websites(), monitors, &date_format, problems))) }
    })
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    match create(&context, &sent).await {
        Ok(answer) => Ok(answer),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&context, &sent, &html! {}, &problems).await?;
            Ok(context.again(refused, Place::Alarms, TITLE, &main))
        }
    }
}

async fn create(context: &PageContext, sent: &FormData) -> Result<HttpResponse, Fault> {
    if sent.is_on("backtest") {
        let news = backtest::run_backtest(context, fields::body(sent)?).await?;
        let main = draw(context, sent, &news, &Problems::NONE).await?;
        return Ok(context.show(Place::Alarms, TITLE, &main));
    }
    let date_format = context.date_format().await?;
    let may = context.may(Permission::AlarmWrite);
    let body = fields::whole(sent, &date_format, may)?;
    let alarm = context.submit(&alarms::CREATE, body).await?;
    let Some(fresh) = new_secrets(&alarm) else {
        return Ok(answer::see(&path(&alarm.id)));
    };
    let main = html! {
        div.title-row { h1 { "The alarm is made" } }
        (fresh)
        p { a.button href=(path(&alarm.id)) { "To the alarm" } }
    };
    Ok(context.show(Place::Alarms, "The alarm is made", &main))
}
