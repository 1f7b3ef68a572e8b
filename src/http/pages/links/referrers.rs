//! The main referrers of a link over time.

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;

use crate::{
    analytics::run::Answers,
    http::pages::{daily::Daily, prelude::*},
    pages::{number, part::panel},
};

/// The query type of referrers by clicks.
pub(super) const TOP: &str = "link_top_referrers";
/// The query type of clicks over time.
const CLICKS: &str = "link_clicks_by_day";
/// Referrers with a chart.
const MAX: usize = 4;

#[derive(Deserialize)]
struct ReferrerRow {
    name: String,
    referrer: String,
    clicks: u64,
}

#[derive(Deserialize)]
struct Day {
    date: String,
    clicks: u64,
}

/// A chart for each of the referrers that brought most clicks.
pub(super) async fn draw(link: &str, page: &Page<'_>, daily: &Daily, answers: &Answers) -> Markup {
    let top: Vec<ReferrerRow> = answers.rows(TOP).unwrap_or_default();
    let asked = top.into_iter().take(MAX).map(async |referrer| {
        let days = load_days(link, page, daily, &referrer).await;
        (referrer, days)
    });
    let all = join_all(asked).await;
    let written = |clicks: f64| number::full(clicks as u64);
    let charts = html! {
        div.grid { @for (referrer, days) in &all {
            @let on = |day: &str| Some(days.iter().filter(|row| row.date.starts_with(day)).map(|row| row.clicks).sum::<u64>() as f64);
            div.small-chart {
                h3 { (referrer.name) span.dim { " " (number::with_noun(referrer.clicks, "click", "clicks")) } }
                (daily.chart(&format!("Clicks from {}", referrer.name), (true, 0.0), &written, on))
            }
        } }
    };
    html! { @if !all.is_empty() { (panel("Referrers over time", &charts)) } }
}

/// The clicks from a referrer by day; none if they are unknown.
async fn load_days(link: &str, page: &Page<'_>, daily: &Daily, referrer: &ReferrerRow) -> Vec<Day> {
    let (first, last) = daily.range();
    let filter = json!({ "field": "referrer", "op": "eq", "value": referrer.referrer });
    let body = json!({
        "parameters": [CLICKS], "startDate": first, "endDate": last, "granularity": "daily",
        "timeZone": page.date_format.zone.name(), "filters": [filter],
    });
    let answers = page.context.query_link(link, body).await.ok();
    answers
        .and_then(|answers| answers.rows(CLICKS).ok())
        .unwrap_or_default()
}
