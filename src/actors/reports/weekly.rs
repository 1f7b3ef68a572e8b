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
    clock::{from_ms, iso_ms},
    locale::Texts,
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
        let weeks = load(domains, env, &organization, monday_ms).await?;
        if !weeks.is_empty() {
            let email = |texts| draw(env, &organization, monday_ms, (texts, &weeks));
            emails += env
                .email_owners(domains, &organization, &key, email)
                .await?;
        }
    }
    Ok(emails)
}

/// The weeks of an organization's websites on which something happened.
async fn load(
    domains: &Domains,
    env: &ReportsEnv,
    organization: &Organization,
    monday_ms: i64,
) -> anyhow::Result<Vec<Week>> {
    let (first, last) = (iso_ms(monday_ms - WEEK_MS), iso_ms(monday_ms - 1));
    let (first, last) = (&first[..10], &last[..10]);
    let body = json!({
        "parameters": ["period_comparison", "top_pages", "ai_traffic_products"],
        "startDate": first, "endDate": last, "limit": 7,
    });
    let mut weeks = Vec::new();
    let websites: Vec<Arc<Website>> = domains.websites.view().owned_by(&organization.tenant.id);
    for website in websites.iter().take(MAX) {
        let answers = ask(env, &organization.tenant, website, ("UTC", &body)).await?;
        weeks.extend(Week::read(website, &answers)?);
    }
    Ok(weeks)
}

/// The email in a language.
fn draw(
    env: &ReportsEnv,
    organization: &Organization,
    monday_ms: i64,
    (texts, weeks): (Texts, &[Week]),
) -> Email {
    let day = |at_ms| from_ms(at_ms).date_naive();
    let first = texts.day_of_year(day(monday_ms - WEEK_MS));
    let last = texts.day(day(monday_ms - 1));
    let name = line(&organization.name);
    let sections: String = weeks.iter().map(|week| week.section(texts)).collect();
    Email {
        subject: texts.email_week_subject(&name, &first, &last).into_owned(),
        text: format!(
            "{}\n\n{sections}{}\n\n{}\n",
            texts.email_week(&first, &last),
            texts.email_owners(),
            env.base_url
        ),
        ..Email::default()
    }
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

/// How one website did.
struct Week {
    domain: String,
    compared: Vec<Comparison>,
    pages: Vec<Page>,
    products: Vec<Product>,
}

impl Week {
    /// `None` when nothing happened there.
    fn read(website: &Website, answers: &Answers) -> anyhow::Result<Option<Self>> {
        let week = Self {
            domain: line(&website.domain),
            compared: rows(answers, "period_comparison")?,
            pages: rows(answers, "top_pages")?,
            products: rows(answers, "ai_traffic_products")?,
        };
        let mut compared = week.compared.iter();
        let happened = compared.any(|row| row.current > Some(0.0));
        Ok((happened || !week.products.is_empty()).then_some(week))
    }

    fn section(&self, texts: Texts) -> String {
        let mut out = format!("{}\n", self.domain);
        for (metric, name) in [
            ("pageviews", texts.report_pageviews()),
            ("visitors", texts.report_visitors()),
            ("sessions", texts.report_sessions()),
        ] {
            let Some(row) = self.compared.iter().find(|row| row.metric == metric) else {
                continue;
            };
            let change = match row.change_percentage {
                Some(change) => texts.number(&format!("{change:+.0}%").replace('-', "−")),
                None => texts.email_week_none_before().into_owned(),
            };
            // Writing into a text does not fail.
            let current = texts.count(row.current.unwrap_or_default().max(0.0) as u64);
            let _ = writeln!(out, "  {name}: {current} ({change})");
        }
        let pages = self.pages.iter().map(|row| (&row.path, row.pageviews));
        let products = self.products.iter().map(|row| (&row.product, row.requests));
        let lists: [(_, Vec<(&String, u64)>); 2] = [
            (texts.report_pages(), pages.take(5).collect()),
            (texts.email_week_agents(), products.take(5).collect()),
        ];
        for (title, rows) in lists.iter().filter(|(_, rows)| !rows.is_empty()) {
            let rows = rows.iter();
            let each: Vec<String> = rows
                .map(|(name, count)| format!("{} ({})", line(name), texts.count(*count)))
                .collect();
            let _ = writeln!(out, "  {title}: {}", texts.list(&each));
        }
        out + "\n"
    }
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
