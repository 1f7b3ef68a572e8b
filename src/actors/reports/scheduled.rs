//! Reports that recipients get on a schedule: those that are due are put into the outbox, each once for its period.
//!
//! Who was away when one was due gets the latest, and none of those before.

use anyhow::Context as _;

use super::{ReportsEnv, ask::ask};
use crate::actors::{
    Domains,
    scheduled_reports::{ReportContent, ReportMessage, ReportSubject, ScheduledReport},
};

/// Reports of a turn.
const MAX: u64 = 200;

/// Puts the reports in that are due; how many.
///
/// # Errors
/// They cannot be looked for. One that fails is tried again in the next turn.
pub async fn turn(domains: &Domains, env: &ReportsEnv) -> anyhow::Result<usize> {
    let mut sent = 0;
    for report in domains.scheduled_reports.due(MAX).await? {
        match send(domains, env, &report).await {
            Ok(is_sent) => sent += usize::from(is_sent),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(error, report.id = %report.id, "a report is not out yet");
            }
        }
    }
    Ok(sent)
}

async fn send(
    domains: &Domains,
    env: &ReportsEnv,
    report: &ScheduledReport,
) -> anyhow::Result<bool> {
    let (store, now_ms) = (&domains.scheduled_reports, env.clock.now_ms());
    let websites = domains.websites.view();
    let website = websites.by_id(report.website.as_str()).cloned();
    let Some(website) = website else {
        // It was deleted and may come back.
        return Ok(store.send(report, None, now_ms).await?);
    };
    let owner = domains.organizations.view();
    let owner = owner.tenant(website.organization.as_str());
    let owner = owner.context("the website has no owner")?;
    let (schedule, period) = (&report.schedule, report.schedule.period(now_ms));
    let body = ReportContent::body(schedule, period);
    let answers = ask(env, &owner, &website, (schedule.zone.name(), &body)).await?;
    let subject = ReportSubject {
        name: &website.name,
        schedule,
        period,
        dashboard: &format!("{}/console/site/{}", env.base_url, website.id),
        texts: report.language.texts(),
    };
    let message = ReportMessage::new(&subject, &ReportContent::read(&answers)?);
    Ok(store
        .send(report, Some((&owner.id, message)), now_ms)
        .await?)
}
