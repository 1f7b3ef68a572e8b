//! One monitor: how it stands, its past, its settings.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};

use super::{address, fields, monitor_name, past, path, standing};
use crate::{
    access::Permission,
    actors::monitors::Kind,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            daily::Daily,
            form::FormData,
            page, sent,
        },
        procedures::{
            uptime::{self, HistoryBody, IdBody},
            uptime_wire::{CheckOut, ScheduleOut, WholeOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Form, button, confirm, copied, notice, panel, time},
        problem::Problems,
        time::{DateFormat, ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/monitor/{monitor}", |route| route.to(show)),
        sent("/console/monitor/{monitor}", |route| route.to(change)),
        sent("/console/monitor/{monitor}/check", |route| route.to(check)),
        sent("/console/monitor/{monitor}/pause", |route| route.to(pause)),
        sent("/console/monitor/{monitor}/resume", |route| {
            route.to(resume)
        }),
        sent("/console/monitor/{monitor}/delete", |route| {
            route.to(delete)
        }),
    ]
}

fn named(id: &str) -> IdBody {
    IdBody {
        schedule_id: id.to_owned(),
    }
}

async fn found(context: &PageContext, id: &str) -> Result<WholeOut, Fault> {
    context.ask(&uptime::GET_SCHEDULE, named(id)).await
}

async fn form(context: &PageContext, monitor: &WholeOut) -> Result<FormData, Fault> {
    let fields = serde_json::to_value(&monitor.schedule.fields).map_err(Fault::internal)?;
    Ok(fields::form(&fields, &context.date_format().await?))
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let monitor = found(&context, &id).await?;
    let form = form(&context, &monitor).await?;
    let (title, main) = draw(&context, &monitor, &form, &Problems::NONE).await?;
    Ok(context.show(Place::Monitors, &title, &main))
}

async fn draw(
    context: &PageContext,
    found: &WholeOut,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let monitor = &found.schedule;
    let date_format = context.date_format().await?;
    let daily = Daily::asked(context, &date_format);
    let body = HistoryBody {
        schedule_id: monitor.id.clone(),
        days: daily.count,
    };
    let history = context.ask(&uptime::GET_SCHEDULE_HISTORY, body).await?;
    let own = path(&monitor.id);
    let may = context.may(Permission::MonitorWrite);
    let times = past::times(context, &monitor.id, &daily, &date_format).await;
    let main = html! {
        div.title-row {
            h1 { (monitor_name(monitor)) }
            (standing(monitor))
            div.actions {
                (daily.tabs(&own))
                @if may {
                    @if monitor.fields.kind != Kind::Push { (button(&format!("{own}/check"), "Check now")) }
                    @if monitor.is_paused { (button(&format!("{own}/resume"), "Go on")) }
                    @else { (button(&format!("{own}/pause"), "Pause")) }
                }
            }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @for said in problems.above(&fields::NAMES) { (notice("bad", &html! { (said) })) }
        div.grid {
            (panel("Now", &now(monitor, found.last_check.as_ref(), &date_format, context.shared().clock.now_ms())))
            @if let Some(check) = &found.last_check { (panel("Where the last check spent its time", &past::phases(check))) }
        }
        (panel("Uptime", &past::uptime(&history, &daily)))
        (panel("Response times (median)", &times))
        (panel("Changes", &past::changes(&history, &date_format)))
        @if may {
            div.grid {
                (panel("Settings", &settings(context, &own, (form, &date_format), problems)))
                (panel("Delete", &confirm("Delete this monitor…", "It is not checked any more; its checks stay.", &format!("{own}/delete"), "Delete it", &html! {})))
            }
        }
    };
    Ok((monitor_name(monitor).to_owned(), main))
}

fn now(
    monitor: &ScheduleOut,
    last: Option<&CheckOut>,
    date_format: &DateFormat,
    now_ms: i64,
) -> Markup {
    let kind = monitor.fields.kind.as_str();
    html! {
        dl.facts {
            dt { "Stands" } dd { (standing(monitor)) }
            @if let Some(at) = monitor.since.as_deref().and_then(moment) { dt { "Since" } dd { (time(at, &date_format.moment(at), date_format)) " (" (ago(at, now_ms)) ")" } }
            dt { "Watches" } dd { @match address(monitor) { Some(url) => { @if !url.starts_with(&format!("{kind}:")) { (kind) " " } (url) }, None => (kind) } }
            @if let Some(at) = monitor.last_checked_at.as_deref().and_then(moment) { dt { "Checked" } dd { (time(at, &ago(at, now_ms), date_format)) } }
            @if let Some(last) = last {
                @if last.http_code > 0 { dt { "Status" } dd { (last.http_code) } }
                @if let Some(address) = &last.address { dt { "Reached at" } dd { (address) } }
                @if let Some(at) = last.ssl_expiry.as_deref().and_then(moment) {
                    dt { "Certificate until" }
                    dd { (time(at, &date_format.date(at), date_format)) @if last.ssl_valid == Some(false) { " " span.state.bad { "not to be trusted" } } }
                }
                @if let Some(error) = &last.error { dt { "Error" } dd { (error) } }
            }
        }
        @if let Some(url) = &monitor.push_url {
            p { "The program calls this address when it is well; with " code { "/start" } " and " code { "/fail" } " behind it, when it begins and when it fails:" }
            (copied("Address to call", url))
        }
    }
}

fn settings(
    context: &PageContext,
    action: &str,
    (sent, date_format): (&FormData, &DateFormat),
    problems: &Problems,
) -> Markup {
    // What no field is there for is said above the page.
    let own = Form {
        action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &fields::NAMES,
    };
    let websites = context.websites();
    own.around(&fields::draw(
        sent,
        false,
        (&websites, date_format),
        problems,
    ))
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let monitor = found(&context, &id).await?;
    let kind = monitor.schedule.fields.kind.as_str();
    let changed = async {
        let body = uptime::UpdateBody {
            schedule_id: id.to_string(),
            fields: fields::body(&sent, kind, &context.date_format().await?)?,
        };
        context.ask(&uptime::UPDATE_SCHEDULE, body).await
    }
    .await;
    done(&context, &id, changed, Some(&sent)).await
}

/// The page with its news, or with what is wrong.
async fn done<O>(
    context: &PageContext,
    id: &str,
    outcome: Result<O, Fault>,
    sent: Option<&FormData>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(&format!(
            "{}{}",
            path(id),
            if sent.is_some() { "?done=1" } else { "" }
        ))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let monitor = found(context, id).await?;
            let kind = monitor.schedule.fields.kind.as_str();
            let form = match sent {
                Some(sent) => sent.clone().and("kind", kind),
                None => form(context, &monitor).await?,
            };
            let (title, main) = draw(context, &monitor, &form, &problems).await?;
            Ok(context.again(refused, Place::Monitors, &title, &main))
        }
    }
}

async fn check(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome = context.ask(&uptime::MANUAL_CHECK, named(&id)).await;
    done(&context, &id, outcome, None).await
}

async fn pause(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome = context.ask(&uptime::PAUSE_SCHEDULE, named(&id)).await;
    done(&context, &id, outcome, None).await
}

async fn resume(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome = context.ask(&uptime::RESUME_SCHEDULE, named(&id)).await;
    done(&context, &id, outcome, None).await
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&uptime::DELETE_SCHEDULE, named(&id)).await?;
    Ok(answer::see("/console/monitors"))
}
