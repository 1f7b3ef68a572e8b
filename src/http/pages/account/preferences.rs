//! The formats of dates and times that the person prefers.

use chrono_tz::TZ_VARIANTS;

use super::Account;
use crate::{
    http::{
        pages::prelude::*,
        procedures::{bodies::EmptyBody, preferences},
    },
    locale::Language,
    pages::part::choice,
};

pub(super) fn routes() -> Vec<Route> {
    vec![form_route("/console/account/preferences", |route| {
        route.to(change)
    })]
}

/// Formats of dates.
const DATES: [&str; 6] = [
    "MMM D, YYYY",
    "D MMM YYYY",
    "DD.MM.YYYY",
    "DD/MM/YYYY",
    "MM/DD/YYYY",
    "YYYY-MM-DD",
];

/// Formats of times of day.
const TIMES: [&str; 2] = ["HH:mm", "h:mm a"];

/// The form.
pub(super) async fn draw(page: &Page<'_>) -> Result<Markup, Fault> {
    let (context, date_format, now_ms) = (page.context, page.date_format, page.now_ms);
    let own = EmptyBody {};
    let own = context.ask(&preferences::GET_USER_PREFERENCES, own).await?;
    let mut zones = vec![("auto", "Browser time zone")];
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
    let mut languages = vec![("auto", "Automatic")];
    languages.extend(Language::NAMES);
    let wrong =
        ["timezone", "dateFormat", "timeFormat", "language"].map(|name| page.problems.beside(name));
    let fields = html! {
        @for message in wrong.iter().flatten() { p.wrong { (message) } }
        (choice("timezone", "Time zone", &zones, &own.timezone))
        (choice("dateFormat", "Date format", &pairs(&dates), &own.date_format))
        (choice("timeFormat", "Time format", &pairs(&times), &own.time_format))
        (choice("language", "Language of emails", &languages, &own.language))
    };
    Ok(small_form(
        &page.below("preferences"),
        "Save format",
        &fields,
    ))
}

/// Patterns with an example each; the person's own is among them.
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

async fn change(form: Submission) -> Result<HttpResponse, Fault> {
    let text = |name| form.sent.some(name).map(str::to_owned);
    let input = preferences::UpdateBody {
        timezone: text("timezone"),
        date_format: text("dateFormat"),
        time_format: text("timeFormat"),
        language: text("language"),
    };
    let procedure = &preferences::UPDATE_USER_PREFERENCES;
    form.finish_change::<Account>(form.context.ask(procedure, input).await)
        .await
}
