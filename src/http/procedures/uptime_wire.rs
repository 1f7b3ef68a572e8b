//! What `/uptime/*` answers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Call, uptime_summary::UptimeOut};
use crate::{
    access::{Permission, authorize},
    actors::monitors::{
        Auth, Granularity, JsonParsing, Kind, LastCheck, Monitor, MonitorEntry, MonitorFields,
        RequestFields, State, StepFields, TransitionRecord,
    },
    clock::iso_ms,
    egress::Phase,
    fault::Fault,
};

const DAY_MS: i64 = 86_400_000;
/// Changes of a history.
const MAX_CHANGES: u64 = 200;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Schedule")]
#[serde(rename_all = "camelCase")]
pub struct ScheduleOut {
    pub id: String,
    pub organization_id: String,
    /// The short link whose target it checks.
    pub link_id: Option<String>,
    pub created_by: Option<String>,
    #[serde(flatten)]
    pub fields: MonitorFields,
    pub is_paused: bool,
    /// Its status.
    pub state: State,
    /// Whether checks do not count at the moment.
    pub in_maintenance: bool,
    /// Since when it is up, degraded or down.
    pub since: Option<String>,
    /// When it was checked last.
    pub last_checked_at: Option<String>,
    /// The heartbeat URL, with `/start` and `/fail` below it; for those who may change the monitor.
    pub push_url: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl ScheduleOut {
    pub(super) fn new(call: &Call, one: &MonitorEntry) -> Self {
        let (spec, live) = (one.spec(), one.live());
        let standing = live.standing;
        let since = (standing.settled != State::Unknown).then(|| iso_ms(standing.since_ms));
        Self {
            id: spec.id.to_string(),
            organization_id: spec.organization.to_string(),
            link_id: spec.link.as_ref().map(ToString::to_string),
            created_by: spec.created_by.as_ref().map(ToString::to_string),
            fields: hide_secrets(spec),
            is_paused: spec.is_paused,
            state: standing.state,
            in_maintenance: spec.in_maintenance(call.shared.clock.now_ms()),
            since,
            last_checked_at: live.last.as_ref().map(|last| iso_ms(last.at_ms)),
            push_url: push_url(call, spec),
            created_at: iso_ms(spec.created_ms),
            updated_at: iso_ms(spec.updated_ms),
        }
    }
}

/// A monitor with its last check and its website.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleWithCheck")]
#[serde(rename_all = "camelCase")]
pub struct WholeOut {
    #[serde(flatten)]
    pub schedule: ScheduleOut,
    /// `active`, or `missing` while it is paused.
    pub qstash_status: &'static str,
    pub website: Option<WebsiteOut>,
    pub last_check: Option<CheckOut>,
    /// Its uptime of the last 24 hours.
    pub last_day: UptimeOut,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorWebsite")]
pub struct WebsiteOut {
    pub id: String,
    pub name: String,
    pub domain: String,
}

impl WholeOut {
    pub(super) fn new(call: &Call, one: &MonitorEntry) -> Self {
        let websites = call.shared.websites.view();
        let website = one
            .spec()
            .website
            .as_ref()
            .and_then(|id| websites.by_id(id.as_str()));
        Self {
            schedule: ScheduleOut::new(call, one),
            qstash_status: if one.spec().is_paused {
                "missing"
            } else {
                "active"
            },
            website: website.map(|website| WebsiteOut {
                id: website.id.to_string(),
                name: website.name.clone(),
                domain: website.domain.clone(),
            }),
            last_check: one.live().last.as_ref().map(CheckOut::new),
            last_day: UptimeOut::new(&one.live().recent.day(call.shared.clock.now_ms())),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorCheck")]
#[serde(rename_all = "camelCase")]
pub struct CheckOut {
    pub at: String,
    /// 0 down, 1 up, 2 pending, 3 maintenance.
    pub status: u32,
    /// Status of the last answer, 0 = none.
    pub http_code: u16,
    /// Microseconds of each phase, summed over redirects.
    pub phases: BTreeMap<&'static str, u64>,
    /// Microseconds of all phases.
    pub total: u64,
    /// The address that was reached.
    pub address: Option<String>,
    pub bytes: u64,
    pub redirects: u32,
    pub ssl_expiry: Option<String>,
    pub ssl_valid: Option<bool>,
    pub error_class: Option<&'static str>,
    pub error: Option<String>,
    /// States and latencies of a health answer, by their place.
    pub parts: Option<Value>,
}

impl CheckOut {
    fn new(last: &LastCheck) -> Self {
        let phases = Phase::ALL
            .iter()
            .map(|phase| phase.as_str())
            .zip(last.phases);
        Self {
            at: iso_ms(last.at_ms),
            status: last.status,
            http_code: last.http_code,
            phases: phases.collect(),
            total: last.total_us(),
            address: last.address.clone(),
            bytes: last.bytes,
            redirects: last.redirects,
            ssl_expiry: last.ssl_expiry.map(iso_ms),
            ssl_valid: last.ssl_valid,
            error_class: last.error_class.map(crate::egress::Class::as_str),
            error: last.error.clone(),
            parts: last.parts.clone(),
        }
    }
}

/// The result of a change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleBrief")]
#[serde(rename_all = "camelCase")]
pub struct BriefOut {
    pub schedule_id: String,
    pub url: String,
    pub name: Option<String>,
    pub granularity: Option<Granularity>,
    pub cron: Option<String>,
    pub json_parsing_config: Option<JsonParsing>,
    /// The heartbeat URL (`push`).
    pub push_url: Option<String>,
}

impl BriefOut {
    pub(super) fn new(call: &Call, monitor: &Monitor) -> Self {
        let fields = hide_secrets(monitor);
        Self {
            schedule_id: monitor.id.to_string(),
            url: monitor.url.clone(),
            name: fields.name,
            granularity: fields.granularity,
            cron: fields.cron,
            json_parsing_config: fields.json_parsing_config,
            push_url: push_url(call, monitor),
        }
    }
}

/// The past of a monitor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleHistory")]
pub struct HistoryOut {
    /// Every day, oldest first, today last.
    pub days: Vec<DayOut>,
    /// When its status changed, newest first.
    pub changes: Vec<ChangeOut>,
}

/// A day (UTC) of a monitor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorDay")]
#[serde(rename_all = "camelCase")]
pub struct DayOut {
    pub date: String,
    /// Percent of the time with a known status; null when there is none.
    pub uptime_percentage: Option<f64>,
    pub successful_checks: u32,
    pub failed_checks: u32,
    pub downtime_seconds: f64,
    /// Seconds in which it was up.
    pub uptime_seconds: f64,
    /// Milliseconds of good checks on average; null when they were not measured.
    pub avg_response_time: Option<f64>,
}

/// A change of a monitor's status.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MonitorChange")]
#[serde(rename_all = "camelCase")]
pub struct ChangeOut {
    pub at: String,
    pub from: State,
    pub to: State,
    pub error_class: Option<String>,
    pub error: Option<String>,
    /// The monitor that it depends on and that was down: no alarm was sent.
    pub because_of: Option<String>,
}

impl HistoryOut {
    pub(super) async fn load(call: &Call, one: &MonitorEntry, days: u32) -> Result<Self, Fault> {
        let view = call.shared.monitors.view();
        let today = call.shared.clock.now_ms().div_euclid(DAY_MS) as i32;
        let first = today + 1 - days as i32;
        let known = view.days(&one.spec().id, first).await?;
        let changes = view.changes(&one.spec().id, MAX_CHANGES).await?;
        let day = |day: i32| {
            let known = known
                .iter()
                .find(|known| known.day == day)
                .copied()
                .unwrap_or_default();
            DayOut {
                date: iso_ms(i64::from(day) * DAY_MS).chars().take(10).collect(),
                uptime_percentage: known.uptime(),
                successful_checks: known.ups,
                failed_checks: known.downs,
                downtime_seconds: known.down_ms as f64 / 1_000.0,
                uptime_seconds: known.up_ms as f64 / 1_000.0,
                avg_response_time: known.response().map(|mean| (mean * 100.0).round() / 100.0),
            }
        };
        Ok(Self {
            days: (first..=today).map(day).collect(),
            changes: changes.into_iter().map(ChangeOut::new).collect(),
        })
    }
}

impl ChangeOut {
    fn new(noted: TransitionRecord) -> Self {
        let (error_class, error) = noted.error.unzip();
        Self {
            at: iso_ms(noted.at_ms),
            from: noted.from,
            to: noted.to,
            error_class,
            error,
            because_of: noted.because_of.map(String::from),
        }
    }
}

/// The heartbeat URL, for those who may change the monitor: it is a secret.
fn push_url(call: &Call, monitor: &Monitor) -> Option<String> {
    if monitor.kind != Kind::Push {
        return None;
    }
    authorize::organization(
        &call.caller,
        Permission::MonitorWrite,
        &monitor.organization,
    )
    .ok()?;
    let token = call.shared.monitors.view().push_token(monitor);
    Some(format!("{}/push/{token}", call.shared.urls.base))
}

/// The fields of a monitor as people may see them: no secrets.
fn hide_secrets(monitor: &Monitor) -> MonitorFields {
    let fields = &monitor.fields;
    MonitorFields {
        kind: monitor.kind,
        url: Some(monitor.url.clone()),
        website_id: monitor.website.as_ref().map(ToString::to_string),
        cron: fields
            .cron
            .clone()
            .or_else(|| Some(fields.granularity?.cron().to_owned())),
        cache_bust: Some(fields.cache_bust == Some(true)),
        request: fields.request.clone().map(mask_request),
        steps: fields.steps.clone().map(mask_steps),
        ..fields.clone()
    }
}

/// A request without what is secret in it.
fn mask_request(mut request: RequestFields) -> RequestFields {
    mask(request.headers.as_mut(), request.auth.as_mut());
    if let Some(community) = &mut request.community {
        community.clear();
    }
    request
}

fn mask_steps(mut steps: Vec<StepFields>) -> Vec<StepFields> {
    for step in &mut steps {
        mask(step.headers.as_mut(), step.auth.as_mut());
    }
    steps
}

fn mask(headers: Option<&mut BTreeMap<String, String>>, auth: Option<&mut Auth>) {
    const SECRET: [&str; 6] = ["auth", "cookie", "key", "secret", "token", "signature"];
    for (name, value) in headers.into_iter().flatten() {
        let name = name.to_ascii_lowercase();
        if SECRET.iter().any(|word| name.contains(word)) {
            value.clear();
        }
    }
    match auth {
        Some(Auth::Basic { password, .. }) => password.clear(),
        Some(Auth::Bearer { token }) => token.clear(),
        None => {}
    }
}
