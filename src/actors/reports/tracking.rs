//! Tracking issues: a website's rules refuse what its pages send.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
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
        organizations::{Mode, Organization, TrackingHealth},
        websites::{Blocked, TrackingIssue, Website, find_tracking_issue},
    },
    clock::iso_ms,
    locale::Texts,
};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;

/// Emails owners about tracking issues, as often as they want; how many emails.
///
/// # Errors
/// A query failed; the next turn tries again.
pub async fn turn(domains: &Domains, env: &ReportsEnv) -> anyhow::Result<usize> {
    let mut emails = 0;
    for organization in organizations(domains) {
        let settings = organization.notifications.clone().unwrap_or_default();
        let settings = settings.tracking_health;
        if settings.mode == Mode::Off {
            continue;
        }
        let websites = domains.websites.view().owned_by(&organization.tenant.id);
        for website in websites {
            let found = find_issue(env, (&organization, &website), &settings).await?;
            let warns = settings.mode == Mode::WarningsAndCritical;
            let Some(found) = found.filter(|found| found.is_critical || warns) else {
                continue;
            };
            emails +=
                report_issue(domains, env, (&organization, &website), (&settings, &found)).await?;
        }
    }
    Ok(emails)
}

/// What keeps events of a website out since the beginning of yesterday, if anything does.
async fn find_issue(
    env: &ReportsEnv,
    (organization, website): (&Organization, &Website),
    settings: &TrackingHealth,
) -> anyhow::Result<Option<TrackingIssue>> {
    let now_ms = env.clock.now_ms();
    let (from, to) = (iso_ms(now_ms - DAY_MS), iso_ms(now_ms));
    let body = json!({
        "parameters": ["data_quality_totals", "blocked_traffic"],
        "startDate": &from[..10], "endDate": &to[..10], "limit": 1_000,
    });
    let answers = ask(env, &organization.tenant, website, ("UTC", &body)).await?;
    let totals: Vec<Totals> = rows(&answers, "data_quality_totals")?;
    let mut blocked: Vec<Blocked> = rows(&answers, "blocked_traffic")?;
    blocked.retain(|one| is_wanted(settings, one));
    let stored = totals.iter().map(|row| row.stored).sum();
    Ok(find_tracking_issue(website, blocked, stored))
}

#[derive(Deserialize)]
struct Totals {
    stored: u64,
}

/// Whether the organization wants to hear of it at all. Origins are named with their scheme or without.
fn is_wanted(settings: &TrackingHealth, one: &Blocked) -> bool {
    let plain = |origin: &str| {
        let rest = origin.split_once("://").map_or(origin, |(_, rest)| rest);
        rest.to_lowercase()
    };
    let origin = one.origin.as_deref().map(plain);
    let mut origins = settings.ignored_origins.iter();
    !settings.ignored_reasons.contains(&one.reason)
        && !origins.any(|ignored| origin.as_deref() == Some(plain(ignored).as_str()))
}

async fn report_issue(
    domains: &Domains,
    env: &ReportsEnv,
    (organization, website): (&Organization, &Website),
    (settings, found): (&TrackingHealth, &TrackingIssue),
) -> anyhow::Result<usize> {
    let now_ms = env.clock.now_ms();
    let about = format!("tracking:{}:{}:", website.id, found.blocked.reason);
    let last = delivery::log(&env.db, &about, 1).await?;
    let pause = i64::from(settings.cooldown_minutes) * MINUTE_MS;
    if last.iter().any(|last| last.created_ms > now_ms - pause) {
        return Ok(0);
    }
    let domain = line(&website.domain);
    let email = |texts: Texts| {
        let subject = if found.is_critical {
            texts.blocked_subject_all(&domain)
        } else {
            texts.blocked_subject_some(&domain)
        };
        let (issue, fix) = (
            issue(texts, &found.blocked, &domain),
            fix(texts, &found.blocked),
        );
        let text = texts.blocked_email(&domain, &issue, &fix, &last_seen(texts, &found.blocked));
        Email {
            subject: subject.into_owned(),
            text: format!("{text}\n\n{}\n", env.base_url),
            ..Email::default()
        }
    };
    let key = format!("{about}{now_ms}");
    env.email_owners(domains, organization, &key, email).await
}

/// What is blocked, and why.
fn issue(texts: Texts, blocked: &Blocked, domain: &str) -> Cow<'static, str> {
    let count = blocked.count;
    match (blocked.reason.as_str(), blocked.origin.as_deref()) {
        ("ip_not_authorized", _) => texts.blocked_address(count),
        ("origin_missing", _) | (_, None) => texts.blocked_no_origin(count),
        (_, Some(origin)) => texts.blocked_origin(count, &line(origin), domain),
    }
}

/// What to change for these events to be accepted.
fn fix(texts: Texts, blocked: &Blocked) -> Cow<'static, str> {
    match (blocked.reason.as_str(), blocked.origin.as_deref()) {
        ("ip_not_authorized", _) => texts.blocked_fix_address(),
        ("origin_missing", _) | (_, None) => texts.blocked_fix_no_origin(),
        (_, Some("null")) => texts.blocked_fix_null(),
        (_, Some("(malformed)")) => texts.blocked_fix_malformed(),
        (_, Some("(others)")) => texts.blocked_fix_others(),
        (_, Some(origin)) => {
            let host = origin.split_once("://").map_or(origin, |(_, host)| host);
            texts.blocked_fix_origin(&line(host))
        }
    }
}

/// When the last of it came.
fn last_seen(texts: Texts, blocked: &Blocked) -> String {
    let time = DateTime::parse_from_rfc3339(&blocked.last_seen);
    time.map_or_else(
        |_| line(&blocked.last_seen),
        |time| texts.moment(time.with_timezone(&Utc)),
    )
}
