//! One monitor: how it stands, its past, its settings.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{History, Monitor, fields, past, path};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            daily::Daily,
            form::FormData,
            page, sent,
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

async fn found(context: &PageContext, id: &str) -> Result<Value, Fault> {
    context
        .ask("uptime", "getSchedule", json!({ "scheduleId": id }))
        .await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let monitor = found(&context, &id).await?;
    let form = fields::form(&monitor, &context.date_format().await?);
    let (title, main) = draw(&context, &monitor, &form, &Problems::NONE).await?;
    Ok(context.show(Place::Monitors, &title, &main))
}

async fn draw(
    context: &PageContext,
    found: &Value,
    form: &FormData,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let monitor = Monitor::deserialize(found).map_err(Fault::internal)?;
    let date_format = context.date_format().await?;
    let daily = Daily::asked(context, &date_format);
    let input = json!({ "scheduleId": monitor.id, "days": daily.count });
    let history: History = context.ask("uptime", "getScheduleHistory", input).await?;
    let own = path(&monitor.id);
    let may = context.may(Permission::MonitorWrite);
    let times = past::times(context, &monitor.id, &daily, &date_format).await;
    let main = html! {
        div.title-row {
            h1 { (monitor.name()) }
            (monitor.stands())
            div.actions {
                (daily.tabs(&own))
                @if may {
                    @if monitor.kind != "push" { (button(&format!("{own}/check"), "Check now")) }
                    @if monitor.is_paused { (button(&format!("{own}/resume"), "Go on")) }
                    @else { (button(&format!("{own}/pause"), "Pause")) }
                }
            }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        @for said in problems.above(&fields::NAMES) { (notice("bad", &html! { (said) })) }
        div.grid {
            (panel("Now", &now(&monitor, &found["lastCheck"], &date_format, context.shared().clock.now_ms())))
            @if found["lastCheck"].is_object() { (panel("Where the last check spent its time", &past::phases(&found["lastCheck"]))) }
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
    Ok((monitor.name().to_owned(), main))
}

fn now(monitor: &Monitor, last: &Value, date_format: &DateFormat, now_ms: i64) -> Markup {
    let text = |name: &str| last[name].as_str();
    html! {
        dl.facts {
            dt { "Stands" } dd { (monitor.stands()) }
            @if let Some(at) = monitor.since.as_deref().and_then(moment) { dt { "Since" } dd { (time(at, &date_format.moment(at), date_format)) " (" (ago(at, now_ms)) ")" } }
            dt { "Watches" } dd { @match monitor.address() { Some(url) => { @if !url.starts_with(&format!("{}:", monitor.kind)) { (monitor.kind) " " } (url) }, None => (monitor.kind) } }
            @if let Some(at) = monitor.last_checked_at.as_deref().and_then(moment) { dt { "Checked" } dd { (time(at, &ago(at, now_ms), date_format)) } }
            @if let Some(code) = last["httpCode"].as_u64().filter(|code| *code > 0) { dt { "Status" } dd { (code) } }
            @if let Some(address) = text("address") { dt { "Reached at" } dd { (address) } }
            @if let Some(at) = text("sslExpiry").and_then(moment) {
                dt { "Certificate until" }
                dd { (time(at, &date_format.date(at), date_format)) @if last["sslValid"] == false { " " span.state.bad { "not to be trusted" } } }
            }
            @if let Some(error) = text("error") { dt { "Error" } dd { (error) } }
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
    let kind = monitor["kind"].as_str().unwrap_or("http");
    let changed: Result<Value, Fault> = async {
        let mut body = fields::body(&sent, kind, &context.date_format().await?)?;
        body.insert("scheduleId".to_owned(), json!(*id));
        let body = Value::Object(body);
        context.ask("uptime", "updateSchedule", body).await
    }
    .await;
    done(&context, &id, changed, Some(&sent)).await
}

/// The page with its news, or with what is wrong.
async fn done(
    context: &PageContext,
    id: &str,
    outcome: Result<Value, Fault>,
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
            let mut form = fields::form(&monitor, &context.date_format().await?);
            if let Some(sent) = sent {
                form = sent
                    .clone()
                    .and("kind", monitor["kind"].as_str().unwrap_or_default());
            }
            let (title, main) = draw(context, &monitor, &form, &problems).await?;
            Ok(context.again(refused, Place::Monitors, &title, &main))
        }
    }
}

async fn check(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome: Result<Value, Fault> = context
        .ask("uptime", "manualCheck", json!({ "scheduleId": *id }))
        .await;
    done(&context, &id, outcome, None).await
}

async fn pause(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome: Result<Value, Fault> = context
        .ask("uptime", "pauseSchedule", json!({ "scheduleId": *id }))
        .await;
    done(&context, &id, outcome, None).await
}

async fn resume(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome: Result<Value, Fault> = context
        .ask("uptime", "resumeSchedule", json!({ "scheduleId": *id }))
        .await;
    done(&context, &id, outcome, None).await
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let _: Value = context
        .ask("uptime", "deleteSchedule", json!({ "scheduleId": *id }))
        .await?;
    Ok(answer::see("/console/monitors"))
}
