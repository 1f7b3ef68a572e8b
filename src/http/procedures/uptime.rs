//! `/uptime/*`.

use std::{sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Call, FAILED, Group,
    bodies::{OrganizationBody, WebsiteIdBody},
    fields::{Fields, Patch, require_change, within},
    success::Success,
    uptime_suggestions::{SuggestBody, suggest},
    uptime_summary::SummaryOut,
    uptime_wire::{BriefOut, HistoryOut, ScheduleOut, WholeOut},
};
use crate::{
    access::{Permission, authorize, plans::PlanResource},
    actors::monitors::{
        ChangeMonitor, CheckNow, CreateMonitor, DeleteMonitor, MonitorEntry, MonitorFields,
        PauseMonitor, RenewPush, Suggestions, TransferMonitors,
    },
    fault::{Fault, Issue},
    ids::OrganizationId,
    store::limits::{Bucket, Identity, Rate},
};

/// Every procedure of monitors is in it.
pub(super) const GROUP: Group = Group::new("uptime", "Uptime");

/// Rows of a list.
const MAX_LISTED: usize = 100;
/// Days of a history.
const DAYS: std::ops::RangeInclusive<u32> = 1..=400;
/// How long the answer to a manual check waits for it; the check goes on.
const PATIENCE: Duration = Duration::from_secs(3);
/// Manual checks of a monitor in a minute.
const CHECKS: Rate = Rate {
    bucket: Bucket::Check,
    max: 5,
    window_ms: 60_000,
};

procedures! { GROUP;
    LIST_SCHEDULES = "listSchedules", reads(MonitorRead), list(ListBody) -> Vec<ScheduleOut>:
        "List monitors, newest first, at most 100";
    LIST_SUMMARIES = "listSummaries", reads(MonitorRead), summaries(ListBody) -> Vec<SummaryOut>:
        "List the newest checks and the uptime of monitors, in the order of `listSchedules`";
    GET_SCHEDULE = "getSchedule", reads(MonitorRead), get(MonitorIdBody) -> WholeOut:
        "Get a monitor, its status and its last check";
    GET_SCHEDULE_BY_WEBSITE_ID = "getScheduleByWebsiteId", reads(MonitorRead),
        by_website(WebsiteIdBody) -> Option<ScheduleOut>:
        "Get the newest monitor of a website, or null";
    GET_SCHEDULE_HISTORY = "getScheduleHistory", reads(MonitorRead), history(HistoryBody, check) -> HistoryOut:
        "Get the days of a monitor, at most 400, and its status changes";
    CREATE_SCHEDULE = "createSchedule", changes(MonitorWrite), create(CreateBody) -> BriefOut:
        "Create a monitor; it is checked at once";
    UPDATE_SCHEDULE = "updateSchedule", changes(MonitorWrite), update(UpdateBody, check) -> BriefOut:
        "Change a monitor";
    DELETE_SCHEDULE = "deleteSchedule", changes(MonitorWrite), delete(MonitorIdBody) -> Success:
        "Delete a monitor; its checks stay";
    TOGGLE_PAUSE = "togglePause", changes(MonitorWrite), toggle(ToggleBody) -> PausedOut:
        "Pause or resume a monitor";
    PAUSE_SCHEDULE = "pauseSchedule", changes(MonitorWrite), pause(MonitorIdBody) -> PausedOut: "Pause a monitor";
    RESUME_SCHEDULE = "resumeSchedule", changes(MonitorWrite), resume(MonitorIdBody) -> PausedOut:
        "Resume a paused monitor";
    TRANSFER = "transfer", changes(MonitorWrite), transfer(TransferBody) -> Success:
        "Transfer a monitor to another organization";
    MANUAL_CHECK = "manualCheck", acts(MonitorWrite), check(MonitorIdBody) -> Success:
        "Check a monitor now, at most 5 times a minute";
    RENEW_PUSH_URL = "renewPushUrl", changes(MonitorWrite), renew(MonitorIdBody) -> BriefOut:
        "Renew the heartbeat URL of a push monitor; the old one stops at once";
    SUGGEST = "suggest", acts(MonitorWrite), suggest(SuggestBody) -> Suggestions:
        "Suggest monitors for an address after one look at it, at most 5 times a minute";
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "MonitorList")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Monitors of this group alone.
    pub group: Option<String>,
    /// Monitors with this tag alone.
    pub tag: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorIdBody {
    /// The monitor's id.
    pub schedule_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryBody {
    /// The monitor's id.
    pub schedule_id: String,
    /// Days (UTC) up to today, 1 to 400; 90 by default.
    #[serde(default = "usual_days")]
    pub days: u32,
}

const fn usual_days() -> u32 {
    90
}

impl HistoryBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        within(issues, "days", self.days, &DAYS, "1 to 400");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MonitorCreate")]
#[schemars(extend("anyOf" = [{ "required": ["granularity"] }, { "required": ["cron"] }]))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the website's organization, the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Whether it begins paused, without a check; false by default.
    pub is_paused: Option<bool>,
    #[serde(flatten)]
    pub fields: Fields<MonitorFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MonitorUpdate")]
#[schemars(extend("minProperties" = 2))]
#[serde(rename_all = "camelCase")]
pub struct UpdateBody {
    /// The monitor's id.
    pub schedule_id: String,
    /// What changes: the fields that `createSchedule` takes but for `organizationId` and `kind`. Null clears, what is not named
    /// stays, objects are changed field by field.
    #[serde(flatten)]
    pub fields: Patch<MonitorFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "at least one field");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToggleBody {
    /// The monitor's id.
    pub schedule_id: String,
    /// Whether it is paused.
    pub pause: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MonitorTransfer")]
#[serde(rename_all = "camelCase")]
pub struct TransferBody {
    /// The monitor's id.
    pub schedule_id: String,
    /// The new owner, in which the caller may create monitors.
    pub target_organization_id: String,
}

/// It worked, and whether it is paused.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MonitorPaused")]
pub struct PausedOut {
    pub success: bool,
    pub is_paused: bool,
}

async fn list(call: Call, body: ListBody) -> Result<Vec<ScheduleOut>, Fault> {
    let all = find_listed(&call, &body)?;
    Ok(all.iter().map(|one| ScheduleOut::new(&call, one)).collect())
}

async fn summaries(call: Call, body: ListBody) -> Result<Vec<SummaryOut>, Fault> {
    let all = find_listed(&call, &body)?;
    SummaryOut::load(&call.shared, &all).await
}

/// All monitors of an organization.
pub(in crate::http) fn list_all(
    call: &Call,
    body: OrganizationBody,
) -> Result<Vec<ScheduleOut>, Fault> {
    let proof = call.authorize(Permission::MonitorRead, body.organization_id.as_deref())?;
    let all = call
        .shared
        .monitors
        .view()
        .by_organization(proof.organization());
    Ok(all.iter().map(|one| ScheduleOut::new(call, one)).collect())
}

/// The monitors of a list.
fn find_listed(call: &Call, body: &ListBody) -> Result<Vec<Arc<MonitorEntry>>, Fault> {
    let proof = call.authorize(Permission::MonitorRead, body.organization_id.as_deref())?;
    let view = call.shared.monitors.view();
    let wanted = |one: &Arc<MonitorEntry>| {
        let fields = &one.spec().fields;
        let tagged = |tag: &String| fields.tags.as_ref().is_some_and(|tags| tags.contains(tag));
        body.tag.as_ref().is_none_or(tagged) && (body.group.is_none() || fields.group == body.group)
    };
    let all = view.by_organization(proof.organization()).into_iter();
    Ok(all.filter(wanted).take(MAX_LISTED).collect())
}

async fn get(call: Call, body: MonitorIdBody) -> Result<WholeOut, Fault> {
    let one = find(&call, Permission::MonitorRead, &body.schedule_id)?;
    Ok(WholeOut::new(&call, &one))
}

async fn by_website(call: Call, body: WebsiteIdBody) -> Result<Option<ScheduleOut>, Fault> {
    let website = Some(body.website_id.as_str());
    let proof = call.authorize_about(Permission::MonitorRead, None, website)?;
    let all = call
        .shared
        .monitors
        .view()
        .by_organization(proof.organization());
    let own = |one: &&Arc<MonitorEntry>| {
        let website = one.spec().website.as_ref();
        website.is_some_and(|id| id.as_str() == body.website_id)
    };
    Ok(all.iter().find(own).map(|one| ScheduleOut::new(&call, one)))
}

async fn history(call: Call, body: HistoryBody) -> Result<HistoryOut, Fault> {
    let one = find(&call, Permission::MonitorRead, &body.schedule_id)?;
    HistoryOut::load(&call, &one, body.days).await
}

async fn create(call: Call, body: CreateBody) -> Result<BriefOut, Fault> {
    let fields =
        MonitorFields::read(&body.fields.0).map_err(|issues| Fault::issues(FAILED, issues))?;
    let (named, website) = (
        body.organization_id.as_deref(),
        fields.website_id.as_deref(),
    );
    let proof = call.authorize_about(Permission::MonitorWrite, named, website)?;
    let message = CreateMonitor {
        organization: proof.organization().clone(),
        created_by: call.maker(proof.organization()),
        fields,
        is_paused: body.is_paused.unwrap_or_default(),
        allowance: call
            .shared
            .allowance(proof.organization(), PlanResource::Monitors),
    };
    let made = call.shared.monitors.ask(message).await?;
    Ok(BriefOut::new(&call, &made))
}

async fn update(call: Call, body: UpdateBody) -> Result<BriefOut, Fault> {
    let one = find(&call, Permission::MonitorWrite, &body.schedule_id)?;
    if let Some(Value::String(id)) = body.fields.0.get("websiteId") {
        call.authorize_about(Permission::MonitorWrite, None, Some(id))?;
    }
    let message = ChangeMonitor {
        id: one.spec().id.clone(),
        fields: body.fields.0,
    };
    let changed = call.shared.monitors.ask(message).await?;
    Ok(BriefOut::new(&call, &changed))
}

async fn delete(call: Call, body: MonitorIdBody) -> Result<Success, Fault> {
    let one = find(&call, Permission::MonitorWrite, &body.schedule_id)?;
    let id = one.spec().id.clone();
    call.shared.monitors.ask(DeleteMonitor { id }).await?;
    Ok(Success::YES)
}

async fn toggle(call: Call, body: ToggleBody) -> Result<PausedOut, Fault> {
    set_paused(&call, &body.schedule_id, body.pause).await
}

async fn pause(call: Call, body: MonitorIdBody) -> Result<PausedOut, Fault> {
    set_paused(&call, &body.schedule_id, true).await
}

async fn resume(call: Call, body: MonitorIdBody) -> Result<PausedOut, Fault> {
    set_paused(&call, &body.schedule_id, false).await
}

async fn set_paused(call: &Call, id: &str, pause: bool) -> Result<PausedOut, Fault> {
    let one = find(call, Permission::MonitorWrite, id)?;
    let message = PauseMonitor {
        id: one.spec().id.clone(),
        pause,
    };
    let changed = call.shared.monitors.ask(message).await?;
    Ok(PausedOut {
        success: true,
        is_paused: changed.is_paused,
    })
}

async fn transfer(call: Call, body: TransferBody) -> Result<Success, Fault> {
    let one = find(&call, Permission::MonitorWrite, &body.schedule_id)?;
    let target = OrganizationId::from(body.target_organization_id);
    let proof = authorize::organization(&call.caller, Permission::MonitorWrite, &target)?;
    let message = TransferMonitors {
        ids: vec![one.spec().id.clone()],
        to: proof.organization().clone(),
        allowance: call
            .shared
            .allowance(proof.organization(), PlanResource::Monitors),
        hook: None,
    };
    call.shared.monitors.ask(message).await?;
    Ok(Success::YES)
}

async fn check(call: Call, body: MonitorIdBody) -> Result<Success, Fault> {
    let one = find(&call, Permission::MonitorWrite, &body.schedule_id)?;
    let identity = Identity::from_name("monitor", one.spec().id.as_str());
    call.limit(identity, CHECKS).await?;
    let id = one.spec().id.clone();
    let stored = call.shared.monitors.ask(CheckNow { id }).await?;
    let _ = tokio::time::timeout(PATIENCE, stored).await;
    Ok(Success::YES)
}

async fn renew(call: Call, body: MonitorIdBody) -> Result<BriefOut, Fault> {
    let one = find(&call, Permission::MonitorWrite, &body.schedule_id)?;
    let id = one.spec().id.clone();
    let changed = call.shared.monitors.ask(RenewPush { id }).await?;
    Ok(BriefOut::new(&call, &changed))
}

/// A monitor that the caller may see or change.
fn find(call: &Call, permission: Permission, id: &str) -> Result<Arc<MonitorEntry>, Fault> {
    let found = call.shared.monitors.view().by_id(id).cloned();
    call.authorize_found(permission, ("Schedule", id), found, |one| {
        &one.spec().organization
    })
}
