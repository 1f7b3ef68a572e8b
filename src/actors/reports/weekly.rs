//! The report of a week: how each website did from Monday to Sunday (UTC), beside the week before, and which AI agents
//! read it.
//!
//! It is put in on Monday from six o'clock on; who was not there on Monday gets none.

use std::{fmt::Write as _, sync::Arc};

use serde::Deserialize;
use serde_json::json;

use super::{
    ReportsEnv,
    ask::{ask, rows},
    organizations,
};
use crate::{
    actors::{
        Domains,
        delivery::{self, Email, line},
        organizations::Organization,
        websites::Website,
    },
    analytics::run::Answers,
    clock::iso_ms,
};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const WEEK_MS: i64 = 7 * DAY_MS;
/// 1970 began on a Thursday.
const FIRST_MONDAY_MS: i64 = 4 * DAY_MS;
/// When on Monday the reports go out, and how late they may.
const OUT_MS: (i64, i64) = (6 * HOUR_MS, 30 * HOUR_MS);
/// Websites of a report.
const MAX: usize = 50;

/// The Monday whose reports are due at a moment.
fn due(now_ms: i64) -> Option<i64> {
    let since = (now_ms - FIRST_MONDAY_MS).rem_euclid(WEEK_MS);
    (OUT_MS.0..OUT_MS.1)
        .contains(&since)
        .then_some(now_ms - since)
}

/// Puts the reports in that are due and not there yet; how many emails.
///
/// # Errors
/// A query failed; the next turn tries again.
pub async fn turn(domains: &Domains, env: &ReportsEnv) -> anyhow::Result<usize> {
    let Some(monday_ms) = due(env.clock.now_ms()) else {
        return Ok(0);
    };
    let mut emails = 0;
    for organization in organizations(domains) {
        let settings = organization.notifications.clone().unwrap_or_default();
        let key = format!("digest:{}:{monday_ms}", organization.tenant.id);
        let known = delivery::log(&env.db, &key, 1).await?;
        if !settings.ai_agents.weekly_digest || !known.is_empty() {
            continue;
        }
        if let Some(email) = report(domains, env, &organization, monday_ms).await? {
            emails += env
                .email_owners(domains, &organization, (&key, &email))
                .await?;
        }
    }
    Ok(emails)
}

/// The report of an organization; nothing when nothing happened.
async fn report(
    domains: &Domains,
    env: &ReportsEnv,
    organization: &Organization,
    monday_ms: i64,
) -> anyhow::Result<Option<Email>> {
    let (first, last) = (iso_ms(monday_ms - WEEK_MS), iso_ms(monday_ms - 1));
    let (first, last) = (&first[..10], &last[..10]);
    let body = json!({
        "parameters": ["period_comparison", "top_pages", "ai_traffic_products"],
        "startDate": first, "endDate": last, "limit": 7,
    });
    let mut sections = String::new();
    let websites: Vec<Arc<Website>> = domains.websites.view().owned_by(&organization.tenant.id);
    for website in websites.iter().take(MAX) {
        let answers = ask(env, &organization.tenant, website, ("UTC", &body)).await?;
        sections.push_str(&section(website, &answers)?);
    }
    if sections.is_empty() {
        return Ok(None);
    }
    let name = line(&organization.name);
    Ok(Some(Email {
        subject: format!("{name}: the week from {first} to {last}"),
        text: format!(
            "The week from {first} to {last} (UTC), beside the week before.\n\n{sections}\
             Owners choose whether this comes in the organization's settings.\n\n{}\n",
            env.base_url
        ),
        ..Email::default()
    }))
}

#[derive(Deserialize)]
struct Comparison {
    metric: String,
    current: Option<f64>,
    change_percentage: Option<f64>,
}

#[derive(Deserialize)]
struct Page {
    path: String,
    pageviews: u64,
}

#[derive(Deserialize)]
struct Product {
    product: String,
    requests: u64,
}

/// The section of one website; empty when nothing happened there.
fn section(website: &Website, answers: &Answers) -> anyhow::Result<String> {
    let compared: Vec<Comparison> = rows(answers, "period_comparison")?;
    let pages: Vec<Page> = rows(answers, "top_pages")?;
    let products: Vec<Product> = rows(answers, "ai_traffic_products")?;
    let happened = compared.iter().any(|row| row.current > Some(0.0));
    if !happened && products.is_empty() {
        return Ok(String::new());
    }
    let mut out = format!("{}\n", line(&website.domain));
    for (metric, name) in [
        ("pageviews", "Pageviews"),
        ("visitors", "Visitors"),
        ("sessions", "Visits"),
    ] {
        let Some(row) = compared.iter().find(|row| row.metric == metric) else {
            continue;
        };
        let change = match row.change_percentage {
            Some(change) => format!("{change:+.0} %"),
            None => "none the week before".to_owned(),
        };
        // Writing into a text does not fail.
        let current = row.current.unwrap_or_default();
        let _ = writeln!(out, "  {name}: {current} ({change})");
    }
    let pages = pages.iter().map(|row| (&row.path, row.pageviews));
    let products = products.iter().map(|row| (&row.product, row.requests));
    let lists: [(&str, Vec<(&String, u64)>); 2] = [
        ("Most viewed", pages.take(5).collect()),
        ("Read by AI agents", products.take(5).collect()),
    ];
    for (title, rows) in lists.iter().filter(|(_, rows)| !rows.is_empty()) {
        let rows = rows.iter();
        let each: Vec<String> = rows
            .map(|(name, count)| format!("{} ({count})", line(name)))
            .collect();
        let _ = writeln!(out, "  {title}: {}", each.join(", "));
    }
    Ok(out + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_due_on_mondays_from_six_for_a_day() {
        let at = |text: &str| {
            let at = chrono::DateTime::parse_from_rfc3339(text).unwrap();
            due(at.timestamp_millis()).map(iso_ms)
        };
        let monday = Some("2026-11-23T00:00:00.000Z".to_owned());
        assert_eq!(at("2026-11-23T05:59:59.999Z"), None);
        assert_eq!(at("2026-11-23T06:00:00Z"), monday);
        assert_eq!(at("2026-11-24T05:59:59.999Z"), monday);
        assert_eq!(at("2026-11-24T06:00:00Z"), None);
        assert_eq!(at("2026-11-22T12:00:00Z"), None);
    }
}
