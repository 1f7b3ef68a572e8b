//! `/websites/isTrackingSetup`: do events arrive, and if not, why?

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    Call,
    bodies::WebsiteIdBody,
    websites::{GROUP, find},
};
use crate::{
    access::{Permission, authorize},
    actors::websites::{Blocked, TrackingIssue, Website, find_tracking_issue},
    analytics::{
        ErrorTracking, Target,
        catalogue::Subject,
        run::{self, Answers},
    },
    clock::iso_ms,
    fault::Fault,
    pages::number,
};

const HOUR: i64 = 3_600_000;
/// Before the first event that is accepted.
const BEGINNING: &str = "2000-01-01";

procedures! { GROUP;
    IS_TRACKING_SETUP = "isTrackingSetup", reads(WebsiteRead), is_tracking_setup(WebsiteIdBody) -> TrackingOut:
        "Check whether the events of a website arrive, and what keeps them out";
}

/// Whether events of a website arrive.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrackingSetup")]
pub struct TrackingOut {
    /// Whether there are events.
    pub tracking_setup: bool,
    /// `manual` when there are events.
    pub integration_type: Option<&'static str>,
    /// Whether any event was ever stored.
    pub has_events: bool,
    /// Events stored in this hour and the 23 before.
    pub recent_events: u64,
    /// The state in a sentence.
    pub status_message: String,
    /// What keeps events out, if something does.
    pub tracking_issue: Option<IssueOut>,
}

/// What keeps events out, since the beginning of yesterday (UTC).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrackingIssue")]
#[serde(rename_all = "camelCase")]
pub struct IssueOut {
    /// `origin_not_authorized`, `origin_missing` or `ip_not_authorized`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `critical` when no event arrives at all, else `warning`.
    pub severity: &'static str,
    /// Refused requests.
    pub count: u64,
    pub origin: Option<String>,
    pub origin_host: Option<String>,
    pub expected_domain: String,
    pub last_seen: String,
    pub message: String,
    /// What to change.
    pub fix: String,
}

async fn is_tracking_setup(call: Call, body: WebsiteIdBody) -> Result<TrackingOut, Fault> {
    let (website, _) = find(&call, Permission::WebsiteRead, &body.website_id)?;
    let now_ms = call.shared.clock.now_ms();
    let yesterday = iso_ms(now_ms - 24 * HOUR);
    let today = iso_ms(now_ms);
    let question = json!({
        "parameters": [{ "name": "data_quality", "granularity": "hourly" }, "blocked_traffic"],
        "startDate": &yesterday[..10], "endDate": &today[..10], "limit": 1_000,
    });
    let answers = ask(&call, &website, &question).await?;
    let hours: Vec<Stored> = rows(&answers, "data_quality")?;
    let recent = &hours[hours.len().saturating_sub(24)..];
    let recent_events = recent.iter().map(|hour| hour.stored).sum();
    let blocked: Vec<BlockedRow> = rows(&answers, "blocked_traffic")?;
    let has_events = recent_events > 0 || ever(&call, &website, &today).await?;
    let blocked = blocked.into_iter().map(Blocked::from).collect();
    let trouble = find_tracking_issue(&website, blocked, recent_events);
    Ok(TrackingOut {
        tracking_setup: has_events,
        integration_type: has_events.then_some("manual"),
        has_events,
        recent_events,
        status_message: match (recent_events, has_events) {
            (0, false) => "No event has arrived yet".to_owned(),
            (0, true) => "No event has arrived in the last 24 hours".to_owned(),
            (1, _) => "1 event has arrived in the last 24 hours".to_owned(),
            (count, _) => format!(
                "{} events have arrived in the last 24 hours",
                number::full(count)
            ),
        },
        tracking_issue: trouble.map(|trouble| issue(&website, trouble)),
    })
}

/// Whether any event was stored, however long ago.
async fn ever(call: &Call, website: &Website, today: &str) -> Result<bool, Fault> {
    let question = json!({
        "parameters": ["data_quality_totals"], "startDate": BEGINNING, "endDate": &today[..10],
    });
    let answers = ask(call, website, &question).await?;
    let totals: Vec<Stored> = rows(&answers, "data_quality_totals")?;
    Ok(totals.iter().any(|row| row.stored > 0))
}

async fn ask(call: &Call, website: &Website, body: &Value) -> Result<Answers, Fault> {
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
    run::execute(&call.shared.events, &target, call_of_now).await
}

fn rows<R: DeserializeOwned>(answers: &Answers, label: &str) -> Result<Vec<R>, Fault> {
    let unavailable = |_| Fault::unavailable("The query engine is not available");
    answers.rows(label).map_err(unavailable)
}

/// Events that were stored in an hour, or ever.
#[derive(Deserialize)]
struct Stored {
    stored: u64,
}

/// Requests that were refused for one reason.
#[derive(Deserialize)]
struct BlockedRow {
    origin: Option<String>,
    reason: String,
    count: u64,
    last_seen: String,
    fix: String,
}

impl From<BlockedRow> for Blocked {
    fn from(row: BlockedRow) -> Self {
        Self {
            origin: row.origin.filter(|origin| origin != "(none)"),
            reason: row.reason,
            count: row.count,
            last_seen: row.last_seen,
            fix: row.fix,
        }
    }
}

fn issue(website: &Website, trouble: TrackingIssue) -> IssueOut {
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
