//! One alarm: how it stands, its settings, trying it out.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::json;

use super::{backtest, deliveries, fields, new::monitors, new_secrets, path, state};
use crate::{
    access::Permission,
    actors::{alarms::Phase, delivery::ChannelKind},
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::{
            alarms::{self, AcknowledgeBody, AlarmIdBody, RotateBody},
            alarms_wire::{AlarmOut, StandingOut},
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

pub(super) fn alarm_id(id: &str) -> AlarmIdBody {
    AlarmIdBody {
        alarm_id: id.to_owned(),
    }
}

/// How an alarm stands about a thing, in a word.
fn draw_standing(standing: &StandingOut) -> Markup {
    let (class, word) = match standing.status {
        Phase::Firing => ("bad", "is going off"),
        Phase::Recovering => ("warn", "about to end"),
        Phase::Pending => ("warn", "about to go off"),
        Phase::Quiet => ("good", "quiet"),
    };
    html! { span class={ "state " (class) } { (word) } @if standing.acknowledged { span.dim { " taken care of" } } }
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
    let alarm = context.ask(&alarms::GET, alarm_id(id)).await?;
    let date_format = context.date_format().await?;
    let own = path(id);
    let below = |last: &str| format!("{own}/{last}");
    let may = context.may(Permission::AlarmWrite);
    let names = fields::names(alarm.fields.trigger_type.as_str());
    // What no field is there for is said above the page.
    let form = Form {
        action: &own,
        send: "Save",
        problems: &Problems::NONE,
        fields: &names,
    };
    let shown = match sent {
        Some(sent) => sent.clone(),
        None => fields::fill(&alarm, &date_format)?,
    };
    let main = html! {
        div.title-row {
            h1 { (alarm.fields.name) }
            (state(&alarm))
            @if may { div.actions { (button(&below("test"), "Send a test")) } }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Done." })) }
        @for said in problems.above(&names) { (notice("bad", &html! { (said) })) }
        (news)
        (panel("Now", &draw_standings(&alarm, &own, may, &date_format)))
        (panel("Messages", &deliveries::draw(context, &alarm, may, &date_format).await?))
        @if may {
            div.grid {
                (panel("Settings", &form.around(&fields::draw(&shown, context.websites(), monitors(context).await?, &date_format, problems))))
                (panel("Secrets and end", &html! { div.rows {
                    @for to in alarm.destinations.iter().filter(|to| to.kind == ChannelKind::Webhook) {
                        (confirm(&format!("New secret for {}…", to.identifier), "For a day messages are signed with both. The new one is shown once.", &below("rotate"), "Make a new secret", &hidden("destination", &to.id)))
                    }
                    (confirm("Delete this alarm…", "Who was told that it goes off is told that it is over.", &below("delete"), "Delete it", &html! {}))
                } }))
            }
        }
    };
    Ok((alarm.fields.name, main))
}

fn draw_standings(alarm: &AlarmOut, own: &str, may: bool, date_format: &DateFormat) -> Markup {
    html! {
        @if alarm.standings.is_empty() { p.dim { "It has seen nothing to go off about." } }
        @else {
            table.table.sites {
                caption.hide { "How it stands about each thing" }
                thead { tr { th scope="col" { "What" } th scope="col" { "Stands" } th scope="col" { "Since" } th scope="col" { span.hide { "Take care" } } } }
                tbody { @for one in &alarm.standings { tr {
                    td { span.name { @if one.name.is_empty() { (alarm.fields.name) } @else { (one.name) } } span.dim { (date_format.spoken(&one.evidence)) } }
                    td { (draw_standing(one)) }
                    td data-label="Since" { @match one.since.as_deref().and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => span.dim { (number::NONE) } } }
                    td { @if may && one.status.is_firing() && !one.acknowledged {
                        form.plain method="post" action=(format!("{own}/acknowledge")) {
                            (hidden("subject", &one.subject))
                            button.button.small type="submit" { "I take care of it" }
                        }
                    } }
                } } }
            }
        }
        @for to in &alarm.destinations { @if let Some(why) = &to.disabled {
            (notice("warn", &html! { "Nothing is sent to " (to.kind.as_str()) " " (to.identifier) " any more: " (why) ". Save the settings to try again." }))
        } }
    }
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome = apply_change(&context, &id, &sent).await;
    answer_outcome(&context, &id, outcome, Some(&sent)).await
}

/// Shows what the settings would have done, or takes them.
async fn apply_change(
    context: &PageContext,
    id: &str,
    sent: &FormData,
) -> Result<Option<HttpResponse>, Fault> {
    if sent.is_on("backtest") {
        let news = backtest::run_backtest(context, fields::body(sent)?).await?;
        let (title, main) = draw(context, id, &news, Some(sent), &Problems::NONE).await?;
        return Ok(Some(context.show(Place::Alarms, &title, &main)));
    }
    let date_format = context.date_format().await?;
    let mut body = fields::whole(sent, &date_format, context.may(Permission::AlarmWrite))?;
    body.insert("alarmId".to_owned(), json!(id));
    let alarm = context.submit(&alarms::UPDATE, body).await?;
    let Some(fresh) = new_secrets(&alarm) else {
        return Ok(None);
    };
    let (title, main) = draw(context, id, &fresh, None, &Problems::NONE).await?;
    Ok(Some(context.show(Place::Alarms, &title, &main)))
}

/// The answer that there is, the way back to the page, or the page with what is wrong.
pub(super) async fn answer_outcome(
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

async fn test(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let outcome = send_test(&context, &id).await.map(Some);
    answer_outcome(&context, &id, outcome, None).await
}

async fn send_test(context: &PageContext, id: &str) -> Result<HttpResponse, Fault> {
    let tests = context.ask(&alarms::TEST, alarm_id(id)).await?;
    let news = html! {
        @for one in &tests.results {
            @if one.success { (notice("good", &html! { (one.channel.as_str()) ": the test arrived." })) }
            @else { (notice("bad", &html! { (one.channel.as_str()) ": " (one.error.as_deref().unwrap_or("it did not arrive")) })) }
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
    let input = AcknowledgeBody {
        alarm_id: id.clone(),
        subject: sent.some("subject").map(str::to_owned),
    };
    let outcome = context.ask(&alarms::ACKNOWLEDGE, input).await;
    answer_outcome(&context, &id, outcome.map(|_| None), None).await
}

async fn rotate(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome = rotate_secret(&context, &id, sent.text("destination"))
        .await
        .map(Some);
    answer_outcome(&context, &id, outcome, None).await
}

async fn rotate_secret(
    context: &PageContext,
    id: &str,
    destination: &str,
) -> Result<HttpResponse, Fault> {
    let input = RotateBody {
        alarm_id: id.to_owned(),
        destination_id: destination.to_owned(),
    };
    let fresh = context.ask(&alarms::ROTATE_SECRET, input).await?;
    let news = html! {
        (notice("good", &html! { p { strong { "This is the new secret. " } "Nobody can see it again: put it where it is needed, now." } }))
        section.panel { (copied("Secret of the webhook", &fresh.secret)) }
    };
    let (title, main) = draw(context, id, &news, None, &Problems::NONE).await?;
    Ok(context.show(Place::Alarms, &title, &main))
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&alarms::DELETE, alarm_id(&id)).await?;
    Ok(answer::see("/console/alarms"))
}
