//! The period and the filters of a question about a goal or a funnel.

use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{find_of_website, invalid};
use crate::{
    actors::{
        definitions::{FilterSpec, Kind, Saved, SegmentFields, filters},
        websites::Website,
    },
    analytics::{
        nearest,
        range::{Moment, Range, parse_moment, zone},
        request::Filter,
        run::Period,
    },
    fault::{Fault, Issue},
    http::procedures::{Call, fields::Fields},
};

/// Days of a question that names none, today among them.
const DEFAULT_DAYS: u64 = 30;

/// The days and the filters of a question.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionBody {
    /// The first day (`YYYY-MM-DD`) or moment; by default 29 days before the last.
    pub start_date: Option<String>,
    /// The last day or moment; by default today.
    pub end_date: Option<String>,
    /// The time zone of days, by default UTC.
    pub timezone: Option<String>,
    /// Further filters.
    pub filters: Option<Vec<FilterSpec>>,
    /// Id of a saved segment, whose filters hold as well.
    pub cohort: Option<String>,
}

/// A saved segment that a question was narrowed by.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Cohort")]
pub struct CohortOut {
    pub id: String,
    pub name: String,
}

/// A [`QuestionBody`] with its dates read and its segment loaded.
pub(in crate::http::procedures) struct Question {
    pub(in crate::http::procedures) period: Period,
    pub(in crate::http::procedures) filters: Vec<Filter>,
    pub(in crate::http::procedures) cohort: Option<CohortOut>,
}

impl Question {
    pub(in crate::http::procedures) async fn read(
        body: Fields<QuestionBody>,
        call: &Call,
        website: &Website,
    ) -> Result<Self, Fault> {
        let body = body.read()?;
        let period = body.period(call.shared.clock.now_ms())?;
        let own = body.filters.unwrap_or_default();
        let mut all = filters(&own, "filters").map_err(invalid)?;
        let mut cohort = None;
        if let Some(id) = body.cohort {
            let segment = find_of_website(call, Kind::Segment, website, &id).await?;
            if let Saved::Segment(SegmentFields {
                name,
                filters: more,
                ..
            }) = segment.saved
            {
                all.extend(filters(&more, "cohort").map_err(invalid)?);
                cohort = Some(CohortOut { id, name });
            }
        }
        Ok(Self {
            period,
            filters: all,
            cohort,
        })
    }
}

impl QuestionBody {
    /// The period of these dates in UTC, and without filters.
    pub(in crate::http::procedures) fn between(
        start_date: Option<String>,
        end_date: Option<String>,
        now_ms: i64,
    ) -> Result<Period, Fault> {
        let body = Self {
            start_date,
            end_date,
            ..Self::default()
        };
        body.period(now_ms)
    }

    fn period(&self, now_ms: i64) -> Result<Period, Fault> {
        let named = self.timezone.as_deref().filter(|name| !name.is_empty());
        let zone = named.map_or(Ok(Tz::UTC), find_zone)?;
        let moment = |field: &'static str, text: Option<&String>| {
            let Some(text) = text else { return Ok(None) };
            let message = "must be a date like 2025-01-31, or a moment";
            let found = parse_moment(text);
            found
                .map(Some)
                .ok_or_else(|| invalid_date(field, message.to_owned()))
        };
        let end = moment("endDate", self.end_date.as_ref())?;
        let end = end.unwrap_or(Moment::Day(zone::local_date(now_ms, zone)));
        let start = moment("startDate", self.start_date.as_ref())?;
        let (_, last) = end.end_in(zone);
        let default = Moment::Day(last - chrono::Days::new(DEFAULT_DAYS - 1));
        let range = Range::between(start.unwrap_or(default), end, zone);
        let range = range.map_err(|error| invalid_date("endDate", error.to_string()))?;
        Ok(Period { range, now_ms })
    }
}

fn find_zone(name: &str) -> Result<Tz, Fault> {
    let zones = chrono_tz::TZ_VARIANTS.iter();
    let found = zones
        .clone()
        .find(|zone| zone.name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| {
        let meant = nearest(name, zones.map(|zone| zone.name()));
        let suggestion = meant.map(|name| format!("Did you mean '{name}'?"));
        let issue = Issue::new("unknown", "timezone", "there is no such time zone");
        invalid(vec![issue.suggest(suggestion)])
    })
}

fn invalid_date(field: &'static str, message: String) -> Fault {
    invalid(vec![Issue::new("invalid_value", field, message)])
}

/// The period from the creation of a definition on, if it ignores what was before.
pub(in crate::http::procedures) fn from_creation(
    mut period: Period,
    created_ms: i64,
    ignores_history: bool,
) -> Period {
    if ignores_history && created_ms > period.range.from {
        let zone = period.range.zone;
        period.range.from = created_ms.min(period.range.to);
        period.range.first = zone::local_date(created_ms, zone).min(period.range.last);
    }
    period
}
