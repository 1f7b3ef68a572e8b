//! The messages of an alert and their outcomes.

use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            alarms::{self, AlarmIdBody, ReplayBody},
            alarms_wire::AlarmOut,
        },
    },
    pages::{
        part::{hidden, time},
        time::moment,
    },
};

/// Messages of the table.
const MAX_LISTED: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    let path = "/console/alarm/{alarm}/replay";
    vec![form_route(path, |route| route.to(replay))]
}

/// The outcome of a message, in a word.
fn draw_outcome(status: &str) -> Markup {
    let (class, word) = match status {
        "delivered" => ("good", "Delivered"),
        "dead" => ("bad", "Failed"),
        "gone" => ("bad", "Recipient gone"),
        _ => ("warn", "Pending"),
    };
    html! { span class={ "state " (class) } { (word) } }
}

/// What a message is about, in words.
fn describe_event(event: &str) -> &str {
    match event {
        "alarm.fired" => "Firing",
        "alarm.resolved" => "Resolved",
        "alarm.repeated" => "Repeated",
        "alarm.test" => "Test",
        other => other,
    }
}

/// The last messages, newest first.
pub(super) async fn draw(
    context: &PageContext,
    alarm: &AlarmOut,
    can_write: bool,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let alarm_id = alarm.id.clone();
    let all = context
        .ask(&alarms::DELIVERIES, AlarmIdBody { alarm_id })
        .await?;
    let at = |text: &str| html! { @if let Some(at) = moment(text) { (time(at, &date_format.moment(at), date_format)) } };
    let again = format!("{}/replay", AlarmOut::path(&[&alarm.id]));
    Ok(html! {
        @if all.is_empty() { p.dim { "No messages yet." } }
        @else { div.scroll { table.table.report {
            caption.hide { "Messages, newest first" }
            thead { tr {
                th scope="col" { "Time" } th scope="col" { "Event" } th scope="col" { "Channel" } th scope="col" { "Delivery" }
                th.num scope="col" { "Attempts" } th scope="col" { span.hide { "Actions" } }
            } }
            tbody { @for one in all.iter().take(MAX_LISTED) { tr {
                td { (at(&one.created_at)) }
                td.keep data-label="Event" { (describe_event(&one.event)) }
                td.keep data-label="Channel" { (one.channel.as_str()) }
                td.wide data-label="Delivery" {
                    (draw_outcome(&one.status))
                    @if let Some(next) = &one.next_attempt_at { span.dim { " next attempt " (at(next)) } }
                    @if let Some(error) = &one.error { br; span.dim { (error) } }
                }
                td.num data-label="Attempts" { (one.attempts) }
                td { @if can_write && one.finished_at.is_some() {
                    form.plain method="post" action=(again) { (hidden("delivery", &one.id)) button.button.small type="submit" { "Resend message" } }
                } }
            } } }
        } } }
    })
}

async fn replay(form: Submission) -> Result<HttpResponse, Fault> {
    let message = ReplayBody {
        alarm_id: form.key.id().to_owned(),
        delivery_id: form.sent.text("delivery").to_owned(),
    };
    let outcome = form.context.ask(&alarms::REPLAY, message).await;
    form.finish_change::<AlarmOut>(outcome).await
}
