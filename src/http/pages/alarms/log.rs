//! The messages of an alarm, and what became of them.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Alarm, path, show::done};
use crate::{
    fault::Fault,
    http::{
        pages::{context::PageContext, form::FormData, sent},
        routes::Route,
    },
    pages::{
        part::{hidden, time},
        time::{DateFormat, moment},
    },
};

/// Messages that are listed.
const MAX_LISTED: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    let path = "/console/alarm/{alarm}/replay";
    vec![sent(path, |route| route.to(replay))]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    channel: String,
    event: String,
    status: String,
    attempts: u32,
    next_attempt_at: Option<String>,
    error: Option<String>,
    created_at: String,
    finished_at: Option<String>,
}

impl Message {
    /// What became of it, in a word.
    fn came_to(&self) -> Markup {
        let (class, word) = match self.status.as_str() {
            "delivered" => ("good", "delivered"),
            "dead" => ("bad", "given up"),
            "gone" => ("bad", "the receiver is gone"),
            _ => ("warn", "waiting"),
        };
        html! { span class={ "state " (class) } { (word) } }
    }
}

/// What a message tells, in words.
fn said(event: &str) -> &str {
    match event {
        "alarm.fired" => "it goes off",
        "alarm.resolved" => "it is over",
        "alarm.repeated" => "it still goes off",
        "alarm.test" => "a test",
        other => other,
    }
}

/// The last messages, newest first.
pub(super) async fn draw(
    context: &PageContext,
    alarm: &Alarm,
    may: bool,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let input = json!({ "alarmId": alarm.id });
    let all: Vec<Message> = context.ask("alarms", "deliveries", input).await?;
    let at = |text: &str| html! { @if let Some(at) = moment(text) { (time(at, &date_format.moment(at), date_format)) } };
    let again = format!("{}/replay", path(&alarm.id));
    Ok(html! {
        @if all.is_empty() { p.dim { "It has sent none yet." } }
        @else { div.scroll { table.table.report {
            caption.hide { "Messages, newest first" }
            thead { tr {
                th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "To" } th scope="col" { "Came to" }
                th.num scope="col" { "Tries" } th scope="col" { span.hide { "Again" } }
            } }
            tbody { @for one in all.iter().take(MAX_LISTED) { tr {
                td { (at(&one.created_at)) }
                td.keep data-label="What" { (said(&one.event)) }
                td.keep data-label="To" { (one.channel) }
                td.wide data-label="Came to" {
                    (one.came_to())
                    @if let Some(next) = &one.next_attempt_at { span.dim { " next try " (at(next)) } }
                    @if let Some(error) = &one.error { br; span.dim { (error) } }
                }
                td.num data-label="Tries" { (one.attempts) }
                td { @if may && one.finished_at.is_some() {
                    form.plain method="post" action=(again) { (hidden("delivery", &one.id)) button.button.small type="submit" { "Send again" } }
                } }
            } } }
        } } }
    })
}

async fn replay(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "alarmId": *id, "deliveryId": sent.text("delivery") });
    let outcome: Result<Value, Fault> = context.ask("alarms", "replay", input).await;
    done(&context, &id, outcome.map(|_| None), None).await
}
