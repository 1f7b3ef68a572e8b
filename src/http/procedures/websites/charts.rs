//! `/websites/listWithCharts`: the websites with their last week.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    super::{Call, bodies::OrganizationBody},
    GROUP, WebsiteOut, visible,
};
use crate::{actors::websites::Website, analytics::run, clock::iso_ms, fault::Fault, http::v1};

const DAY_MS: i64 = 86_400_000;
/// Days of a chart, and of the week that it is compared with.
const DAYS: usize = 7;
/// Who was seen so lately is there.
const NOW_MS: i64 = 5 * 60_000;
/// Websites that are asked about side by side.
const SIDE_BY_SIDE: usize = 4;

procedures! { GROUP;
    LIST_WITH_CHARTS = "listWithCharts", reads(WebsiteRead), list_with_charts(OrganizationBody) -> ChartsOut:
        "List websites with the pageviews of seven days and the visitors online";
}

/// Websites with their last week.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsitesWithCharts")]
#[serde(rename_all = "camelCase")]
pub struct ChartsOut {
    /// Newest first.
    pub websites: Vec<WebsiteOut>,
    /// By website's id.
    pub chart_data: BTreeMap<String, ChartOut>,
    /// Visitors of the last five minutes, by website's id.
    pub active_users: BTreeMap<String, u64>,
}

/// The last week of a website.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteChart")]
#[serde(rename_all = "camelCase")]
pub struct ChartOut {
    /// The last seven days (UTC), today among them.
    pub data: Vec<PointOut>,
    /// Page views of these days.
    pub total_views: u64,
    /// Whether there were any in fourteen days.
    pub has_any_data: bool,
    /// Whether there were any in the seven days before.
    pub has_historical_data: bool,
    /// Visitors of the seven days.
    pub total_visitors: u64,
    /// By how many percent these are more, or less, than those of the seven days before up to the same time of day; null when there
    /// were none.
    pub visitors_change: Option<f64>,
    /// Against the seven days before; null when nothing was seen in them.
    pub trend: Option<TrendOut>,
}

/// One day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteChartPoint")]
pub struct PointOut {
    pub date: String,
    /// Page views.
    pub value: u64,
}

/// How a week compares with the one before.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteTrend")]
pub struct TrendOut {
    /// `up`, `down` or `neutral`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// By how many percent, without a sign.
    pub value: f64,
}

async fn list_with_charts(call: Call, body: OrganizationBody) -> Result<ChartsOut, Fault> {
    let websites = visible(&call, &body)?;
    let asked = websites.iter().map(|website| load_week(&call, website));
    let found: Vec<(ChartOut, u64)> = stream::iter(asked)
        .buffered(SIDE_BY_SIDE)
        .try_collect()
        .await?;
    let mut out = ChartsOut {
        websites: Vec::new(),
        chart_data: BTreeMap::new(),
        active_users: BTreeMap::new(),
    };
    for (website, (chart, active)) in websites.iter().zip(found) {
        out.chart_data.insert(website.id.to_string(), chart);
        out.active_users.insert(website.id.to_string(), active);
        out.websites.push(WebsiteOut::from(&**website));
    }
    Ok(out)
}

/// A website's week, and who is there.
async fn load_week(call: &Call, website: &Website) -> Result<(ChartOut, u64), Fault> {
    let target = v1::website(&call.shared, &call.caller, website.id.as_str())?;
    let now_ms = call.shared.clock.now_ms();
    let day = |ms: i64| iso_ms(ms)[..10].to_owned();
    let question = json!({
        "parameters": [
            "summary_metrics",
            { "name": "summary_totals", "start_date": iso_ms(now_ms - NOW_MS), "end_date": iso_ms(now_ms) },
            { "name": "period_comparison", "start_date": day(now_ms - (DAYS as i64 - 1) * DAY_MS), "end_date": day(now_ms) },
        ],
        "startDate": day(now_ms - (2 * DAYS as i64 - 1) * DAY_MS), "endDate": day(now_ms),
    });
    let of_now = run::Call {
        body: &question,
        timezone: None,
        now_ms,
    };
    let answers = run::execute(&call.shared.events, &target, of_now).await?;
    let unavailable = |_| Fault::unavailable("The query engine is not available");
    let days: Vec<Day> = answers.rows("summary_metrics").map_err(unavailable)?;
    let now: Vec<Now> = answers.rows("summary_totals").map_err(unavailable)?;
    let compared: Vec<Comparison> = answers.rows("period_comparison").map_err(unavailable)?;
    let active = now.first().map_or(0, |row| row.visitors);
    Ok((chart(&days, &compared), active))
}

/// A day's numbers.
#[derive(Deserialize)]
struct Day {
    date: String,
    pageviews: u64,
}

#[derive(Deserialize)]
struct Now {
    visitors: u64,
}

/// A number of this week, beside the week before.
#[derive(Deserialize)]
struct Comparison {
    metric: String,
    current: Option<f64>,
    change_percentage: Option<f64>,
}

/// Fourteen days, oldest first, as a chart of the last seven, with the comparison of these.
fn chart(days: &[Day], compared: &[Comparison]) -> ChartOut {
    let visitors = compared.iter().find(|row| row.metric == "visitors");
    let (before, week) = days.split_at(days.len().saturating_sub(DAYS));
    let sum = |days: &[Day]| days.iter().map(|day| day.pageviews).sum::<u64>();
    let (total, earlier) = (sum(week), sum(before));
    let point = |day: &Day| PointOut {
        date: day.date.clone(),
        value: day.pageviews,
    };
    let trend = (earlier > 0).then(|| {
        let change = (total as f64 - earlier as f64) * 100.0 / earlier as f64;
        TrendOut {
            kind: match total.cmp(&earlier) {
                std::cmp::Ordering::Greater => "up",
                std::cmp::Ordering::Less => "down",
                std::cmp::Ordering::Equal => "neutral",
            },
            value: (change.abs() * 100.0).round() / 100.0,
        }
    });
    ChartOut {
        data: week.iter().map(point).collect(),
        total_views: total,
        has_any_data: total + earlier > 0,
        has_historical_data: earlier > 0,
        total_visitors: visitors.and_then(|row| row.current).unwrap_or(0.0) as u64,
        visitors_change: visitors.and_then(|row| row.change_percentage),
        trend,
    }
}
