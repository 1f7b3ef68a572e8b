//! What questions have in common: about what, and when.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::{Call, websites};
use crate::{
    access::{Permission, authorize},
    analytics::{
        Target, catalogue,
        range::Preset,
        run::{self, QueryResult},
    },
    fault::{Fault, Issue},
    http::v1::target::{self, TargetQuery},
    ids::OrganizationId,
};

/// The period of a question that names none.
const USUAL: &str = "last_7d";

/// What a question is about; without anything the caller's website, or the whole organization.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TargetBody {
    /// A website, by id.
    pub website_id: Option<String>,
    /// A short link, by id, for `link_…` types.
    pub link_id: Option<String>,
    /// A monitor, by id, for `uptime_…` types.
    pub monitor_id: Option<String>,
    /// All that an organization has, by its id.
    pub organization_id: Option<String>,
}

impl TargetBody {
    /// Whose rows are meant, with the proof that they may be read.
    pub(super) async fn resolve(&self, call: &Call) -> Result<Target, Fault> {
        if let Some(id) = self.website_id.as_deref() {
            websites::find(call, Permission::WebsiteRead, id)?;
        }
        if let Some(id) = self.organization_id.as_deref() {
            let organization = OrganizationId::from(id);
            authorize::organization(&call.caller, Permission::WebsiteRead, &organization)?;
        }
        let query = TargetQuery {
            website_id: self.website_id.clone(),
            link_id: self.link_id.clone(),
            schedule_id: self.monitor_id.clone(),
            organization_id: self.organization_id.clone(),
            timezone: None,
        };
        target::resolve(&call.shared, &call.caller, &query).await
    }
}

/// The period of a question: a preset, or both dates; by default the last seven days.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PeriodBody {
    /// A period by name.
    #[schemars(schema_with = "preset_name")]
    pub preset: Option<String>,
    /// Its first day, `YYYY-MM-DD`; with `to`, instead of `preset`.
    pub from: Option<String>,
    /// Its last day, `YYYY-MM-DD`; with `from`.
    pub to: Option<String>,
    /// The zone in which days begin, such as `Europe/Berlin`; UTC by default.
    pub time_zone: Option<String>,
}

impl PeriodBody {
    pub(super) fn check(&self, place: &str, issues: &mut Vec<Issue>) {
        let mut refuse = |field: &str, message: &str| {
            issues.push(Issue::new(
                "invalid_value",
                format!("{place}{field}"),
                message.to_owned(),
            ));
        };
        match (&self.preset, &self.from, &self.to) {
            (_, Some(_), None) => refuse("to", "`from` needs `to`: give both dates, or `preset`"),
            (_, None, Some(_)) => refuse("from", "`to` needs `from`: give both dates, or `preset`"),
            (Some(_), Some(_), _) => {
                refuse("preset", "give `preset`, or `from` and `to`, not both");
            }
            _ => {}
        }
    }

    /// Puts it into the body of a query.
    pub(super) fn put(&self, body: &mut Map<String, Value>) {
        if let (Some(from), Some(to)) = (&self.from, &self.to) {
            body.insert("startDate".to_owned(), json!(from));
            body.insert("endDate".to_owned(), json!(to));
        } else {
            let preset = self.preset.as_deref().unwrap_or(USUAL);
            body.insert("preset".to_owned(), json!(preset));
        }
        if let Some(zone) = &self.time_zone {
            body.insert("timeZone".to_owned(), json!(zone));
        }
    }
}

fn preset_name(_: &mut SchemaGenerator) -> Schema {
    let names = Preset::ALL.map(|(name, _)| name);
    json_schema!({ "type": "string", "enum": names })
}

/// One of the query types.
pub(super) fn type_name(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = catalogue::all().map(|kind| kind.name).collect();
    json_schema!({ "type": "string", "enum": names })
}

/// Runs one body of `/v1/query` and gives what became of its only parameter.
pub(super) async fn run(call: &Call, target: &Target, body: Value) -> Result<QueryResult, Fault> {
    let asked = run::Call {
        body: &body,
        timezone: None,
        now_ms: call.shared.clock.now_ms(),
    };
    let answers = run::execute(&call.shared.events, target, asked).await?;
    let only = answers.into_results().pop();
    only.ok_or_else(|| Fault::internal(anyhow::anyhow!("a query of one parameter has no result")))
}

/// Rows by the names of their columns.
pub(super) fn objects(rows: Vec<Value>) -> Vec<Map<String, Value>> {
    let object = |row| match row {
        Value::Object(row) => Some(row),
        _ => None,
    };
    rows.into_iter().filter_map(object).collect()
}
