//! Rows of one query type or of several, as few as fit into a conversation.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    super::Call,
    GROUP,
    target::{PeriodBody, TargetBody, objects, run, type_name},
};
use crate::{
    analytics::Target,
    fault::{Fault, Issue},
};

procedures! { GROUP;
    GET_DATA = "getData", reads(WebsiteRead), get(DataBody, check) -> DataOut:
        "Run one query, or up to 10 at once, about a website, link, monitor or organization";
}

/// Queries of one call.
const SEVERAL: std::ops::RangeInclusive<usize> = 2..=10;
/// Rows of a query that says nothing.
const USUAL_ROWS: u64 = 20;
/// Rows of a query at most.
const MAX_ROWS: u64 = 100;
/// Rows that are counted at most.
const MAX_COUNTED: u64 = 1_000;

/// One filter: rows for which it does not hold are left out.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "InsightFilter")]
pub struct FilterBody {
    /// A field of the type's `filters` (see `get_schema`), such as `path`, `country`, `device_type`, `utm_source`.
    pub field: String,
    /// How to compare.
    pub op: Operator,
    /// With what; a list for `in` and `not_in`.
    pub value: Value,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "InsightOperator")]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    Eq,
    Ne,
    Contains,
    NotContains,
    StartsWith,
    In,
    NotIn,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "InsightQuery")]
#[serde(rename_all = "camelCase", default)]
pub struct InsightQuery {
    /// The query type.
    #[serde(rename = "type")]
    #[schemars(schema_with = "type_name")]
    pub kind: Option<String>,
    #[serde(flatten)]
    pub period: PeriodBody,
    /// Filters that must all hold, at most 100.
    pub filters: Vec<FilterBody>,
    /// Rows, 1 to 100; 20 by default.
    pub limit: Option<u64>,
    /// Width of the buckets of types over time: `hour` or `day`.
    pub time_unit: Option<TimeUnit>,
    /// One to three further fields that rows are grouped by.
    pub group_by: Option<Vec<String>>,
    /// The column that rows are ordered by.
    pub sort_by: Option<String>,
    /// Which way: `asc` or `desc`.
    pub sort_order: Option<SortOrder>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "InsightTimeUnit")]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    Hour,
    Day,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "InsightOrder")]
#[serde(rename_all = "lowercase")]
pub enum SortOrder {
    Asc,
    Desc,
}

impl InsightQuery {
    fn check(&self, place: &str, issues: &mut Vec<Issue>) {
        let mut refuse = |code: &'static str, field: &str, message: &str| {
            issues.push(Issue::new(
                code,
                format!("{place}{field}"),
                message.to_owned(),
            ));
        };
        if self
            .limit
            .is_some_and(|limit| !(1..=MAX_ROWS).contains(&limit))
        {
            refuse("out_of_range", "limit", "`limit` is 1 to 100");
        }
        self.period.check(place, issues);
    }

    /// It names no type. Refused after the caller's right is checked.
    fn unnamed(place: &str) -> Issue {
        let message = "name a query type; `list_query_types` has all of them";
        Issue::new("missing", format!("{place}type"), message)
    }

    /// The body of `/v1/query` that asks it.
    fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("parameters".to_owned(), json!([self.kind]));
        self.period.put(&mut body);
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                body.insert(name.to_owned(), value);
            }
        };
        put("filters", json!(self.filters));
        put("limit", json!(MAX_COUNTED));
        put("granularity", json!(self.time_unit));
        put("groupBy", json!(self.group_by));
        put("sortBy", json!(self.sort_by));
        put("sortOrder", json!(self.sort_order));
        Value::Object(body)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [{ "required": ["type"] }, { "required": ["queries"] }]))]
pub struct DataBody {
    #[serde(flatten)]
    pub target: TargetBody,
    #[serde(flatten)]
    pub query: InsightQuery,
    /// Several questions instead of one, 2 to 10; all about the same target.
    #[serde(default)]
    #[schemars(schema_with = "several")]
    pub queries: Option<Vec<InsightQuery>>,
}

/// Questions that all name their type.
fn several(generator: &mut SchemaGenerator) -> Schema {
    let mut query = generator.subschema_for::<InsightQuery>();
    query.insert("required".to_owned(), json!(["type"]));
    json_schema!({
        "type": ["array", "null"], "minItems": SEVERAL.start(), "maxItems": SEVERAL.end(), "items": query,
    })
}

impl DataBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        let Some(queries) = &self.queries else {
            return self.query.check("", issues);
        };
        if !SEVERAL.contains(&queries.len()) {
            let message = "`queries` has 2 to 10 entries; one question needs no list";
            issues.push(Issue::new("out_of_range", "queries", message));
        }
        if self.query.kind.is_some() {
            let message = "give `type`, or `queries`, not both";
            issues.push(Issue::new("invalid_value", "type", message));
        }
        for (at, query) in queries.iter().enumerate() {
            query.check(&format!("queries.{at}."), issues);
            if query.kind.is_none() {
                issues.push(InsightQuery::unnamed(&format!("queries.{at}.")));
            }
        }
    }
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightData")]
pub struct DataOut {
    /// One for each question, in their order.
    pub results: Vec<ResultOut>,
}

/// What became of one question.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightResult")]
#[serde(rename_all = "camelCase")]
pub struct ResultOut {
    #[serde(rename = "type")]
    pub kind: String,
    /// Rows as the type describes them.
    pub rows: Vec<Map<String, Value>>,
    /// How many rows there are, counted up to 1,000.
    pub row_count: usize,
    /// Whether there are more rows than these.
    pub truncated: bool,
    /// Filters that this type does not know and that were not applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub ignored_filters: Vec<String>,
    /// Why there is no answer to this question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

pub(super) async fn get(call: Call, body: DataBody) -> Result<DataOut, Fault> {
    let target = body.target.resolve(&call).await?;
    let Some(queries) = body.queries else {
        if body.query.kind.is_none() {
            let issue = InsightQuery::unnamed("");
            return Err(Fault::issues("Input validation failed", vec![issue]));
        }
        let result = run_query(&call, &target, &body.query).await?;
        if let Some(why) = result.error {
            return Err(Fault::invalid(why));
        }
        return Ok(DataOut {
            results: vec![result],
        });
    };
    let mut results = Vec::new();
    for query in &queries {
        // One that is refused says so in its place.
        let result = run_query(&call, &target, query).await;
        results.push(result.unwrap_or_else(|fault| ResultOut::refused(query, &fault)));
    }
    Ok(DataOut { results })
}

async fn run_query(call: &Call, target: &Target, query: &InsightQuery) -> Result<ResultOut, Fault> {
    let result = run(call, target, query.body()).await?;
    let (rows, error) = match result.rows {
        Ok(rows) => (objects(rows), None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let shown = query.limit.unwrap_or(USUAL_ROWS) as usize;
    let row_count = rows.len();
    Ok(ResultOut {
        kind: query.kind.clone().unwrap_or_default(),
        truncated: row_count > shown,
        rows: rows.into_iter().take(shown).collect(),
        row_count,
        ignored_filters: result.ignored_filters,
        error,
    })
}

impl ResultOut {
    fn refused(query: &InsightQuery, fault: &Fault) -> Self {
        Self {
            kind: query.kind.clone().unwrap_or_default(),
            rows: Vec::new(),
            row_count: 0,
            truncated: false,
            ignored_filters: Vec::new(),
            error: Some(fault.message.clone().into_owned()),
        }
    }
}
