//! Comparisons, movers and anomalies: the numbers of [`crate::analytics::insight`] for a target.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    super::Call,
    GROUP,
    data::FilterBody,
    periods::{Periods, dates, range},
    target::{PeriodBody, TargetBody, objects, run, type_name},
};
use crate::{
    analytics::{
        Target,
        catalogue::{QueryType, Show, find},
        insight::{
            anomalies::{self, anomalies},
            change::{change, deviations, movers, threshold},
        },
        nearest,
    },
    fault::{Fault, Issue},
};

procedures! { GROUP;
    COMPARE_METRIC = "compareMetric", reads(WebsiteRead), compare(CompareBody, check) -> CompareOut:
        "Compare numbers of a period with the previous period";
    TOP_MOVERS = "topMovers", reads(WebsiteRead), top_movers(MoversBody, check) -> MoversOut:
        "List the pages, referrers, countries or events that changed most since the previous period";
    DETECT_ANOMALIES = "detectAnomalies", reads(WebsiteRead), detect(AnomaliesBody, check) -> AnomaliesOut:
        "List anomalous days or hours, compared with the same weekday or hour";
    SUMMARIZE_INSIGHTS = "summarizeInsights", reads(WebsiteRead), summarize(SummaryBody, check) -> SummaryOut:
        "Summarize a period: its numbers, the previous period's, and what changed most";
}

/// The columns of `summary_totals`, and whether they count what scatters as counts do.
const METRICS: [(&str, bool); 7] = [
    ("pageviews", true),
    ("visitors", true),
    ("unique_visitors", true),
    ("sessions", true),
    ("bounce_rate", false),
    ("median_session_duration", false),
    ("total_events", true),
];
/// Names that are compared at most.
const MAX_NAMES: usize = 1_000;
/// Movers of an answer.
const MAX_MOVERS: usize = 20;

fn metric(name: &str) -> Result<bool, Fault> {
    let known = METRICS.iter().find(|(known, _)| *known == name);
    known.map(|(_, counts)| *counts).ok_or_else(|| {
        let all = METRICS.map(|(name, _)| name).join(", ");
        let message = format!("there is no metric `{name}`: {all}");
        let meant = nearest(name, METRICS.iter().map(|(name, _)| *name));
        let meant = meant.map(|name| format!("Did you mean '{name}'?"));
        let issue = Issue::new("unknown", "metric", message.clone()).suggest(meant);
        Fault::issues(message, vec![issue])
    })
}

/// One row of numbers.
type Row = Map<String, Value>;

/// The rows of a query type in a span; a refusal says why there are none.
async fn rows(
    call: &Call,
    target: &Target,
    (kind, span): (&str, (i64, i64)),
    more: Value,
) -> Result<Vec<Row>, Fault> {
    let (start, end) = dates(span);
    let mut body =
        json!({ "parameters": [kind], "startDate": start, "endDate": end, "limit": MAX_NAMES });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    let rows = run(call, target, body).await?.rows;
    Ok(objects(rows.map_err(Fault::invalid)?))
}

fn number(row: &Row, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or(0.0)
}

/// A span as answers show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightPeriod")]
pub struct PeriodOut {
    pub from: String,
    pub to: String,
}

impl From<(i64, i64)> for PeriodOut {
    fn from(span: (i64, i64)) -> Self {
        let (from, to) = dates(span);
        Self { from, to }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct CompareBody {
    #[serde(flatten)]
    pub target: TargetBody,
    #[serde(flatten)]
    pub period: PeriodBody,
    /// A column of `summary_totals`, such as `visitors`; all of them by default.
    pub metric: Option<String>,
    /// Filters that must all hold.
    #[serde(default)]
    pub filters: Vec<FilterBody>,
}

impl CompareBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        self.period.check("", issues);
    }
}

/// Numbers of a period against an equally long part of the one before it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightComparison")]
pub struct CompareOut {
    pub current: PeriodOut,
    pub previous: PeriodOut,
    pub metrics: Vec<MetricOut>,
}

/// One number in both periods.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightMetric")]
#[serde(rename_all = "camelCase")]
pub struct MetricOut {
    pub metric: &'static str,
    pub current: f64,
    pub previous: f64,
    pub change: f64,
    /// In percent of the number before; null where there was nothing.
    pub change_percent: Option<f64>,
    /// Whether chance alone would hardly do so; null for what is no count.
    pub significant: Option<bool>,
}

pub(super) async fn compare(call: Call, body: CompareBody) -> Result<CompareOut, Fault> {
    if let Some(name) = &body.metric {
        metric(name)?;
    }
    let target = body.target.resolve(&call).await?;
    let periods = Periods::resolve(&body.period, call.shared.clock.now_ms())?;
    compare_totals(
        &call,
        &target,
        periods,
        (body.metric.as_deref(), &body.filters),
    )
    .await
}

async fn compare_totals(
    call: &Call,
    target: &Target,
    periods: Periods,
    (only, filters): (Option<&str>, &[FilterBody]),
) -> Result<CompareOut, Fault> {
    let totals = async |span| {
        let more = json!({ "filters": filters });
        let rows = rows(call, target, ("summary_totals", span), more).await?;
        Ok::<Row, Fault>(rows.into_iter().next().unwrap_or_default())
    };
    let (now, before) = (
        totals(periods.current).await?,
        totals(periods.previous).await?,
    );
    let wanted = METRICS
        .into_iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name));
    let out = |(name, counts): (&'static str, bool)| {
        let (current, previous) = (number(&now, name), number(&before, name));
        let changed = change(current, previous);
        MetricOut {
            metric: name,
            current,
            previous,
            change: round(changed.by),
            change_percent: changed.percent.map(round),
            significant: counts.then(|| deviations(current, previous).abs() >= threshold(1)),
        }
    };
    Ok(CompareOut {
        current: periods.current.into(),
        previous: periods.previous.into(),
        metrics: wanted.map(out).collect(),
    })
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct MoversBody {
    #[serde(flatten)]
    pub target: TargetBody,
    #[serde(flatten)]
    pub period: PeriodBody,
    /// A type whose rows are names with counts, such as `top_pages`, `top_referrers`, `country`, `custom_events`.
    #[serde(rename = "type")]
    #[schemars(schema_with = "type_name")]
    pub kind: String,
    /// Filters that must all hold.
    #[serde(default)]
    pub filters: Vec<FilterBody>,
}

impl MoversBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        self.period.check("", issues);
    }
}

/// What moved most.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightMovers")]
pub struct MoversOut {
    pub current: PeriodOut,
    pub previous: PeriodOut,
    /// The column that was compared.
    pub measure: &'static str,
    /// How many names were compared.
    pub compared: usize,
    /// The 20 that moved most, the largest move first.
    pub movers: Vec<MoverOut>,
}

/// What has moved.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightMover")]
#[serde(rename_all = "camelCase")]
pub struct MoverOut {
    pub name: String,
    pub current: f64,
    pub previous: f64,
    pub change: f64,
    /// In percent of the number before; null for what is new.
    pub change_percent: Option<f64>,
    /// Whether it is more than chance does among as many names.
    pub significant: bool,
}

pub(super) async fn top_movers(call: Call, body: MoversBody) -> Result<MoversOut, Fault> {
    let target = body.target.resolve(&call).await?;
    let periods = Periods::resolve(&body.period, call.shared.clock.now_ms())?;
    find_moved(&call, &target, periods, (&body.kind, &body.filters)).await
}

async fn find_moved(
    call: &Call,
    target: &Target,
    periods: Periods,
    (kind, filters): (&str, &[FilterBody]),
) -> Result<MoversOut, Fault> {
    let (name, measure) = named_counts(kind)?;
    let counts = async |span| {
        let more = json!({ "filters": filters, "sortBy": measure, "sortOrder": "desc" });
        let rows = rows(call, target, (kind, span), more).await?;
        let pair = |row: &Row| Some((row.get(name)?.as_str()?.to_owned(), number(row, measure)));
        Ok::<BTreeMap<String, f64>, Fault>(rows.iter().filter_map(pair).collect())
    };
    let (now, before) = (
        counts(periods.current).await?,
        counts(periods.previous).await?,
    );
    let names: std::collections::BTreeSet<&String> = now.keys().chain(before.keys()).collect();
    let of =
        |counts: &BTreeMap<String, f64>, name: &String| counts.get(name).copied().unwrap_or(0.0);
    let both: Vec<(String, f64, f64)> = names
        .iter()
        .map(|name| ((*name).clone(), of(&now, name), of(&before, name)))
        .collect();
    let movers = movers(&both)
        .into_iter()
        .take(MAX_MOVERS)
        .map(|mover| MoverOut {
            change: round(mover.current - mover.previous),
            change_percent: change(mover.current, mover.previous).percent.map(round),
            significant: mover.is_significant,
            name: mover.name,
            current: mover.current,
            previous: mover.previous,
        });
    Ok(MoversOut {
        current: periods.current.into(),
        previous: periods.previous.into(),
        measure,
        compared: both.len(),
        movers: movers.collect(),
    })
}

/// The column of names and the first count of a type.
fn named_counts(kind: &str) -> Result<(&'static str, &'static str), Fault> {
    let known: Option<&QueryType> = find(kind);
    let columns = known.map(QueryType::columns).unwrap_or_default();
    let name = columns
        .first()
        .filter(|(_, show, _)| show.type_name() == "string");
    let count = columns
        .iter()
        .find(|(_, show, unit)| matches!(show, Show::Int) && unit.is_none());
    match (known, name, count) {
        (Some(known), Some((name, ..)), Some((count, ..))) if !known.is_series() => {
            Ok((*name, *count))
        }
        (None, ..) => Err(refused(format!("there is no query type `{kind}`"))),
        _ => Err(refused(format!(
            "the rows of `{kind}` are no names with counts: try top_pages or country"
        ))),
    }
}

fn refused(message: String) -> Fault {
    let issue = Issue::new("invalid_value", "type", message.clone());
    Fault::issues(message, vec![issue])
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct AnomaliesBody {
    #[serde(flatten)]
    pub target: TargetBody,
    #[serde(flatten)]
    pub period: PeriodBody,
    /// A column of `summary_metrics`, such as `visitors` (the usual one).
    pub metric: Option<String>,
    /// Whether hours are looked at instead of days; at most 30 days.
    #[serde(default)]
    pub hourly: bool,
    /// By how many deviations a value has to be off, 2 to 10; 3.5 by default.
    pub threshold: Option<f64>,
    /// Filters that must all hold.
    #[serde(default)]
    pub filters: Vec<FilterBody>,
}

impl AnomaliesBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        self.period.check("", issues);
        if self
            .threshold
            .is_some_and(|threshold| !(2.0..=10.0).contains(&threshold))
        {
            issues.push(Issue::new(
                "out_of_range",
                "threshold",
                "`threshold` is 2 to 10",
            ));
        }
    }
}

/// What does not belong.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightAnomalies")]
#[serde(rename_all = "camelCase")]
pub struct AnomaliesOut {
    pub metric: String,
    /// Values that were looked at: whole days or hours. Fewer than 7 say nothing.
    pub looked_at: usize,
    /// `weekday`, or `hour` of the day: what a value was compared with.
    pub season: &'static str,
    pub anomalies: Vec<AnomalyOut>,
}

/// A value that does not belong.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightAnomaly")]
pub struct AnomalyOut {
    pub date: String,
    /// Offset from UTC of an hour that the time zone repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    pub value: f64,
    /// The median of the same weekday or hour.
    pub expected: f64,
    /// By how many robust deviations it is off; negative for too little.
    pub score: f64,
}

pub(super) async fn detect(call: Call, body: AnomaliesBody) -> Result<AnomaliesOut, Fault> {
    let name = body.metric.as_deref().unwrap_or("visitors");
    metric(name)?;
    let target = body.target.resolve(&call).await?;
    let now_ms = call.shared.clock.now_ms();
    let usual = if body.hourly { "last_14d" } else { "last_90d" };
    let span = range(&body.period, usual, now_ms)?;
    let (unit, step) = if body.hourly {
        ("hour", 3_600_000)
    } else {
        ("day", 86_400_000)
    };
    let more = json!({
        "filters": body.filters, "granularity": unit, "timeZone": body.period.time_zone.as_deref().unwrap_or("UTC"),
    });
    let mut rows = rows(
        &call,
        &target,
        ("summary_metrics", (span.from, span.to)),
        more,
    )
    .await?;
    rows.sort_by_key(|row| row.get("date").map(ToString::to_string));
    // What is still going on is no whole value.
    let whole = ((now_ms + 1).min(span.to) - span.from) / step;
    let rows: Vec<&Row> = rows
        .iter()
        .take(usize::try_from(whole).unwrap_or(0))
        .collect();
    let values: Vec<f64> = rows.iter().map(|row| number(row, name)).collect();
    let season = if body.hourly { 24 } else { 7 };
    let found = anomalies(&values, season, body.threshold.unwrap_or(anomalies::USUAL));
    let text = |row: &Row, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let out = found.iter().map(|one| AnomalyOut {
        date: text(rows[one.at], "date").unwrap_or_default(),
        offset: text(rows[one.at], "offset"),
        value: one.value,
        expected: round(one.expected),
        score: round(one.score),
    });
    Ok(AnomaliesOut {
        metric: name.to_owned(),
        looked_at: values.len(),
        season: if body.hourly { "hour" } else { "weekday" },
        anomalies: out.collect(),
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
pub struct SummaryBody {
    #[serde(flatten)]
    pub target: TargetBody,
    #[serde(flatten)]
    pub period: PeriodBody,
}

impl SummaryBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        self.period.check("", issues);
    }
}

/// What is worth knowing of a period.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InsightSummary")]
pub struct SummaryOut {
    pub comparison: CompareOut,
    pub pages: MoversOut,
    pub referrers: MoversOut,
    pub countries: MoversOut,
}

pub(super) async fn summarize(call: Call, body: SummaryBody) -> Result<SummaryOut, Fault> {
    let target = body.target.resolve(&call).await?;
    let periods = Periods::resolve(&body.period, call.shared.clock.now_ms())?;
    let movers = async |kind| find_moved(&call, &target, periods, (kind, &[])).await;
    Ok(SummaryOut {
        comparison: compare_totals(&call, &target, periods, (None, &[])).await?,
        pages: movers("top_pages").await?,
        referrers: movers("top_referrers").await?,
        countries: movers("country").await?,
    })
}
