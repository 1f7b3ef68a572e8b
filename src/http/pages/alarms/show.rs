//! One alarm: how it stands, its settings, trying it out.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Alarm, fields, log, new::monitors, past, path};
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
        number,
        part::{Form, button, confirm, copied, hidden, notice, panel, time},
        problem::Problems,
        time::{DateFormat, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/alarm/{alarm}", |route| route.to(show)),
        sent("/console/alarm/{alarm}", |route| route.to(change)),
        sent("/console/alarm/{alarm}/test", |route| route.to(test)),
        sent("/console/alarm/{alarm}/acknowledge", |route| {
            route.to(acknowledge)
        }),
        sent("/console/alarm/{alarm}/rotate", |route| route.to(rotate)),
        sent("/console/alarm/{alarm}/delete", |route| route.to(delete)),
    ]
}

async fn found(context: &PageContext, id: &str) -> Result<Value, Fault> {
    context.ask("alarms", "get", json!({ "alarmId": id })).await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let (title, main) = draw(&context, &id, &html! {}, None, &Problems::NONE).await?;
    Ok(context.show(Place::Alarms, &title, &main))
}

/// The page, with its news and with what was typed.
async fn draw(
    context: &PageContext,
    id: &str,
    news: &Markup,
    sent: Option<&FormData>,
    problems: &Problems,
) -> Result<(String, Markup), Fault> {
    let found = found(context, id).await?;
    let alarm = Alarm::deserialize(&found).map_err(Fault::internal)?;
    let date_format = context.date_format().await?;
    let own = path(id);
    let below = |last: &str| format!("{own}/{last}");
    let may = context.may(Permission::AlarmWrite);
    let names = fields::names(&alarm.trigger_type);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // What no field is there for is said above the page.
    let form = Form {
        action: &own,
        send: "Save",
        problems: &Problems::NONE,
        fields: &names,
    };
    let shown = sent
        .cloned()
        .unwrap_or_else(|| fields::form(&found, &date_format));
    let websites = context.websites();
    let main = html! {
        div.title-row {
            h1 { (alarm.name) }
            (alarm.stands())
            @if may { div.actions { (button(&below("test"), "Send a test")) } }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Done." })) }
        @for said in problems.above(&names) { (notice("bad", &html! { (said) })) }
        (news)
        (panel("Now", &standings(&alarm, &own, may, &date_format)))
        (panel("Messages", &log::draw(context, &alarm, may, &date_format).await?))
        @if may {
            div.grid {
                (panel("Settings", &form.around(&fields::draw(&shown, &websites, &monitors(context).await?, &date_format, problems))))
                (panel("Secrets and end", &html! { div.rows {
                    @for to in alarm.destinations.iter().filter(|to| to.kind == "webhook") {
                        (confirm(&format!("New secret for {}…", to.identifier), "For a day messages are signed with both. The new one is shown once.", &below("rotate"), "Make a new secret", &hidden("destination", &to.id)))
                    }
                    (confirm("Delete this alarm…", "Who was told that it goes off is told that it is over.", &below("delete"), "Delete it", &html! {}))
                } }))
            }
        }
    };
    Ok((alarm.name.clone(), main))
}

fn standings(alarm: &Alarm, own: &str, may: bool, date_format: &DateFormat) -> Markup {
    html! {
        @if alarm.standings.is_empty() { p.dim { "It has seen nothing to go off about." } }
        @else {
            table.table.sites {
                caption.hide { "How it stands about each thing" }
                thead { tr { th scope="col" { "What" } th scope="col" { "Stands" } th scope="col" { "Since" } th scope="col" { span.hide { "Take care" } } } }
                tbody { @for one in &alarm.standings { tr {
                    td { span.name { @if one.name.is_empty() { (alarm.name) } @else { (one.name) } } span.dim { (date_format.spoken(&one.evidence)) } }
                    td { (one.stands()) }
                    td data-label="Since" { @match one.since.as_deref().and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { (number::NONE) } } }
                    td { @if may && one.rings() && !one.acknowledged {
                        form.plain method="post" action=(format!("{own}/acknowledge")) {
                            (hidden("subject", &one.subject))
                            button.button.small type="submit" { "I take care of it" }
                        }
                    } }
                } } }
            }
        }
        @for to in &alarm.destinations { @if let Some(why) = &to.disabled {
            (notice("warn", &html! { "Nothing is sent to " (to.kind) " " (to.identifier) " any more: " (why) ". Save the settings to try again." }))
        } }
    }
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome = changed(&context, &id, &sent).await;
    done(&context, &id, outcome, Some(&sent)).await
}

/// Shows what the settings would have done, or takes them.
async fn changed(
    context: &PageContext,
    id: &str,
    sent: &FormData,
) -> Result<Option<HttpResponse>, Fault> {
    if sent.is_on("backtest") {
        let news = past::played(context, fields::body(sent)?).await?;
        let (title, main) = draw(context, id, &news, Some(sent), &Problems::NONE).await?;
        return Ok(Some(context.show(Place::Alarms, &title, &main)));
    }
    let date_format = context.date_format().await?;
    let mut body = fields::whole(sent, &date_format, context.may(Permission::AlarmWrite))?;
    body.insert("alarmId".to_owned(), json!(id));
    let alarm: Alarm = context.ask("alarms", "update", Value::Object(body)).await?;
    let fresh = alarm.secrets();
    if fresh.0.is_empty() {
        return Ok(None);
    }
    let (title, main) = draw(context, id, &fresh, None, &Problems::NONE).await?;
    Ok(Some(context.show(Place::Alarms, &title, &main)))
}

/// The answer that there is, the way back to the page, or the page with what is wrong.
pub(super) async fn done(
    context: &PageContext,
    id: &str,
    outcome: Result<Option<HttpResponse>, Fault>,
    sent: Option<&FormData>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Ok(answer::see(&format!("{}?done=1", path(id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let (title, main) = draw(context, id, &html! {}, sent, &problems).await?;
            Ok(context.again(refused, Place::Alarms, &title, &main))
        }
    }
}

/// What a test came to.
#[derive(Deserialize)]
struct Tests {
    results: Vec<Tried>,
}

#[derive(Deserialize)]
struct Tried {
    success: bool,
    channel: String,
    error: Option<String>,
}

async fn test(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome = tested(&context, &id).await.map(Some);
    done(&context, &id, outcome, None).await
}

async fn tested(context: &PageContext, id: &str) -> Result<HttpResponse, Fault> {
    let tests: Tests = context
        .ask("alarms", "test", json!({ "alarmId": id }))
        .await?;
    let news = html! {
        @for one in &tests.results {
            @if one.success { (notice("good", &html! { (one.channel) ": the test arrived." })) }
            @else { (notice("bad", &html! { (one.channel) ": " (one.error.as_deref().unwrap_or("it did not arrive")) })) }
        }
    };
    let (title, main) = draw(context, id, &news, None, &Problems::NONE).await?;
    Ok(context.show(Place::Alarms, &title, &main))
}

async fn acknowledge(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "alarmId": *id, "subject": sent.some("subject") });
    let outcome: Result<Value, Fault> = context.ask("alarms", "acknowledge", input).await;
    done(&context, &id, outcome.map(|_| None), None).await
}

/// A secret that was just made.
#[derive(Deserialize)]
struct Fresh {
    secret: String,
}

async fn rotate(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome = rotated(&context, &id, sent.text("destination"))
        .await
        .map(Some);
    done(&context, &id, outcome, None).await
}

async fn rotated(
    context: &PageContext,
    id: &str,
    destination: &str,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "alarmId": id, "destinationId": destination });
    let fresh: Fresh = context.ask("alarms", "rotateSecret", input).await?;
    let news = html! {
        (notice("good", &html! { p { strong { "This is the new secret. " } "Nobody can see it again: put it where it is needed, now." } }))
        section.panel { (copied("Secret of the webhook", &fresh.secret)) }
    };
    let (title, main) = draw(context, id, &news, None, &Problems::NONE).await?;
    Ok(context.show(Place::Alarms, &title, &main))
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let _: Value = context
        .ask("alarms", "delete", json!({ "alarmId": *id }))
        .await?;
    Ok(answer::see("/console/alarms"))
}
