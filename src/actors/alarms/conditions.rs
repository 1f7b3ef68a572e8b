//! Conditions of alarms by trigger type, read and checked.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::{TriggerType, reason::Measure};
use crate::{
    actors::issues::Issues,
    analytics::{catalogue, nearest},
    fault::Issue,
};

/// Monitors or tags of an alarm.
const MAX_NAMED: usize = 500;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Conditions {
    Monitors(MonitorConditions),
    Series(Series),
}

/// `uptime`, and `heartbeat` in the same format.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "UptimeConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct MonitorConditions {
    /// Only push monitors: `heartbeat`.
    #[serde(skip)]
    pub(super) push_alone: bool,
    pub(super) monitor_ids: Option<Vec<String>>,
    /// Only monitors with one of these tags.
    pub(super) tags: Option<Vec<String>>,
    /// Whether `down` fires it; true unless another condition is set.
    pub(super) down: Option<bool>,
    pub(super) degraded: bool,
    /// Failed checks in a row that fire it, before the monitor counts as down.
    pub(super) consecutive_failures: Option<u32>,
    /// It fires when a certificate expires within this many days.
    pub(super) certificate_days: Option<u32>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "HeartbeatConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Heartbeat {
    monitor_ids: Option<Vec<String>>,
}

/// A value over time with its limit.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Series {
    pub(super) query: String,
    pub(super) field: String,
    /// The query type and column of the divisor, which `minimum` applies to. The value is a percentage.
    pub(super) per: Option<(&'static str, &'static str)>,
    /// The column that `minimum` applies to, if it is not `field`.
    pub(super) weight: Option<&'static str>,
    /// No filters if null.
    pub(super) filters: Value,
    pub(super) daily: bool,
    pub(super) limit: Limit,
    /// The least weight of a value that counts.
    pub(super) minimum: f64,
    /// What the value is.
    pub(super) measure: Measure,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Limit {
    /// Whether it fires above `at`, rather than below.
    pub(super) above: bool,
    pub(super) at: f64,
    /// It resolves at `until`, or on the other side of it.
    pub(super) until: f64,
    /// `at` and `until` are multiples of the mean of the same hour on so many previous days.
    pub(super) usual_days: Option<usize>,
}

/// `traffic_spike` and `traffic_drop`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TrafficConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Traffic {
    factor: Option<f64>,
    recover_factor: Option<f64>,
    minimum: Option<f64>,
    days: usize,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            factor: None,
            recover_factor: None,
            minimum: None,
            days: 7,
        }
    }
}

/// `error_rate`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorRateConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Rate {
    threshold: Option<f64>,
    recover_at: Option<f64>,
    minimum: Option<f64>,
}

/// `web_vital`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "WebVitalConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Vital {
    metric: String,
    threshold: Option<f64>,
    recover_at: Option<f64>,
    minimum: Option<f64>,
}

/// `custom`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "CustomConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Custom {
    query: String,
    field: String,
    filters: Value,
    granularity: Option<String>,
    operator: Option<String>,
    threshold: Option<f64>,
    recover_at: Option<f64>,
    minimum: Option<f64>,
}

/// The schema of the conditions of all types.
pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "anyOf": [
        generator.subschema_for::<MonitorConditions>(),
        generator.subschema_for::<Heartbeat>(),
        generator.subschema_for::<Traffic>(),
        generator.subschema_for::<Rate>(),
        generator.subschema_for::<Vital>(),
        generator.subschema_for::<Custom>(),
    ] })
}

impl Conditions {
    pub(super) fn read(kind: TriggerType, fields: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        let mut issues = Issues::with_prefix("triggerConditions.");
        let read = match kind {
            TriggerType::Uptime => Self::Monitors(uptime(parse(fields)?, &mut issues)),
            TriggerType::Heartbeat => Self::Monitors(heartbeat(parse(fields)?, &mut issues)),
            TriggerType::TrafficSpike => Self::Series(traffic(&parse(fields)?, true, &mut issues)),
            TriggerType::TrafficDrop => Self::Series(traffic(&parse(fields)?, false, &mut issues)),
            TriggerType::ErrorRate => Self::Series(error_rate(&parse(fields)?, &mut issues)),
            TriggerType::WebVital => Self::Series(web_vital(&parse(fields)?, &mut issues)),
            TriggerType::Custom => Self::Series(custom(parse(fields)?, &mut issues)),
        };
        issues.finish(read)
    }
}

fn parse<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T, Vec<Issue>> {
    serde_path_to_error::deserialize(Value::Object(fields.clone())).map_err(|error| {
        let inner = error.path().to_string();
        let field = if inner == "." {
            "triggerConditions".to_owned()
        } else {
            format!("triggerConditions.{inner}")
        };
        vec![Issue::new("invalid_type", field, error.inner().to_string())]
    })
}

/// A number within bounds, or the default.
fn number(
    issues: &mut Issues,
    (field, given, default): (&str, Option<f64>, f64),
    (least, most): (f64, f64),
) -> f64 {
    let value = given.unwrap_or(default);
    let message = format_args!("`{field}` is {least} to {most}");
    issues.require((least..=most).contains(&value), "invalid", field, message);
    value
}

fn check_names(issues: &mut Issues, names: Option<&Vec<String>>, field: &str) {
    let holds = names.is_none_or(|names| (1..=MAX_NAMED).contains(&names.len()));
    let message = format_args!("`{field}` has 1 to {MAX_NAMED} entries");
    issues.require(holds, "invalid", field, message);
}

/// A limit: `what` names the threshold in the error, and `field` the recovery value.
fn limit(
    issues: &mut Issues,
    above: bool,
    (what, at): (&str, f64),
    (field, until): (&str, Option<f64>),
) -> Limit {
    let until = until.unwrap_or(at);
    let (is_wrong, side) = if above {
        (until > at, "below")
    } else {
        (until < at, "above")
    };
    let message = format_args!("must be at the {what} or {side} it");
    issues.require(!is_wrong, "invalid", field, message);
    Limit {
        above,
        at,
        until,
        usual_days: None,
    }
}

fn minimum(issues: &mut Issues, given: Option<f64>, default: f64) -> f64 {
    number(issues, ("minimum", given, default), (0.0, 1e12))
}

fn uptime(mut fields: MonitorConditions, issues: &mut Issues) -> MonitorConditions {
    check_names(issues, fields.monitor_ids.as_ref(), "monitorIds");
    check_names(issues, fields.tags.as_ref(), "tags");
    for (field, given, most) in [
        ("consecutiveFailures", fields.consecutive_failures, 100),
        ("certificateDays", fields.certificate_days, 365),
    ] {
        let holds = given.is_none_or(|given| (1..=most).contains(&given));
        let message = format_args!("`{field}` is 1 to {most}");
        issues.require(holds, "invalid", field, message);
    }
    let other = fields.degraded
        || fields.consecutive_failures.is_some()
        || fields.certificate_days.is_some();
    let down = *fields.down.get_or_insert(!other);
    if !down && !other {
        issues.refuse("invalid", "down", "choose at least one condition");
    }
    fields
}

fn heartbeat(fields: Heartbeat, issues: &mut Issues) -> MonitorConditions {
    check_names(issues, fields.monitor_ids.as_ref(), "monitorIds");
    MonitorConditions {
        push_alone: true,
        monitor_ids: fields.monitor_ids,
        down: Some(true),
        ..MonitorConditions::default()
    }
}

/// More page views than usual at this hour, or fewer.
fn traffic(fields: &Traffic, above: bool, issues: &mut Issues) -> Series {
    let (usual, bounds) = if above {
        (2.0, (1.1, 100.0))
    } else {
        (0.5, (0.01, 0.95))
    };
    let factor = number(issues, ("factor", fields.factor, usual), bounds);
    let until = ("recoverFactor", fields.recover_factor);
    let limit = limit(issues, above, ("factor", factor), until);
    if !(1..=28).contains(&fields.days) {
        issues.refuse("invalid", "days", "`days` is 1 to 28");
    }
    Series {
        query: "events_by_date".to_owned(),
        field: "pageviews".to_owned(),
        limit: Limit {
            usual_days: Some(fields.days),
            ..limit
        },
        minimum: minimum(issues, fields.minimum, 100.0),
        measure: Measure::Pageviews,
        ..Series::default()
    }
}

fn error_rate(fields: &Rate, issues: &mut Issues) -> Series {
    let at = number(issues, ("threshold", fields.threshold, 5.0), (0.0, 1e6));
    Series {
        query: "error_trends".to_owned(),
        field: "errors".to_owned(),
        per: Some(("events_by_date", "pageviews")),
        limit: limit(
            issues,
            true,
            ("threshold", at),
            ("recoverAt", fields.recover_at),
        ),
        minimum: minimum(issues, fields.minimum, 100.0),
        measure: Measure::ErrorRate,
        ..Series::default()
    }
}

/// Vitals with their columns and default limits (milliseconds, except CLS).
const VITALS: [(&str, &str, f64); 5] = [
    ("LCP", "p75_lcp", 2_500.0),
    ("INP", "p75_inp", 200.0),
    ("CLS", "p75_cls", 0.1),
    ("FCP", "p75_fcp", 1_800.0),
    ("TTFB", "p75_ttfb", 800.0),
];

fn web_vital(fields: &Vital, issues: &mut Issues) -> Series {
    let metric = fields.metric.to_ascii_uppercase();
    let known = VITALS.iter().find(|(name, ..)| *name == metric);
    if known.is_none() {
        issues.refuse(
            "invalid",
            "metric",
            "`metric` must be LCP, INP, CLS, FCP or TTFB",
        );
    }
    let (_, column, good) = known.copied().unwrap_or(VITALS[0]);
    let at = number(issues, ("threshold", fields.threshold, good), (0.0, 1e6));
    Series {
        query: "web_vitals_time_series".to_owned(),
        field: column.to_owned(),
        weight: Some("measurements"),
        limit: limit(
            issues,
            true,
            ("threshold", at),
            ("recoverAt", fields.recover_at),
        ),
        minimum: minimum(issues, fields.minimum, 50.0),
        measure: Measure::Percentile(metric),
        ..Series::default()
    }
}

fn check_query(fields: &Custom, issues: &mut Issues) {
    match catalogue::find(&fields.query) {
        None => {
            let names = catalogue::all().map(|kind| kind.name);
            let meant = nearest(&fields.query, names).unwrap_or("events_by_date");
            let message = format!("`query` must be a query type, such as `{meant}`");
            issues.refuse("invalid", "query", message);
        }
        Some(kind) if !kind.is_series() => {
            let message = format!(
                "`{}` is not a time series. Choose a query type by day or hour",
                fields.query
            );
            issues.refuse("invalid", "query", message);
        }
        Some(_) if fields.field.is_empty() => {
            issues.refuse(
                "invalid",
                "field",
                "`field` must be a column of the query type",
            );
        }
        Some(_) => {}
    }
}

fn custom(fields: Custom, issues: &mut Issues) -> Series {
    check_query(&fields, issues);
    if fields.threshold.is_none_or(|at| !at.is_finite()) {
        issues.refuse("invalid", "threshold", "`threshold` must be a number");
    }
    let at = fields.threshold.unwrap_or_default();
    let limit = match fields.operator.as_deref() {
        None | Some("above" | "below") => {
            let above = fields.operator.as_deref() != Some("below");
            limit(
                issues,
                above,
                ("threshold", at),
                ("recoverAt", fields.recover_at),
            )
        }
        Some(_) => {
            issues.refuse(
                "invalid",
                "operator",
                "`operator` must be `above` or `below`",
            );
            Limit::default()
        }
    };
    let daily = fields.granularity.as_deref() == Some("daily");
    if !daily && !matches!(fields.granularity.as_deref(), None | Some("hourly")) {
        issues.refuse(
            "invalid",
            "granularity",
            "`granularity` must be `hourly` or `daily`",
        );
    }
    Series {
        measure: Measure::Column {
            query: fields.query.clone(),
            field: fields.field.clone(),
        },
        query: fields.query,
        field: fields.field,
        filters: fields.filters,
        daily,
        limit,
        minimum: minimum(issues, fields.minimum, 0.0),
        ..Series::default()
    }
}
