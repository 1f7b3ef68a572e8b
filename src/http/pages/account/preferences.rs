//! How a person reads times.

use actix_web::HttpResponse;
use chrono_tz::TZ_VARIANTS;
use maud::{Markup, html};

use super::done;
use crate::{
    fault::Fault,
    http::{
        pages::{context::PageContext, form::FormData, sent},
        procedures::{bodies::EmptyBody, preferences},
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
    let own = EmptyBody {};
    let own = context.ask(&preferences::GET_USER_PREFERENCES, own).await?;
    let now_ms = context.shared().clock.now_ms();
    let date_format = context.date_format().await?;
    let mut zones = vec![("auto", "The browser's")];
    zones.extend(TZ_VARIANTS.iter().map(|zone| (zone.name(), zone.name())));
    let dates = written(&DATES, &own.date_format, |date| {
        DateFormat {
            date,
            ..date_format.clone()
        }
        .date(now_ms)
    });
    let times = written(&TIMES, &own.time_format, |time| {
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
        (choice("timezone", "Time zone", &zones, &own.timezone))
        (choice("dateFormat", "Dates", &pairs(&dates), &own.date_format))
        (choice("timeFormat", "Times of day", &pairs(&times), &own.time_format))
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
    let text = |name| sent.some(name).map(str::to_owned);
    let input = preferences::UpdateBody {
        timezone: text("timezone"),
        date_format: text("dateFormat"),
        time_format: text("timeFormat"),
    };
    let changed = context
        .ask(&preferences::UPDATE_USER_PREFERENCES, input)
        .await;
    done(&context, changed.map(|_| ())).await
}
