//! How a person reads times.

use actix_web::HttpResponse;
use chrono_tz::TZ_VARIANTS;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::done;
use crate::{
    fault::Fault,
    http::{
        pages::{context::PageContext, form::FormData, sent},
        routes::Route,
    },
    pages::{
        part::{Form, choice},
        problem::Problems,
        time::DateFormat,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![sent("/console/account/preferences", |route| {
        route.to(change)
    })]
}

/// Ways to write dates.
const DATES: [&str; 6] = [
    "MMM D, YYYY",
    "D MMM YYYY",
    "DD.MM.YYYY",
    "DD/MM/YYYY",
    "MM/DD/YYYY",
    "YYYY-MM-DD",
];

/// Ways to write times of day.
const TIMES: [&str; 2] = ["HH:mm", "h:mm a"];

/// The form.
pub(super) async fn draw(context: &PageContext, problems: &Problems) -> Result<Markup, Fault> {
    let input = json!({});
    let said: Value = context
        .ask("preferences", "getUserPreferences", input)
        .await?;
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    let (zone, date, time) = (text("timezone"), text("dateFormat"), text("timeFormat"));
    let now_ms = context.shared().clock.now_ms();
    let date_format = context.date_format().await?;
    let mut zones = vec![("auto", "The browser's")];
    zones.extend(TZ_VARIANTS.iter().map(|zone| (zone.name(), zone.name())));
    let dates = written(&DATES, &date, |date| {
        DateFormat {
            date,
            ..date_format.clone()
        }
        .date(now_ms)
    });
    let times = written(&TIMES, &time, |time| {
        DateFormat {
            time,
            ..date_format.clone()
        }
        .time(now_ms)
    });
    let form = Form {
        action: "/console/account/preferences",
        send: "Save",
        problems: &Problems::NONE,
        fields: &[],
    };
    let wrong = ["timezone", "dateFormat", "timeFormat"].map(|name| problems.beside(name));
    Ok(form.around(&html! {
        @for said in wrong.iter().flatten() { p.wrong { (said) } }
        (choice("timezone", "Time zone", &zones, &zone))
        (choice("dateFormat", "Dates", &pairs(&dates), &date))
        (choice("timeFormat", "Times of day", &pairs(&times), &time))
    }))
}

/// Patterns with what they make of this moment; the person's own is among them.
fn written(usual: &[&str], own: &str, now: impl Fn(String) -> String) -> Vec<(String, String)> {
    let mut all: Vec<String> = usual.iter().map(|pattern| (*pattern).to_owned()).collect();
    if !usual.contains(&own) {
        all.push(own.to_owned());
    }
    all.into_iter()
        .map(|pattern| (pattern.clone(), now(pattern)))
        .collect()
}

fn pairs(all: &[(String, String)]) -> Vec<(&str, &str)> {
    all.iter()
        .map(|(pattern, shown)| (pattern.as_str(), shown.as_str()))
        .collect()
}

async fn change(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let names = ["timezone", "dateFormat", "timeFormat"];
    let said = names.map(|name| (name.to_owned(), json!(sent.some(name))));
    let input = Value::Object(said.into_iter().collect());
    let changed: Result<Value, Fault> = context
        .ask("preferences", "updateUserPreferences", input)
        .await;
    done(&context, changed.map(|_| ())).await
}
