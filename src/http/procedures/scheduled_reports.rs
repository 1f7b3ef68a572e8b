//! `/scheduled-reports/*`: who gets reports of a website or a board, and when.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Call, Group, boards,
    bodies::IdBody,
    dashboards::{self, DashboardBody},
    fields::Fields,
    success::Success,
};
use crate::{
    access::{OrganizationAccess, Permission},
    actors::{
        audit::Actor,
        boards::BoardReader,
        dashboard::Dashboard,
        delivery::ChannelKind,
        scheduled_reports::{
            Frequency, NewReport, Period, ReportContent, ReportFields, ReportMessage,
            ReportSubject, Schedule, ScheduledReport,
        },
    },
    clock::iso_ms,
    fault::{Fault, Issue},
    http::v1,
    ids::{BoardId, WebsiteId},
    locale::{Language, Texts},
};

const GROUP: Group = Group::new("scheduledReports", "Websites").at("scheduled-reports");

procedures! { GROUP;
    LIST = "list", reads(WebsiteConfigure), list(DashboardBody) -> Vec<ReportOut>:
        "List scheduled reports of a website or a board, oldest first";
    GET_BY_ID = "getById", reads(WebsiteConfigure), get_by_id(IdBody) -> ReportOut: "Get a scheduled report";
    CREATE = "create", acts(WebsiteConfigure), create(CreateBody) -> ReportOut:
        "Schedule reports of a website or a board; email recipients have to confirm first";
    DELETE = "delete", acts(WebsiteConfigure), delete(IdBody) -> Success:
        "Delete a scheduled report";
    PREVIEW = "preview", reads(WebsiteRead), preview(PreviewBody) -> PreviewOut:
        "Preview the report of the last period";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScheduledReportCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    #[serde(flatten)]
    pub dashboard: DashboardBody,
    #[serde(flatten)]
    pub fields: Fields<ReportFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScheduledReportPreviewQuery")]
#[serde(rename_all = "camelCase")]
pub struct PreviewBody {
    #[serde(flatten)]
    pub dashboard: DashboardBody,
    #[serde(default)]
    pub frequency: Frequency,
    /// The IANA time zone in which days begin. Default: `UTC`.
    pub timezone: Option<String>,
    /// The language of the report. Default: `en`.
    #[serde(default)]
    pub language: Language,
}

/// Who gets reports of a website or a board, and when.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledReport")]
#[serde(rename_all = "camelCase")]
pub struct ReportOut {
    pub id: String,
    /// Null for a board.
    pub website_id: Option<String>,
    /// Null for a website.
    pub board_id: Option<String>,
    pub frequency: Frequency,
    pub timezone: String,
    /// The hour of the day in that time zone.
    pub hour: u32,
    pub language: Language,
    #[serde(rename = "type")]
    pub kind: ChannelKind,
    /// An email address or chat ID. Of a webhook URL, which is a secret, only the beginning.
    pub recipient: String,
    /// Whether the recipient agreed. Nothing is sent before.
    pub is_confirmed: bool,
    /// When the next report is due; null before the recipient has agreed.
    pub next_at: Option<String>,
    pub created_by: Option<String>,
    pub created_at: String,
}

impl From<ScheduledReport> for ReportOut {
    fn from(report: ScheduledReport) -> Self {
        let is_confirmed = report.confirmed_ms.is_some();
        Self {
            id: report.id.to_string(),
            website_id: report.dashboard.website().map(ToString::to_string),
            board_id: report.dashboard.board().map(ToString::to_string),
            frequency: report.schedule.frequency,
            timezone: report.schedule.zone.name().to_owned(),
            hour: report.schedule.hour,
            language: report.language,
            kind: report.kind().clone(),
            recipient: report.recipient(),
            is_confirmed,
            next_at: is_confirmed.then(|| iso_ms(report.next_ms)),
            created_by: report.created_by.map(String::from),
            created_at: iso_ms(report.created_ms),
        }
    }
}

/// A report as its recipients see it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledReportPreview")]
pub struct PreviewOut {
    /// The subject of the email.
    pub title: String,
    pub text: String,
    /// The same as HTML without styles.
    pub html: String,
}

async fn list(call: Call, body: DashboardBody) -> Result<Vec<ReportOut>, Fault> {
    let found = body.find(&call, dashboards::WRITE).await?;
    let reports = call.shared.scheduled_reports.list(&found.dashboard).await?;
    Ok(reports.into_iter().map(ReportOut::from).collect())
}

async fn get_by_id(call: Call, body: IdBody) -> Result<ReportOut, Fault> {
    let (report, _) = find(&call, &body.id).await?;
    Ok(report.into())
}

async fn create(call: Call, body: CreateBody) -> Result<ReportOut, Fault> {
    let found = body.dashboard.find(&call, dashboards::WRITE).await?;
    let organization = found.proof.organization();
    let new = NewReport {
        organization: organization.clone(),
        by: Actor::from(&call.caller),
        created_by: call.maker(organization),
        dashboard: found.dashboard,
        name: found.name,
        fields: body.fields.read()?,
    };
    Ok(call.shared.scheduled_reports.create(new).await?.into())
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let (report, proof) = find(&call, &body.id).await?;
    let by = (proof.organization(), Actor::from(&call.caller));
    call.shared.scheduled_reports.delete(&report.id, by).await?;
    Ok(Success::YES)
}

async fn preview(call: Call, body: PreviewBody) -> Result<PreviewOut, Fault> {
    let found = body.dashboard.find(&call, dashboards::READ).await?;
    let named = body.timezone.as_deref().filter(|name| !name.is_empty());
    let zone = named
        .unwrap_or("UTC")
        .parse::<chrono_tz::Tz>()
        .map_err(|_| {
            let message = "`timezone` is the name of a time zone, such as Europe/Berlin";
            let issue = Issue::new("invalid_value", "timezone", message);
            Fault::issues(message, vec![issue])
        })?;
    let schedule = Schedule {
        frequency: body.frequency,
        zone,
        hour: 0,
    };
    let period = schedule.period(call.shared.clock.now_ms());
    let (texts, when) = (body.language.texts(), (&schedule, period));
    let (path, content) = match &found.dashboard {
        Dashboard::Website(id) => {
            let content = load_website(&call, id, when, texts).await?;
            (format!("/console/site/{id}"), content)
        }
        Dashboard::Board(id) => {
            let content = load_board(&call, id, when, texts).await?;
            (format!("/console/board/{id}"), content)
        }
    };
    let subject = ReportSubject {
        name: &found.name,
        schedule: &schedule,
        period,
        dashboard: &format!("{}{path}", call.shared.urls.base),
        texts,
    };
    let ReportMessage {
        title, text, html, ..
    } = ReportMessage::new(&subject, &content);
    Ok(PreviewOut { title, text, html })
}

async fn load_website(
    call: &Call,
    id: &WebsiteId,
    (schedule, period): (&Schedule, Period),
    texts: Texts,
) -> Result<ReportContent, Fault> {
    let target = v1::TargetQuery {
        website_id: Some(id.to_string()),
        timezone: Some(schedule.zone.name().to_owned()),
        ..v1::TargetQuery::default()
    };
    let query: Value = ReportContent::body(schedule, period);
    let answers = v1::answered(&call.shared, &call.caller, &target, query).await?;
    ReportContent::read(&answers, texts).map_err(Fault::internal)
}

async fn load_board(
    call: &Call,
    id: &BoardId,
    when: (&Schedule, Period),
    texts: Texts,
) -> Result<ReportContent, Fault> {
    let board = boards::find(call, Permission::BoardRead, id.as_str()).await?;
    let shown = (&board.organization, board.fields.panels.as_slice());
    let resources = call.shared.boards.resources();
    let reader = (BoardReader::Caller(&call.caller), texts);
    let now_ms = call.shared.clock.now_ms();
    let content = ReportContent::load_board(resources, shown, reader, when, now_ms);
    content.await.map_err(|error| {
        let error = format!("{error:#}");
        tracing::warn!(error, board.id = %id, "the report of a board cannot be shown");
        Fault::unavailable("The report can't be loaded right now. Try again in a few seconds.")
    })
}

/// A scheduled report, if the caller may change its dashboard.
async fn find(call: &Call, id: &str) -> Result<(ScheduledReport, OrganizationAccess), Fault> {
    let found = call.shared.scheduled_reports.get(id).await?;
    let about = ("scheduled report", id);
    dashboards::authorize_found(call, dashboards::WRITE, about, found, |one| &one.dashboard).await
}
