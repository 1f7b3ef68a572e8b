//! Planned changes of a flag.

use serde_json::{Map, Value, json};

use crate::{
    actors::flags::{FlagType, ScheduleKind},
    fault::Issue,
    http::{
        pages::{
            form::{Empty, Kind, value_or_issues},
            prelude::*,
        },
        procedures::{
            bodies::IdBody,
            flags::{
                schedules::{self, ListBody},
                shapes::{FlagOut, ScheduleOut},
            },
        },
    },
    pages::{
        number,
        part::{hidden, time},
        time::moment,
    },
};

/// The changes that can be planned.
const KINDS: &[(&str, &str)] = &[
    ("enable", "Turn on"),
    ("disable", "Turn off"),
    ("update_rollout", "Set percentage"),
];
const TYPE: &str = "schedule.type";
const PERCENTAGE: &str = "schedule.value";

/// The inputs of a new schedule.
const FORM: &[Section] = &[Section::plain(&[
    Input::choice(TYPE, "Action", KINDS),
    Input::new(Kind::Moment, "schedule.scheduledAt", "Date and time")
        .hint("In your time zone.")
        .empty(Empty::Missing)
        .need(crate::http::pages::form::Need::Required),
    Input::new(Kind::Number(100), PERCENTAGE, "Percentage")
        .hint("0 to 100. Only for “Set percentage”."),
])];

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/flag/{flag}/schedules", |route| route.to(create)),
        form_route("/console/flag/{flag}/schedules/delete", |route| {
            route.to(delete)
        }),
    ]
}

/// The schedules of a flag with the form of another one.
pub(super) async fn draw(flag: &FlagOut, page: &Page<'_>) -> Result<Markup, Fault> {
    let flag_id = flag.id.clone();
    let all = page.context.ask(&schedules::LIST, ListBody { flag_id });
    let all = all.await?;
    let inputs = Inputs::new(FORM, "", page.date_format);
    let form = inputs.draw(page.other, &Choices::default(), page.problems);
    Ok(html! {
        @if all.is_empty() { p.dim { "No schedules yet." } }
        @else { ul.rows { @for one in &all { li.entry.bar { (draw_schedule(one, page)) } } } }
        @if page.can_change {
            details.behind open[page.problems.is_wrong("schedule")] {
                summary { "New schedule" }
                (small_form(&page.below("schedules"), "Create schedule", &form))
                @if flag.kind != FlagType::Rollout { p.hint { "Only a percentage rollout can have a percentage." } }
            }
        }
    })
}

fn draw_schedule(schedule: &ScheduleOut, page: &Page<'_>) -> Markup {
    let at = |text: &str| html! { @if let Some(at) = moment(text) { (time(at, &page.date_format.moment(at), page.date_format)) } };
    let kind = match schedule.kind {
        ScheduleKind::Enable => KINDS[0].1,
        ScheduleKind::Disable => KINDS[1].1,
        ScheduleKind::UpdateRollout => KINDS[2].1,
    };
    html! {
        span {
            strong { (kind) } " "
            @if schedule.rollout_steps.is_empty() { @if let Some(when) = &schedule.scheduled_at { (at(when)) } }
            @for (place, step) in schedule.rollout_steps.iter().enumerate() {
                @if place > 0 { ", " }
                (number::percent(step.value.unwrap_or_default().into())) " " (at(&step.scheduled_at))
            }
        }
        @if schedule.executed_at.is_some() { span.state.good { "Done" } } @else { span.state { "Scheduled" } }
        @if page.can_change {
            form.plain method="post" action=(page.below("schedules/delete")) {
                (hidden("id", &schedule.id))
                button.button.small type="submit" aria-label=(format!("Delete schedule: {kind}")) { "Delete" }
            }
        }
    }
}

async fn create(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = async {
        let date_format = form.context.date_format().await?;
        let mut issues = Vec::new();
        let body = Inputs::new(FORM, "", &date_format).collect(&form.sent, &mut issues);
        let mut schedule = body.get("schedule").cloned().unwrap_or_default();
        if schedule["type"] == "update_rollout" {
            if schedule["value"].is_null() && form.sent.some(PERCENTAGE).is_none() {
                issues.push(Issue::new("missing", PERCENTAGE, "is required"));
            }
            let step =
                json!({ "scheduledAt": schedule["scheduledAt"], "value": schedule["value"] });
            schedule = json!({ "type": schedule["type"], "rolloutSteps": [step] });
        }
        let mut schedule = value_or_issues(schedule, issues, "Invalid schedule")?;
        schedule["flagId"] = json!(form.key.id());
        let input = match schedule {
            Value::Object(input) => input,
            _ => Map::default(),
        };
        form.context.submit(&schedules::CREATE, input).await
    };
    form.finish_change::<FlagOut>(outcome.await).await
}

async fn delete(form: Submission) -> Result<HttpResponse, Fault> {
    let id = form.sent.text("id").to_owned();
    let outcome = form.context.ask(&schedules::DELETE, IdBody { id }).await;
    form.finish_change::<FlagOut>(outcome).await
}
