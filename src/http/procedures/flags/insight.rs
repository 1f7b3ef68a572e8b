//! What is known of flags beside what they are: who was asked about, who would see a change, which could go.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    super::{
        Call,
        fields::{Patch, within},
        websites,
    },
    GROUP, ScopeBody, find,
    scope::readable,
    without_shown_fields,
};
use crate::{
    access::Permission,
    actors::flags::{
        Flag, FlagFields, RecentContext, Scope, StaleReason, Status, constant,
        engine::{Compiled, Decision, Flags, Reason},
        stale,
    },
    analytics::run,
    clock::iso_ms,
    fault::{Fault, Issue},
    http::v1::target::{self, TargetQuery},
};

const DAY: i64 = 86_400_000;
/// Flags of an answer at most.
const MAX_ROWS: u32 = 10_000;
/// Changes that a preview spells out.
const MAX_SHOWN: usize = 50;

procedures! { GROUP;
    STATS = "stats", reads(WebsiteRead), stats(StatsBody, check) -> Vec<StatsOut>: "Count the flag evaluations that pages report";
    STALE = "stale", reads(WebsiteRead), stale_flags(StaleBody, check) -> Vec<StaleOut>:
        "List stale flags";
    PREVIEW = "preview", reads(FlagWrite), preview(PreviewBody, check) -> PreviewOut:
        "Preview which recent users would see a change, without saving it";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsBody {
    pub website_id: String,
    /// Days until now, 1 to 90.
    pub days: u32,
}

impl StatsBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        within(issues, "days", self.days, &(1..=90), "1 to 90");
    }
}

/// What pages have reported of a flag.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FlagStats")]
#[serde(rename_all = "camelCase")]
pub struct StatsOut {
    #[serde(alias = "flag")]
    pub key: String,
    /// Reports (`$flag_evaluated`): clients send one for each value of a flag and page view.
    #[serde(alias = "evaluations")]
    pub evaluation_count: u64,
    /// Visitors in them.
    #[serde(alias = "evaluated_users")]
    pub evaluated_users: u64,
    /// People that the website has identified.
    #[serde(alias = "identified_users")]
    pub identified_users: u64,
    #[serde(alias = "last_evaluated")]
    pub last_evaluated_at: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct StaleBody {
    #[serde(flatten)]
    pub scope: ScopeBody,
    /// Days for which nothing has happened, 1 to 365.
    #[serde(default = "usual_days")]
    pub days: u32,
}

impl StaleBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        within(issues, "days", self.days, &(1..=365), "1 to 365");
    }
}

const fn usual_days() -> u32 {
    30
}

/// A flag that could be taken out of the code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StaleFlag")]
#[serde(rename_all = "camelCase")]
pub struct StaleOut {
    pub id: String,
    pub key: String,
    pub name: Option<String>,
    pub status: Status,
    /// Why; at least one.
    pub reasons: Vec<StaleReason>,
    /// Its value for all users, if it is always the same.
    pub value: Option<Value>,
    pub last_evaluated_at: Option<String>,
    pub updated_at: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct PreviewBody {
    pub id: String,
    /// What would change, as `update` takes it.
    #[schemars(extend("minProperties" = 1))]
    pub change: Patch<FlagFields>,
}

impl PreviewBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if self.change.0.is_empty() {
            let message = "name a field of the flag: there is nothing to change";
            issues.push(Issue::new("missing", "change", message));
        }
    }
}

/// What a change would do to those who asked lately.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagPreview")]
#[serde(rename_all = "camelCase")]
pub struct PreviewOut {
    /// How many different contexts were looked at, at most 200: the last ones since the program was started.
    pub seen: usize,
    /// For how many of them the result would be another.
    pub changed: usize,
    /// For how many it would be turned on.
    pub turned_on: usize,
    /// For how many it would be turned off.
    pub turned_off: usize,
    /// The first 50, the newest first.
    pub changes: Vec<PreviewChange>,
}

/// What a change would do to a person.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FlagPreviewChange")]
pub struct PreviewChange {
    pub context: SeenOut,
    pub before: Decision<'static>,
    pub after: Decision<'static>,
}

/// Who asked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SeenFlagContext")]
#[serde(rename_all = "camelCase")]
pub struct SeenOut {
    pub user_id: Option<String>,
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
    pub country: Option<String>,
    pub device: Option<String>,
    pub seen_at: String,
}

impl From<RecentContext> for SeenOut {
    fn from(seen: RecentContext) -> Self {
        Self {
            user_id: seen.user_id,
            email: seen.email,
            organization_id: seen.organization_id,
            team_id: seen.team_id,
            properties: seen.properties,
            country: seen.country,
            device: seen.device,
            seen_at: iso_ms(seen.seen_ms),
        }
    }
}

async fn stats(call: Call, body: StatsBody) -> Result<Vec<StatsOut>, Fault> {
    let (website, proof) = websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let scope = Scope {
        organization: proof.organization().clone(),
        website: Some(website.id.clone()),
    };
    let reports = reports(&call, &scope, body.days).await?;
    let flags = call.shared.flags.view().list(&scope, None).await?;
    let out = |flag: Flag| StatsOut {
        key: flag.fields.key.clone(),
        ..reports.get(&flag.fields.key).cloned().unwrap_or_default()
    };
    Ok(flags.into_iter().map(out).collect())
}

async fn stale_flags(call: Call, body: StaleBody) -> Result<Vec<StaleOut>, Fault> {
    let scope = readable(&call, &body.scope)?;
    let reports = reports(&call, &scope, body.days).await?;
    let flags = call.shared.flags.view().list(&scope, None).await?;
    let now_ms = call.shared.clock.now_ms();
    let out = |flag: Flag| {
        let last = reports
            .get(&flag.fields.key)
            .and_then(|report| report.last_evaluated_at.clone());
        let last_ms = last.as_deref().and_then(|text| {
            let at = chrono::DateTime::parse_from_rfc3339(text).ok()?;
            Some(at.timestamp_millis())
        });
        let reasons = stale(&flag, last_ms, now_ms, body.days);
        (!reasons.is_empty()).then(|| StaleOut {
            reasons,
            value: constant(&flag),
            last_evaluated_at: last,
            updated_at: iso_ms(flag.updated_ms),
            id: flag.id.to_string(),
            status: flag.fields.status,
            name: flag.fields.name,
            key: flag.fields.key,
        })
    };
    Ok(flags.into_iter().filter_map(out).collect())
}

/// The query type of what pages report of flags.
const EVALUATIONS: &str = "flag_evaluations";

/// What pages have reported of flags in so many days until now, by key.
async fn reports(
    call: &Call,
    scope: &Scope,
    days: u32,
) -> Result<HashMap<String, StatsOut>, Fault> {
    let website = scope.website.as_ref();
    let query = TargetQuery {
        website_id: website.map(ToString::to_string),
        organization_id: website.is_none().then(|| scope.organization.to_string()),
        ..TargetQuery::default()
    };
    let target = target::resolve(&call.shared, &call.caller, &query).await?;
    let now_ms = call.shared.clock.now_ms();
    let body = json!({
        "parameters": [EVALUATIONS],
        "startDate": iso_ms(now_ms - i64::from(days) * DAY),
        "endDate": iso_ms(now_ms),
        "limit": MAX_ROWS,
    });
    let asked = run::Call {
        body: &body,
        timezone: None,
        now_ms,
    };
    let answers = run::execute(&call.shared.events, &target, asked).await?;
    let rows: Vec<StatsOut> = answers.rows(EVALUATIONS).map_err(Fault::unavailable)?;
    Ok(rows.into_iter().map(|row| (row.key.clone(), row)).collect())
}

async fn preview(call: Call, body: PreviewBody) -> Result<PreviewOut, Fault> {
    let flag = find(&call, &body.id, Permission::FlagWrite).await?;
    let view = call.shared.flags.view();
    let change = without_shown_fields(body.change.0);
    let after = view.preview_change(&flag, &change).await?;
    let beside = view.active(flag.scope.id()).cloned().unwrap_or_default();
    let before = beside.flags.get(flag.fields.key.as_str()).cloned();
    let now_ms = call.shared.clock.now_ms();
    let seen = view.recent_contexts().newest(flag.scope.id());
    let mut out = PreviewOut {
        seen: seen.len(),
        changed: 0,
        turned_on: 0,
        turned_off: 0,
        changes: Vec::new(),
    };
    for one in seen {
        let (was, is) = one.ask(now_ms, |context| {
            let decide = |flag: Option<&Compiled>, flags: &Flags| {
                flag.map_or_else(
                    || Decision::off(Reason::FlagNotFound),
                    |flag| flag.evaluate(flags, context).into_owned(),
                )
            };
            (
                decide(before.as_deref(), &beside.flags),
                decide(after.as_deref(), &beside.flags),
            )
        });
        if was == is {
            continue;
        }
        out.changed += 1;
        out.turned_on += usize::from(is.enabled && !was.enabled);
        out.turned_off += usize::from(was.enabled && !is.enabled);
        if out.changes.len() < MAX_SHOWN {
            out.changes.push(PreviewChange {
                context: one.into(),
                before: was,
                after: is,
            });
        }
    }
    Ok(out)
}
