//! The range and the filters of a page: the address, the bodies of queries, and the bar above.

mod bar;
mod filter_words;

use std::borrow::Cow;

use chrono::{Days as Span, Months, NaiveDate};
use serde_json::{Value, json};

pub(in crate::http::pages) use self::bar::{RANGES, draw_range};
pub(super) use self::{
    bar::{SET, draw as bar, filtered_address},
    filter_words::{field_label, value_labels},
};
use crate::{
    analytics::{
        range::{HOURLY_DAYS, Preset, Range, parse_moment},
        run::Answers,
    },
    http::pages::{context::form_problems, prelude::*},
    pages::{
        chart::Zoom,
        view::{Days, Filter, View},
    },
};

const HOUR_MS: i64 = 3_600_000;
/// `compare` of an address that compares with nothing.
const NO_COMPARISON: &str = "none";

/// The range and the filters of a request.
#[derive(Clone)]
pub(in crate::http::pages) struct PeriodQuery {
    pub(in crate::http::pages) view: View,
    pub(in crate::http::pages) date_format: DateFormat,
    pub(in crate::http::pages) now_ms: i64,
    pub(super) range: Range,
    /// Problems of the address.
    pub(in crate::http::pages) problems: Problems,
}

impl PeriodQuery {
    /// Reads an address; `panels` are the names of panels that have several lists. An invalid range
    /// is a problem, and the default range replaces it.
    pub(super) fn read(query: &str, panels: &[&str], date_format: DateFormat, now_ms: i64) -> Self {
        Self::from_view(View::read(query, panels), date_format, now_ms)
    }

    /// The same range with another view of it.
    pub(in crate::http::pages) fn with_view(&self, view: View) -> Self {
        Self {
            view,
            ..self.clone()
        }
    }

    /// The same of a page without filters that opens with a range of its own.
    pub(in crate::http::pages) fn read_with(
        query: &str,
        usual: &str,
        date_format: DateFormat,
        now_ms: i64,
    ) -> Self {
        let view = View {
            filters: Vec::new(),
            ..View::read_with(query, &[], usual)
        };
        Self::from_view(view, date_format, now_ms)
    }

    fn from_view(mut view: View, date_format: DateFormat, now_ms: i64) -> Self {
        let found = range(&view, &date_format, now_ms);
        let (range, problems) = match found {
            Ok(range) => (range, Problems::NONE),
            Err(message) => {
                view.days = Days::Preset(view.usual.clone());
                let usual = Preset::parse(&view.usual).unwrap_or(Preset::Last7d);
                let usual = Range::preset(usual, now_ms, date_format.zone);
                (usual, Problems::from_message(message))
            }
        };
        Self {
            view,
            date_format,
            now_ms,
            range,
            problems,
        }
    }

    /// Reads the address of a request.
    pub(super) async fn load(context: &PageContext, panels: &[&str]) -> Result<Self, Fault> {
        let date_format = context.date_format().await?;
        let now_ms = context.shared().clock.now_ms();
        let query = context.request.query_string();
        Ok(Self::read(query, panels, date_format, now_ms))
    }

    /// The answers with the problems of the address, or the problems of the whole query.
    ///
    /// # Errors
    /// A fault that is not about the query.
    pub(super) fn split(
        &self,
        answered: Result<Answers, Fault>,
    ) -> Result<(Option<Answers>, Problems), Fault> {
        match answered {
            Ok(answers) => Ok((Some(answers), self.problems.clone())),
            Err(fault) => Ok((None, form_problems(fault)?.1)),
        }
    }

    /// `hourly` or `daily`: as in the address, if the range allows it.
    pub(super) fn granularity(&self) -> &'static str {
        let days = self.range.days();
        match self.view.grain.as_str() {
            "hourly" if days <= HOURLY_DAYS => "hourly",
            "daily" => "daily",
            _ if days < 2 => "hourly",
            _ => "daily",
        }
    }

    /// Whether the range allows hours.
    pub(super) fn may_be_hourly(&self) -> bool {
        self.range.days() <= HOURLY_DAYS
    }

    /// Whether the range is compared with an earlier one.
    pub(super) fn is_compared(&self) -> bool {
        self.view.compare != NO_COMPARISON
    }

    /// The range of the comparison.
    pub(super) fn comparison(&self) -> (NaiveDate, NaiveDate) {
        let Range { first, last, .. } = self.range;
        if self.view.compare == "year" {
            let back = |day: NaiveDate| day.checked_sub_months(Months::new(12)).unwrap_or(day);
            return (back(first), back(last));
        }
        let count = Span::new(self.range.days() as u64 + 1);
        let back = |day: NaiveDate| day.checked_sub_days(count).unwrap_or(day);
        (back(first), back(last))
    }

    /// The comparison as the menu calls it.
    pub(super) fn comparison_label(&self) -> &'static str {
        let mut all = bar::COMPARISONS.iter();
        let own = all.find(|(name, _)| *name == self.view.compare);
        self.texts()
            .label(own.map_or(bar::COMPARISONS[0].1, |(_, label)| label))
    }

    /// The language of the reader.
    pub(in crate::http::pages) fn texts(&self) -> Texts {
        self.date_format.texts
    }

    /// Whether the range is not over.
    pub(in crate::http::pages) fn is_ongoing(&self) -> bool {
        self.range.to > self.now_ms
    }

    /// The range in words.
    pub(in crate::http::pages) fn describe(&self) -> String {
        let Range { first, last, .. } = self.range;
        self.texts().days_between(first, last)
    }

    /// The range of the comparison in words.
    pub(super) fn describe_comparison(&self) -> String {
        let (first, last) = self.comparison();
        self.texts().days_between(first, last)
    }

    /// The middle of a day.
    pub(super) fn noon(&self, day: NaiveDate) -> i64 {
        let noon = day
            .and_hms_opt(12, 0, 0)
            .map(|noon| noon.and_local_timezone(self.range.zone));
        let noon = noon.and_then(chrono::LocalResult::earliest);
        noon.map_or(self.range.from, |noon| noon.timestamp_millis())
    }

    /// The step of a series that a moment is in.
    pub(super) fn step_of(&self, at_ms: i64) -> Option<usize> {
        if !(self.range.from..self.range.to).contains(&at_ms) {
            return None;
        }
        let step = if self.granularity() == "hourly" {
            (at_ms - self.range.from) / HOUR_MS
        } else {
            let day = self.date_format.local(at_ms).date_naive();
            (day - self.range.first).num_days()
        };
        usize::try_from(step).ok()
    }

    /// The days of a series, for zooming into them.
    pub(super) fn zoom(&self) -> Zoom {
        Zoom {
            first: self.range.first,
            per_day: if self.granularity() == "hourly" {
                24
            } else {
                1
            },
        }
    }

    /// A body about the days and filters of the address.
    pub(in crate::http::pages) fn body(&self, parameters: &Value, limit: usize) -> Value {
        let mut body = json!({ "parameters": parameters });
        match &self.view.days {
            Days::Preset(name) => body["preset"] = json!(name),
            Days::Between(from, to) => {
                body["startDate"] = json!(from);
                body["endDate"] = json!(to);
            }
        }
        body["timeZone"] = json!(self.date_format.zone.name());
        body["granularity"] = json!(self.granularity());
        body["filters"] = self.view.filters.iter().map(filter).collect();
        body["limit"] = json!(limit);
        body
    }
}

/// A filter as queries have it.
fn filter(filter: &Filter) -> Value {
    let value = if filter.takes_list() {
        json!(filter.values())
    } else {
        json!(filter.value)
    };
    json!({ "field": filter.field, "op": filter.op, "value": value })
}

fn range(view: &View, date_format: &DateFormat, now_ms: i64) -> Result<Range, Cow<'static, str>> {
    match &view.days {
        Days::Preset(name) => {
            let preset =
                Preset::parse(name).ok_or_else(|| date_format.texts.range_unknown(name))?;
            Ok(Range::preset(preset, now_ms, date_format.zone))
        }
        Days::Between(from, to) => {
            let day = |text: &str| {
                let date: Option<NaiveDate> = text.parse().ok();
                date.and_then(|_| parse_moment(text))
                    .ok_or_else(|| date_format.texts.range_not_a_date(text))
            };
            let range = Range::between(day(from)?, day(to)?, date_format.zone);
            range.map_err(|_| date_format.texts.range_backwards())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-10-14T12:00:00Z.
    const NOW: i64 = 1_791_979_200_000;

    fn period(query: &str) -> PeriodQuery {
        PeriodQuery::read(query, &[], DateFormat::default(), NOW)
    }

    #[test]
    fn the_days_before_are_as_many_and_lie_right_before() {
        let before = |query: &str| {
            let (first, last) = period(query).comparison();
            format!("{first} {last}")
        };
        assert_eq!(before(""), "2026-10-01 2026-10-07");
        assert_eq!(before("preset=today"), "2026-10-13 2026-10-13");
        assert_eq!(
            before("from=2026-03-01&to=2026-03-31"),
            "2026-01-29 2026-02-28"
        );
        assert_eq!(
            before("from=2024-02-29&to=2024-02-29&compare=year"),
            "2023-02-28 2023-02-28"
        );
    }

    #[test]
    fn steps_suit_the_days_unless_something_else_can_be_asked() {
        assert_eq!(period("preset=today").granularity(), "hourly");
        assert_eq!(period("preset=today&by=daily").granularity(), "daily");
        assert_eq!(period("by=hourly").granularity(), "hourly");
        assert_eq!(period("preset=last_90d&by=hourly").granularity(), "daily");
        assert_eq!(period("by=nonsense").granularity(), "daily");
    }

    #[test]
    fn what_is_no_range_is_said_and_the_usual_one_is_shown() {
        for query in [
            "preset=nonsense",
            "from=a&to=b",
            "from=2026-02-02&to=2026-02-01",
            "from=2026-02-30&to=2026-03-01",
        ] {
            let period = period(query);
            assert!(!period.problems.is_empty(), "{query}");
            assert_eq!(period.range.days(), 6, "{query}");
            assert_eq!(period.body(&json!([]), 1)["preset"], "last_7d", "{query}");
        }
        assert!(period("from=2026-02-01&to=2026-02-01").problems.is_empty());
    }

    #[test]
    fn days_are_said_and_moments_have_their_place() {
        let week = period("");
        assert_eq!(week.describe(), "Oct 8 – Oct 14, 2026");
        assert_eq!(week.describe_comparison(), "Oct 1 – Oct 7, 2026");
        assert_eq!(period("preset=today").describe(), "Oct 14, 2026");
        assert_eq!(
            period("from=2025-12-31&to=2026-01-01").describe(),
            "Dec 31, 2025 – Jan 1, 2026"
        );
        let step = |period: &PeriodQuery, at: &str| {
            period.step_of(
                at.parse::<chrono::DateTime<chrono::Utc>>()
                    .unwrap()
                    .timestamp_millis(),
            )
        };
        assert_eq!(step(&week, "2026-10-08T02:22:00Z"), Some(0), "its own day");
        assert_eq!(step(&week, "2026-10-14T23:59:59Z"), Some(6));
        assert_eq!(step(&week, "2026-10-07T23:59:59Z"), None);
        assert_eq!(step(&week, "2026-10-15T00:00:00Z"), None);
        let hours = period("from=2026-10-13&to=2026-10-14&by=hourly");
        assert_eq!(
            step(&hours, "2026-10-14T02:22:00Z"),
            Some(26),
            "its own hour"
        );
        assert_eq!((week.zoom().per_day, hours.zoom().per_day), (1, 24));
        assert!(week.is_compared() && !period("compare=none").is_compared());
        assert!(week.is_ongoing() && !period("preset=yesterday").is_ongoing());
    }

    #[test]
    fn filters_are_in_the_body() {
        let period = period("f=country:in:DE%7CFR&f=path:contains:/a");
        let body = period.body(&json!(["top_pages"]), 9);
        let first = json!({ "field": "country", "op": "in", "value": ["DE", "FR"] });
        assert_eq!(body["filters"][0], first);
        assert_eq!(
            (&body["limit"], &body["timeZone"]),
            (&json!(9), &json!("UTC"))
        );
    }
}
