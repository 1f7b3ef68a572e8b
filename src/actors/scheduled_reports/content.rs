//! What is in a report: the query and its answer.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Period, Schedule};
use crate::analytics::run::Answers;

/// Rows of a list.
const ROWS: usize = 5;

/// The numbers and lists of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportContent {
    pub now: Totals,
    pub before: Totals,
    pub pages: Vec<Row>,
    pub sources: Vec<Row>,
    pub countries: Vec<Row>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub visitors: u64,
    pub pageviews: u64,
    pub sessions: u64,
    /// In percent.
    pub bounce_rate: f64,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub visitors: u64,
}

impl ReportContent {
    /// The body of the query, for a period in the schedule's zone.
    pub fn body(schedule: &Schedule, period: Period) -> Value {
        let before = schedule.frequency.previous(period);
        json!({
            "parameters": [
                { "name": "summary_totals", "id": "now" },
                {
                    "name": "summary_totals", "id": "before",
                    "start_date": before.first.to_string(), "end_date": before.last.to_string(),
                },
                { "name": "top_pages", "id": "pages" },
                { "name": "traffic_sources", "id": "sources" },
                { "name": "country", "id": "countries" },
            ],
            "startDate": period.first.to_string(),
            "endDate": period.last.to_string(),
            "limit": ROWS,
        })
    }

    /// Reads the answer to [`Self::body`].
    ///
    /// # Errors
    /// What the store says.
    pub fn read(answers: &Answers) -> anyhow::Result<Self> {
        Ok(Self {
            now: totals(answers, "now")?,
            before: totals(answers, "before")?,
            pages: rows(answers, "pages")?,
            sources: rows(answers, "sources")?,
            countries: rows(answers, "countries")?,
        })
    }
}

fn totals(answers: &Answers, name: &str) -> anyhow::Result<Totals> {
    Ok(rows(answers, name)?.pop().unwrap_or_default())
}

/// The rows of one parameter.
pub(in crate::actors) fn rows<R: DeserializeOwned>(
    answers: &Answers,
    name: &str,
) -> anyhow::Result<Vec<R>> {
    let rows = answers.rows(name);
    rows.map_err(|why| anyhow::anyhow!("the store says: {why}"))
}
