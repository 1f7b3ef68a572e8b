//! When an alarm goes off, by its type: what people say of it, read and checked.

use std::fmt::Display;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::TriggerType;
use crate::{
    actors::issues::Issues,
    analytics::{catalogue, nearest},
    fault::Issue,
};

/// Monitors that an alarm names at most.
const MAX_NAMED: usize = 500;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Conditions {
    Monitors(MonitorConditions),
    Series(Series),
}

/// `uptime`, and `heartbeat` in the same form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "UptimeConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct MonitorConditions {
    /// Push monitors alone: `heartbeat`.
    #[serde(skip)]
    pub(super) push_alone: bool,
    /// These monitors alone.
    pub(super) monitor_ids: Option<Vec<String>>,
    /// Monitors with one of these tags alone.
    pub(super) tags: Option<Vec<String>>,
    /// Whether `down` sets it off; true unless something else does.
    pub(super) down: Option<bool>,
    pub(super) degraded: bool,
    /// Failed checks in a row that do, before the monitor counts as down.
    pub(super) consecutive_failures: Option<u32>,
    /// Days before a certificate's end that do.
    pub(super) certificate_days: Option<u32>,
}

/// `heartbeat`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "HeartbeatConditions")]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Heartbeat {
    /// These push monitors alone.
    monitor_ids: Option<Vec<String>>,
}

/// A value over time, and when it is too much or too little.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Series {
    pub(super) query: String,
    pub(super) field: String,
    /// The type and column that it is divided by, times a hundred, and that `minimum` is about.
    pub(super) per: Option<(&'static str, &'static str)>,
    /// The column that `minimum` is about, when it is another.
    pub(super) weight: Option<&'static str>,
    /// None where it is null.
    pub(super) filters: Value,
    pub(super) daily: bool,
    pub(super) limit: Limit,
    /// How much a value has to rest on, so that it says something.
    pub(super) minimum: f64,
    /// What the value is called in a sentence.
    pub(super) called: String,
}

/// When a value is too much, or too little.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Limit {
    /// Whether it goes off above `at`, rather than below.
    pub(super) above: bool,
    pub(super) at: f64,
    /// Where it ends: at `until`, or on the other side of it.
    pub(super) until: f64,
    /// So many days before: `at` and `until` are multiples of the mean of their same hour.
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
    /// Reads what is said.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub(super) fn read(kind: TriggerType, said: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        let mut issues = Wrong::default();
        let read = match kind {
            TriggerType::Uptime => Self::Monitors(uptime(parse(said)?, &mut issues)),
            TriggerType::Heartbeat => Self::Monitors(heartbeat(parse(said)?, &mut issues)),
            TriggerType::TrafficSpike => Self::Series(traffic(&parse(said)?, true, &mut issues)),
            TriggerType::TrafficDrop => Self::Series(traffic(&parse(said)?, false, &mut issues)),
            TriggerType::ErrorRate => Self::Series(error_rate(&parse(said)?, &mut issues)),
            TriggerType::WebVital => Self::Series(web_vital(&parse(said)?, &mut issues)),
            TriggerType::Custom => Self::Series(custom(parse(said)?, &mut issues)),
        };
        issues.0.finish(read)
    }
}

fn parse<T: DeserializeOwned>(said: &Map<String, Value>) -> Result<T, Vec<Issue>> {
    serde_path_to_error::deserialize(Value::Object(said.clone())).map_err(|error| {
        let inner = error.path().to_string();
        let place = if inner == "." {
            "triggerConditions".to_owned()
        } else {
            format!("triggerConditions.{inner}")
        };
        vec![Issue::new("invalid_type", place, error.inner().to_string())]
    })
}

/// What is wrong with conditions.
#[derive(Default)]
struct Wrong(Issues);

impl Wrong {
    fn add(&mut self, field: &str, message: impl Display) {
        let place = format!("triggerConditions.{field}");
        self.0.refuse("invalid", &place, message);
    }

    /// A number within bounds, or the usual one.
    fn number(
        &mut self,
        (field, given, usual): (&str, Option<f64>, f64),
        (least, most): (f64, f64),
    ) -> f64 {
        let value = given.unwrap_or(usual);
        if !(least..=most).contains(&value) {
            self.add(field, format!("`{field}` is {least} to {most}"));
        }
        value
    }

    fn named(&mut self, ids: Option<&Vec<String>>, field: &str) {
        if ids.is_some_and(|ids| ids.is_empty() || ids.len() > MAX_NAMED) {
            self.add(field, format!("`{field}` has 1 to {MAX_NAMED} entries"));
        }
    }

    /// Where it goes off, and where it ends: `field` is the name of that, and `what` the word for the first.
    fn limit(
        &mut self,
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
        if is_wrong {
            self.add(field, format!("it ends at its {what} or {side}"));
        }
        Limit {
            above,
            at,
            until,
            usual_days: None,
        }
    }

    fn minimum(&mut self, given: Option<f64>, usual: f64) -> f64 {
        self.number(("minimum", given, usual), (0.0, 1e12))
    }
}

fn uptime(mut said: MonitorConditions, issues: &mut Wrong) -> MonitorConditions {
    issues.named(said.monitor_ids.as_ref(), "monitorIds");
    issues.named(said.tags.as_ref(), "tags");
    for (field, given, most) in [
        ("consecutiveFailures", said.consecutive_failures, 100),
        ("certificateDays", said.certificate_days, 365),
    ] {
        if given.is_some_and(|given| !(1..=most).contains(&given)) {
            issues.add(field, format!("`{field}` is 1 to {most}"));
        }
    }
    let other =
        said.degraded || said.consecutive_failures.is_some() || said.certificate_days.is_some();
    let down = *said.down.get_or_insert(!other);
    if !down && !other {
        issues.add("down", "nothing sets it off: name what does");
    }
    said
}

fn heartbeat(said: Heartbeat, issues: &mut Wrong) -> MonitorConditions {
    issues.named(said.monitor_ids.as_ref(), "monitorIds");
    MonitorConditions {
        push_alone: true,
        monitor_ids: said.monitor_ids,
        down: Some(true),
        ..MonitorConditions::default()
    }
}

/// More page views than usual at this hour, or fewer.
fn traffic(said: &Traffic, above: bool, issues: &mut Wrong) -> Series {
    let (usual, bounds) = if above {
        (2.0, (1.1, 100.0))
    } else {
        (0.5, (0.01, 0.95))
    };
    let factor = issues.number(("factor", said.factor, usual), bounds);
    let until = ("recoverFactor", said.recover_factor);
    let limit = issues.limit(above, ("factor", factor), until);
    if !(1..=28).contains(&said.days) {
        issues.add("days", "`days` is 1 to 28");
    }
    Series {
        query: "events_by_date".to_owned(),
        field: "pageviews".to_owned(),
        limit: Limit {
            usual_days: Some(said.days),
            ..limit
        },
        minimum: issues.minimum(said.minimum, 100.0),
        called: "page views".to_owned(),
        ..Series::default()
    }
}

fn error_rate(said: &Rate, issues: &mut Wrong) -> Series {
    let at = issues.number(("threshold", said.threshold, 5.0), (0.0, 1e6));
    Series {
        query: "error_trends".to_owned(),
        field: "errors".to_owned(),
        per: Some(("events_by_date", "pageviews")),
        limit: issues.limit(true, ("threshold", at), ("recoverAt", said.recover_at)),
        minimum: issues.minimum(said.minimum, 100.0),
        called: "errors per hundred page views".to_owned(),
        ..Series::default()
    }
}

/// Vitals, their column, and what is still good (milliseconds, but for CLS).
const VITALS: [(&str, &str, f64); 5] = [
    ("LCP", "p75_lcp", 2_500.0),
    ("INP", "p75_inp", 200.0),
    ("CLS", "p75_cls", 0.1),
    ("FCP", "p75_fcp", 1_800.0),
    ("TTFB", "p75_ttfb", 800.0),
];

fn web_vital(said: &Vital, issues: &mut Wrong) -> Series {
    let metric = said.metric.to_ascii_uppercase();
    let known = VITALS.iter().find(|(name, ..)| *name == metric);
    if known.is_none() {
        issues.add("metric", "`metric` is LCP, INP, CLS, FCP or TTFB");
    }
    let (_, column, good) = known.copied().unwrap_or(VITALS[0]);
    let at = issues.number(("threshold", said.threshold, good), (0.0, 1e6));
    Series {
        query: "web_vitals_time_series".to_owned(),
        field: column.to_owned(),
        weight: Some("measurements"),
        limit: issues.limit(true, ("threshold", at), ("recoverAt", said.recover_at)),
        minimum: issues.minimum(said.minimum, 50.0),
        called: format!("the 75th percentile of {metric}"),
        ..Series::default()
    }
}

fn custom(said: Custom, issues: &mut Wrong) -> Series {
    match catalogue::find(&said.query) {
        None => {
            let names = catalogue::all().map(|kind| kind.name);
            let meant = nearest(&said.query, names).unwrap_or("events_by_date");
            let message = format!("`query` is the name of a query type, such as `{meant}`");
            issues.add("query", message);
        }
        Some(kind) if !kind.is_series() => {
            let message = format!("`{}` is no series: choose one by day or hour", said.query);
            issues.add("query", message);
        }
        Some(_) if said.field.is_empty() => issues.add("field", "`field` names a column"),
        Some(_) => {}
    }
    if said.threshold.is_none_or(|at| !at.is_finite()) {
        issues.add("threshold", "`threshold` is a number");
    }
    let at = said.threshold.unwrap_or_default();
    let limit = match said.operator.as_deref() {
        None | Some("above" | "below") => {
            let above = said.operator.as_deref() != Some("below");
            issues.limit(above, ("threshold", at), ("recoverAt", said.recover_at))
        }
        Some(_) => {
            issues.add("operator", "`operator` is `above` or `below`");
            Limit::default()
        }
    };
    let daily = said.granularity.as_deref() == Some("daily");
    if !daily && !matches!(said.granularity.as_deref(), None | Some("hourly")) {
        issues.add("granularity", "`granularity` is `hourly` or `daily`");
    }
    Series {
        called: format!("`{}` of {}", said.field, said.query),
        query: said.query,
        field: said.field,
        filters: said.filters,
        daily,
        limit,
        minimum: issues.minimum(said.minimum, 0.0),
        ..Series::default()
    }
}
