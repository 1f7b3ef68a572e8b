//! What is in a report: numbers and lists, and the query of a website's.

use std::borrow::Cow;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{Period, Schedule};
use crate::{analytics::run::Answers, locale::Texts};

/// Rows of a list.
pub(super) const ROWS: usize = 5;

/// The numbers and lists of a report, as people read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportContent {
    pub(super) numbers: Vec<ReportNumber>,
    pub(super) lists: Vec<ReportList>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportNumber {
    pub(super) label: String,
    pub(super) value: String,
    /// The change to the period before; empty where none is known.
    pub(super) change: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportList {
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
}

/// The totals of a period.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
pub(super) struct Totals {
    pub(super) visitors: u64,
    pub(super) pageviews: u64,
    pub(super) sessions: u64,
    /// In percent.
    pub(super) bounce_rate: f64,
    /// In seconds.
    #[serde(default)]
    pub(super) median_session_duration: f64,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Row {
    #[serde(alias = "domain")]
    pub(super) name: String,
    #[serde(alias = "unique_users")]
    pub(super) visitors: u64,
}

/// The totals of a period and of the one before, labelled `now` and `before`.
pub(super) fn totals_parameters(schedule: Schedule, period: Period) -> [Value; 2] {
    let before = schedule.frequency.previous(period);
    [
        json!({ "name": "summary_totals", "id": "now" }),
        json!({
            "name": "summary_totals", "id": "before",
            "start_date": before.first.to_string(), "end_date": before.last.to_string(),
        }),
    ]
}

impl ReportContent {
    /// The body of the query about a website, for a period in the schedule's zone.
    pub fn body(schedule: &Schedule, period: Period) -> Value {
        let lists = [
            json!({ "name": "top_pages", "id": "pages" }),
            json!({ "name": "traffic_sources", "id": "sources" }),
            json!({ "name": "country", "id": "countries" }),
        ];
        let parameters: Vec<Value> = totals_parameters(*schedule, period)
            .into_iter()
            .chain(lists)
            .collect();
        json!({
            "parameters": parameters,
            "startDate": period.first.to_string(),
            "endDate": period.last.to_string(),
            "limit": ROWS,
        })
    }

    /// Reads the answer to [`Self::body`], in a reader's language.
    ///
    /// # Errors
    /// What the store says.
    pub fn read(answers: &Answers, texts: Texts) -> anyhow::Result<Self> {
        let lists = [
            (texts.report_pages(), "pages"),
            (texts.report_sources(), "sources"),
            (texts.report_countries(), "countries"),
        ];
        let lists = lists.into_iter().map(|(title, label)| {
            Ok(ReportList {
                title: title.into_owned(),
                rows: rows(answers, label)?,
            })
        });
        Ok(Self {
            numbers: numbers(texts, &totals(answers, "now")?, &totals(answers, "before")?),
            lists: lists.collect::<anyhow::Result<_>>()?,
        })
    }
}

/// The numbers of a website.
pub(super) fn numbers(texts: Texts, now: &Totals, before: &Totals) -> Vec<ReportNumber> {
    let count = |label: Cow<'_, str>, of: fn(&Totals) -> u64| {
        let (now, before) = (of(now), of(before));
        ReportNumber {
            label: label.into_owned(),
            value: texts.count(now),
            change: change(texts, now as f64, before as f64),
        }
    };
    vec![
        count(texts.report_visitors(), |totals| totals.visitors),
        count(texts.report_pageviews(), |totals| totals.pageviews),
        count(texts.report_sessions(), |totals| totals.sessions),
        ReportNumber {
            label: texts.report_bounce_rate().into_owned(),
            value: percent(texts, now.bounce_rate),
            change: change(texts, now.bounce_rate, before.bounce_rate),
        },
    ]
}

pub(super) fn percent(texts: Texts, share: f64) -> String {
    texts.number(&format!("{share:.1}%"))
}

/// The change to the period before.
pub(super) fn change(texts: Texts, now: f64, before: f64) -> String {
    if before == 0.0 {
        return texts.report_no_data_before().into_owned();
    }
    let percent = 100.0 * (now - before) / before;
    texts.number(&format!("{percent:+.1}%").replace('-', "−"))
}

pub(super) fn totals(answers: &Answers, name: &str) -> anyhow::Result<Totals> {
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
