//! What pages report of a flag: evaluations of each variant over time.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use crate::{
    http::{
        pages::{daily::Daily, prelude::*},
        procedures::flags::shapes::FlagOut,
    },
    pages::{
        number,
        part::{empty, notice, panel},
    },
};

/// The query type of the reports.
const REPORTS: &str = "flag_evaluations_by_variant";
/// Rows of its answer.
const MAX_ROWS: u32 = 10_000;
/// Charts of variants; the rest share one.
const MAX_CHARTS: usize = 5;

#[derive(Deserialize)]
struct Report {
    date: String,
    flag: String,
    variant: String,
    evaluations: u64,
}

/// Evaluations by day.
type Days = BTreeMap<String, u64>;

/// The panel with a chart for each variant.
pub(super) async fn draw(flag: &FlagOut, page: &Page<'_>) -> Markup {
    let daily = Daily::from_query(page.context, page.date_format);
    let inside = match load(flag, page, &daily).await {
        Ok(reports) => draw_variants(&sum_by_variant(flag, reports), &daily),
        Err(message) => notice("note", &html! { (message) }),
    };
    panel(
        "Evaluations by variant",
        &html! { (daily.tabs(page.path)) (inside) },
    )
}

async fn load(flag: &FlagOut, page: &Page<'_>, daily: &Daily) -> Result<Vec<Report>, String> {
    let (first, last) = daily.range();
    let body = json!({
        "parameters": [REPORTS], "startDate": first, "endDate": last, "granularity": "daily",
        "timeZone": page.date_format.zone.name(), "limit": MAX_ROWS,
    });
    let answers = match &flag.website_id {
        Some(website) => page.context.query(website, body).await,
        None => page.context.query_organization(body).await,
    };
    answers
        .map_err(|fault| fault.message.into_owned())?
        .rows(REPORTS)
}

/// The variants of a flag, the most frequent first.
fn sum_by_variant(flag: &FlagOut, reports: Vec<Report>) -> Vec<(String, Days)> {
    let mut variants: BTreeMap<String, Days> = BTreeMap::new();
    for report in reports.into_iter().filter(|one| one.flag == flag.key) {
        let days = variants.entry(report.variant).or_default();
        let day = report.date.chars().take(10).collect();
        *days.entry(day).or_default() += report.evaluations;
    }
    let mut all: Vec<(String, Days)> = variants.into_iter().collect();
    all.sort_by_key(|(_, days)| std::cmp::Reverse(total(days)));
    if all.len() > MAX_CHARTS {
        let mut rest = Days::new();
        for (day, count) in all.drain(MAX_CHARTS - 1..).flat_map(|(_, days)| days) {
            *rest.entry(day).or_default() += count;
        }
        all.push(("Other variants".to_owned(), rest));
    }
    all
}

fn total(days: &Days) -> u64 {
    days.values().sum()
}

fn draw_variants(variants: &[(String, Days)], daily: &Daily) -> Markup {
    if variants.is_empty() {
        return empty(
            "No evaluations yet",
            &html! { "Clients in browsers report evaluations. Servers report none." },
        );
    }
    let all: u64 = variants.iter().map(|(_, days)| total(days)).sum();
    let most = variants.iter().flat_map(|(_, days)| days.values()).max();
    let reach = most.copied().unwrap_or_default() as f64;
    let written = |count: f64| number::full(count as u64);
    html! {
        div.grid { @for (variant, days) in variants {
            @let share = number::percent(100.0 * total(days) as f64 / all.max(1) as f64);
            div.small-chart {
                h3 { code { (variant) } span.dim { " " (number::with_noun(total(days), "evaluation", "evaluations")) " · " (share) } }
                (daily.chart(&format!("Evaluations of {variant}"), (true, reach), &written, |day| Some(days.get(day).copied().unwrap_or(0) as f64)))
            }
        } }
    }
}
