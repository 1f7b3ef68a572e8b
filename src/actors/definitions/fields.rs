//! What people say of what they save, as it is on the wire and in rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    Equals,
    NotEquals,
    Contains,
    NotContains,
    StartsWith,
    EndsWith,
    In,
    NotIn,
}

/// One value, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Values {
    /// One.
    One(String),
    /// For `in` and `not_in`.
    Several(Vec<String>),
}

/// A filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StudyFilter")]
pub struct FilterSpec {
    /// A filter field of website queries, such as `country`; of people also `trait:<key>`, of steps also `property:<key>`.
    pub field: String,
    /// How it is compared.
    pub operator: Operator,
    /// With what; `in` and `not_in` take a list.
    pub value: Values,
}

/// What kind of event takes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StepType {
    /// A page with this path was seen.
    PageView,
    /// An event with this name happened.
    Event,
    /// The same.
    Custom,
}

/// A step of a funnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FunnelStep")]
pub struct StepSpec {
    /// What kind of event takes it.
    #[serde(rename = "type")]
    pub kind: StepType,
    /// A path, or the name of an event; `*` at its end matches anything, `/docs/*` means `/docs` too.
    pub target: String,
    /// What it is called, 1 to 100 characters.
    pub name: String,
    /// What must be true of the event itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<FilterSpec>>,
}

/// Whose events belong together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountBy {
    /// A visitor's, over all visits.
    #[default]
    Visitor,
    /// A visit's.
    Session,
}

const fn yes() -> bool {
    true
}

/// What people say of a goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalFields {
    /// What kind of event reaches it.
    #[serde(rename = "type")]
    pub kind: StepType,
    /// A path, or the name of an event; `*` at its end matches anything, `/docs/*` means `/docs` too.
    pub target: String,
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// Events that do not pass are not counted: neither as reaching the goal nor as a visit.
    #[serde(default)]
    pub filters: Option<Vec<FilterSpec>>,
    /// Whether nothing counts from before the goal was made.
    #[serde(default)]
    pub ignore_historic_data: bool,
    /// Whether it is in use.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// Whether visitors or visits are counted.
    #[serde(default)]
    pub count_by: CountBy,
}

/// What people say of a funnel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FunnelFields {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// 2 to 10 of them, in their order.
    pub steps: Vec<StepSpec>,
    /// Events that do not pass are not counted.
    #[serde(default)]
    pub filters: Option<Vec<FilterSpec>>,
    /// Whether nothing counts from before the funnel was made.
    #[serde(default)]
    pub ignore_historic_data: bool,
    /// Whether it is in use.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// Whether visitors or visits go through it.
    #[serde(default)]
    pub count_by: CountBy,
    /// Seconds from the first step within which the others have to be taken, at most a year; null = as long as the range.
    #[serde(default)]
    pub window_seconds: Option<u64>,
}

/// What kind of note it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationType {
    /// At a moment.
    Point,
    /// A line at a moment.
    Line,
    /// From one moment to another.
    Range,
}

/// The chart that a note is on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartContext {
    /// What the chart shows.
    pub date_range: ChartRange,
    /// Its filters, as the console writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<Vec<Value>>,
    /// Its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Vec<String>>,
    /// The page of the console.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<String>,
}

/// The days of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChartRange {
    /// First day or moment.
    pub start_date: String,
    /// Last day or moment.
    pub end_date: String,
    /// `hourly`, `daily`, `weekly` or `monthly`.
    pub granularity: String,
}

fn colour() -> String {
    "#3B82F6".to_owned()
}

fn metrics() -> String {
    "metrics".to_owned()
}

/// What people say of a note on a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnnotationFields {
    /// The kind of chart: `metrics`.
    #[serde(default = "metrics")]
    pub chart_type: String,
    /// The chart.
    pub chart_context: ChartContext,
    /// What kind of note it is.
    pub annotation_type: AnnotationType,
    /// When: a day or moment.
    pub x_value: String,
    /// Until when; ranges need it.
    #[serde(default)]
    pub x_end_value: Option<String>,
    /// Where on the chart's other axis.
    #[serde(default)]
    pub y_value: Option<f64>,
    /// 1 to 500 characters.
    pub text: String,
    /// At most 20, each of 1 to 50 characters.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// `#RRGGBB`.
    #[serde(default = "colour")]
    pub color: String,
    /// Whether all who may see the chart may see it.
    #[serde(default)]
    pub is_public: bool,
}

/// Filters under a name, to be used in goals, funnels and queries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SegmentFields {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// 1 to 50 of them; all must pass.
    pub filters: Vec<FilterSpec>,
}
