//! `/websites/isTrackingSetup`: do events arrive, and if not, why?

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Call, Input, Needs, Procedure,
    websites::{GROUP, find},
};
use crate::{
    access::{Permission, authorize},
    actors::websites::{Blocked, Trouble, Website, trouble},
    analytics::{ErrorTracking, Target, catalogue::Subject, run},
    clock::iso_ms,
    fault::Fault,
};

const HOUR: i64 = 3_600_000;
/// Before the first event that is accepted.
const BEGINNING: &str = "2000-01-01";

pub(super) fn procedures() -> Vec<Procedure> {
    vec![
        GROUP
            .procedure(
                "isTrackingSetup",
                Needs::Permission(Permission::WebsiteRead),
                "Whether events of a website arrive, and what keeps them out",
                is_tracking_setup,
            )
            .reading(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TrackingBody {
    /// The website's id.
    website_id: String,
}

impl Input for TrackingBody {}

/// Whether events of a website arrive.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrackingSetup")]
struct TrackingOut {
    /// Whether there are events.
    tracking_setup: bool,
    /// `manual` when there are events.
    integration_type: Option<&'static str>,
    /// Whether any event was ever stored.
    has_events: bool,
    /// Events stored in this hour and the 23 before.
    recent_events: u64,
    /// The state in a sentence.
    status_message: String,
    /// What keeps events out, if something does.
    tracking_issue: Option<IssueOut>,
}

/// What keeps events out, since the beginning of yesterday (UTC).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrackingIssue")]
#[serde(rename_all = "camelCase")]
struct IssueOut {
    /// `origin_not_authorized`, `origin_missing` or `ip_not_authorized`.
    #[serde(rename = "type")]
    kind: String,
    /// `critical` when no event arrives at all, else `warning`.
    severity: &'static str,
    /// Refused requests.
    count: u64,
    origin: Option<String>,
    origin_host: Option<String>,
    expected_domain: String,
    last_seen: String,
    message: String,
    /// What to change.
    fix: String,
}

async fn is_tracking_setup(call: Call, body: TrackingBody) -> Result<TrackingOut, Fault> {
    let (website, _) = find(&call, Permission::WebsiteRead, &body.website_id)?;
    let now_ms = call.shared.clock.now_ms();
    let yesterday = iso_ms(now_ms - 24 * HOUR);
    let today = iso_ms(now_ms);
    let question = json!({
        "parameters": [{ "name": "data_quality", "granularity": "hourly" }, "blocked_traffic"],
        "startDate": &yesterday[..10], "endDate": &today[..10], "limit": 1_000,
    });
    let answer = ask(&call, &website, &question).await?;
    let hours = rows(&answer, 0);
    let recent = &hours[hours.len().saturating_sub(24)..];
    let recent_events = recent.iter().map(|hour| number(hour, "stored")).sum();
    let has_events = recent_events > 0 || ever(&call, &website, &today).await?;
    let blocked = rows(&answer, 1).iter().map(blocked).collect();
    let trouble = trouble(&website, blocked, recent_events);
    Ok(TrackingOut {
        tracking_setup: has_events,
        integration_type: has_events.then_some("manual"),
        has_events,
        recent_events,
        status_message: match (recent_events, has_events) {
            (0, false) => "No event has arrived yet".to_owned(),
            (0, true) => "No event has arrived in the last 24 hours".to_owned(),
            (1, _) => "1 event has arrived in the last 24 hours".to_owned(),
            (count, _) => format!("{count} events have arrived in the last 24 hours"),
        },
        tracking_issue: trouble.map(|trouble| issue(&website, trouble)),
    })
}

/// Whether any event was stored, however long ago.
async fn ever(call: &Call, website: &Website, today: &str) -> Result<bool, Fault> {
    let question = json!({
        "parameters": ["data_quality_totals"], "startDate": BEGINNING, "endDate": &today[..10],
    });
    let answer = ask(call, website, &question).await?;
    Ok(rows(&answer, 0).iter().any(|row| number(row, "stored") > 0))
}

async fn ask(call: &Call, website: &Website, body: &Value) -> Result<Value, Fault> {
    let target = Target {
        access: authorize::read_website(&call.caller, Some(&website.site()))?,
        anonymous: false,
        subject: Some(Subject::Website),
        domain: Some(website.domain.clone()),
        lenient: Vec::new(),
        websites: HashMap::new(),
        error_tracking: ErrorTracking::Included,
        people: None,
    };
    let call_of_now = run::Call {
        body,
        timezone: None,
        now_ms: call.shared.clock.now_ms(),
    };
    let answer = run::execute(&call.shared.events, &target, call_of_now).await?;
    let answered = answer["data"].as_array();
    if answered.is_some_and(|data| data.iter().all(|one| one["success"] == true)) {
        Ok(answer)
    } else {
        Err(Fault::unavailable("The query engine is not available"))
    }
}

fn rows(answer: &Value, parameter: usize) -> &[Value] {
    let rows = answer["data"][parameter]["data"].as_array();
    rows.map_or(&[], Vec::as_slice)
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or(0)
}

fn blocked(row: &Value) -> Blocked {
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    Blocked {
        origin: Some(text("origin")).filter(|origin| origin != "(none)"),
        reason: text("reason"),
        count: number(row, "count"),
        last_seen: text("last_seen"),
        fix: text("fix"),
    }
}

fn issue(website: &Website, trouble: Trouble) -> IssueOut {
    IssueOut {
        kind: trouble.blocked.reason,
        severity: if trouble.is_critical {
            "critical"
        } else {
            "warning"
        },
        count: trouble.blocked.count,
        origin: trouble.blocked.origin,
        origin_host: trouble.origin_host,
        expected_domain: website.domain.clone(),
        last_seen: trouble.blocked.last_seen,
        message: trouble.message,
        fix: trouble.blocked.fix,
    }
}
