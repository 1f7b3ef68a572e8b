//! Reports that recipients get on a schedule: those that are due are put into the outbox, each once for its period.
//!
//! Who was away when one was due gets the latest, and none of those before.

use super::{ReportsEnv, ask::ask};
use crate::{
    actors::{
        Domains,
        boards::BoardReader,
        dashboard::Dashboard,
        scheduled_reports::{
            Period, ReportContent, ReportMessage, ReportSubject, Schedule, ScheduledReport,
        },
    },
    ids::{BoardId, OrganizationId, WebsiteId},
    locale::Texts,
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
    let period = report.schedule.period(now_ms);
    let texts = report.language.texts();
    let when = (&report.schedule, period);
    let loaded = match &report.dashboard {
        Dashboard::Website(id) => load_website(domains, env, id, when, texts).await,
        Dashboard::Board(id) => load_board(domains, env, id, when, texts).await,
    };
    let Some(loaded) = loaded? else {
        // It or its organization was deleted and may come back, or it shows nothing.
        return Ok(store.send(report, None, now_ms).await?);
    };
    let subject = ReportSubject {
        name: &loaded.name,
        schedule: &report.schedule,
        period,
        dashboard: &format!("{}{}", env.base_url, loaded.path),
        texts,
    };
    let message = ReportMessage::new(&subject, &loaded.content);
    let message = Some((&loaded.owner, message));
    Ok(store.send(report, message, now_ms).await?)
}

/// What a report is about, and what is in it.
struct Loaded {
    owner: OrganizationId,
    name: String,
    /// Where its dashboard is.
    path: String,
    content: ReportContent,
}

async fn load_website(
    domains: &Domains,
    env: &ReportsEnv,
    id: &WebsiteId,
    (schedule, period): (&Schedule, Period),
    texts: Texts,
) -> anyhow::Result<Option<Loaded>> {
    let websites = domains.websites.view();
    let Some(website) = websites.by_id(id.as_str()).cloned() else {
        return Ok(None);
    };
    let organizations = domains.organizations.view();
    let Some(owner) = organizations.tenant(website.organization.as_str()) else {
        return Ok(None);
    };
    let body = ReportContent::body(schedule, period);
    let answers = ask(env, &owner, &website, (schedule.zone.name(), &body)).await?;
    Ok(Some(Loaded {
        owner: owner.id,
        name: website.name.clone(),
        path: format!("/console/site/{id}"),
        content: ReportContent::read(&answers, texts)?,
    }))
}

async fn load_board(
    domains: &Domains,
    env: &ReportsEnv,
    id: &BoardId,
    when: (&Schedule, Period),
    texts: Texts,
) -> anyhow::Result<Option<Loaded>> {
    let board = domains.boards.get(id.as_str()).await?;
    let organizations = domains.organizations.view();
    let board = board.filter(|board| organizations.is_live(&board.organization));
    let Some(board) = board.filter(|board| !board.fields.panels.is_empty()) else {
        return Ok(None);
    };
    let (resources, panels) = (domains.boards.resources(), &board.fields.panels);
    let shown = (&board.organization, panels.as_slice());
    let reader = (BoardReader::Owner, texts);
    let now_ms = env.clock.now_ms();
    let content = ReportContent::load_board(resources, shown, reader, when, now_ms);
    Ok(Some(Loaded {
        content: content.await?,
        owner: board.organization,
        name: board.fields.name,
        path: format!("/console/board/{id}"),
    }))
}
