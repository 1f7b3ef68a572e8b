//! The tables of a report, drawn while its queries are answered.

use futures_util::Stream;
use serde_json::Value;

use super::{
    cell::TableContext,
    error_statuses::{self, Statuses},
    settings,
    table::{draw, has_content},
    table_query::TableQuery,
    tables::{FEWER, Report, SPARK, Table},
    trend::Trend,
    value,
};
use crate::{
    analytics::run::Answers,
    http::pages::{
        prelude::*,
        reader::Reader,
        site::{day_chart::days, period::PeriodQuery},
        stream::answered,
    },
    pages::{
        part::{empty, notice},
        view::View,
    },
};

/// Where a report is.
pub(super) struct Place {
    pub(super) path: String,
    pub(super) website: String,
    /// The page of the table that the address chooses.
    pub(super) page: String,
}

/// A report, and how much of it is drawn.
pub(super) struct Progress {
    report: &'static Report,
    period: PeriodQuery,
    /// The range and the filters, without what is chosen of a table.
    view: View,
    pub(super) place: Place,
    statuses: Statuses,
    /// The queries, in the order in which they are asked.
    pub(super) bodies: Vec<Value>,
    tables: Vec<(&'static Table, TableQuery)>,
    /// Trends and tables that are drawn.
    drawn: (usize, usize),
    /// Whether one of them had something to show.
    is_filled: bool,
}

impl Progress {
    /// Nothing is drawn yet.
    pub(super) fn new(
        report: &'static Report,
        period: PeriodQuery,
        place: Place,
        statuses: Statuses,
    ) -> Self {
        let has = |field: &&str| value(&period, field).is_some();
        let tables = report.tables.iter();
        let tables = tables.filter(|table| table.needs.iter().all(has));
        let tables: Vec<_> = tables
            .map(|table| (table, TableQuery::read(&period.view, &place.page, table)))
            .collect();
        let trends = report.trends.iter().map(|trend| trend.kind);
        let usual = settings::automatic(report.settings, &period);
        let first: Vec<&str> = match (report.trends.first(), tables.first()) {
            (Some(trend), _) => vec![trend.kind],
            (None, Some((table, _))) => table.kinds().collect(),
            (None, None) => Vec::new(),
        };
        let bodies = TableQuery::bodies(&period, &tables, trends, &usual);
        Self {
            report,
            bodies: split_first(bodies, &first),
            view: period.view.without_tabs(),
            period,
            place,
            statuses,
            tables,
            drawn: (0, 0),
            is_filled: false,
        }
    }

    /// A part for each query: what can be drawn with its answer. Problems of settings stand above all tables, so a report
    /// with settings is drawn behind its last query.
    pub(super) fn parts(mut self, reader: Reader) -> impl Stream<Item = Markup> + 'static {
        let bodies = self.bodies.clone();
        answered(Texts::ENGLISH, reader, bodies, move |place, answers| {
            let is_last = place + 1 == self.bodies.len();
            if is_last || self.report.settings.is_empty() {
                self.draw(answers, is_last)
            } else {
                html! {}
            }
        })
    }

    /// The trends that are due now: none stands before one whose answer is missing.
    fn take_trends(&mut self, answers: &Answers) -> &'static [Trend] {
        let rest = &self.report.trends[self.drawn.0..];
        let is_due = |trend: &&Trend| answers.has(trend.kind);
        let count = rest.iter().take_while(is_due).count();
        self.drawn.0 += count;
        &rest[..count]
    }

    /// The tables that are due now, when all trends are drawn.
    fn take_tables(&mut self, answers: &Answers) -> std::ops::Range<usize> {
        let first = self.drawn.1;
        if self.drawn.0 == self.report.trends.len() {
            let rest = self.tables[first..].iter();
            let is_due =
                |(table, _): &&(&Table, TableQuery)| table.kinds().all(|kind| answers.has(kind));
            self.drawn.1 += rest.take_while(is_due).count();
        }
        first..self.drawn.1
    }

    fn draw(&mut self, answers: &Answers, is_last: bool) -> Markup {
        let trends = self.take_trends(answers);
        let tables = self.take_tables(answers);
        let at = TableContext {
            period: &self.period,
            view: &self.view,
            path: &self.place.path,
            website: &self.place.website,
            statuses: &self.statuses,
        };
        let report = self.report;
        let found = find_rows(&self.tables[tables], answers, &at);
        let (found, wrong) = take_problems(report, found);
        let trends: Vec<Markup> = trends
            .iter()
            .map(|trend| trend.draw(answers, &self.period))
            .collect();
        let shown: Vec<&TableRows<'_>> = found.iter().filter(|found| found.is_shown()).collect();
        self.is_filled |= trends.iter().any(|trend| !trend.0.is_empty()) || !shown.is_empty();
        let is_blank = is_last && !self.is_filled && !found.is_empty();
        html! {
            @if !report.settings.is_empty() { (settings::draw(report.settings, &self.period.view, &self.place.path, &wrong)) }
            @for message in self.describe_missing() { (notice("bad", &html! { (message) })) }
            @for trend in &trends { (trend) }
            @for found in shown { (found.draw(report, answers, &at)) }
            @if is_blank { div.panel { (empty(report.none, &html! { p { (choose_hint(report.next, &self.period.view)) } })) } }
        }
    }

    /// The settings that tables still need, when some of them are chosen.
    fn describe_missing(&self) -> impl Iterator<Item = String> {
        let report = self.report;
        let has = |field: &&str| value(&self.period, field).is_some();
        let tables = report.tables.iter();
        let begun = tables.filter(move |table| table.needs.iter().any(has));
        begun.filter_map(move |table| settings::describe_missing(report.settings, table, has))
    }
}

/// The tables that are shown, and the problems of settings: those are shown below the settings, not in place of their table.
fn take_problems<'a>(
    report: &Report,
    mut found: Vec<TableRows<'a>>,
) -> (Vec<TableRows<'a>>, Vec<settings::FieldProblem>) {
    let mut wrong = Vec::new();
    found.retain(|found| {
        let message = found.rows.as_ref().err();
        let message = message
            .and_then(|message| settings::find_problem(report.settings, found.table, message));
        let stays = message.is_none();
        wrong.extend(message);
        stays
    });
    (found, wrong)
}

/// Makes a query of its own of what the first panel needs, so that it does not wait for the others.
fn split_first(mut bodies: Vec<Value>, kinds: &[&str]) -> Vec<Value> {
    let parameters = bodies
        .first()
        .and_then(|body| body["parameters"].as_array());
    let parameters = parameters.cloned().unwrap_or_default();
    let is_first = |kind: &Value| kind.as_str().is_some_and(|kind| kinds.contains(&kind));
    let (first, rest): (Vec<Value>, Vec<Value>) = parameters.into_iter().partition(is_first);
    if !first.is_empty() && !rest.is_empty() {
        let mut own = bodies[0].clone();
        own["parameters"] = first.into();
        bodies[0]["parameters"] = rest.into();
        bodies.insert(0, own);
    }
    bodies
}

/// A table with its rows, or why there are none.
struct TableRows<'a> {
    table: &'static Table,
    query: &'a TableQuery,
    /// Whether rows are left out that another choice shows.
    is_narrowed: bool,
    rows: Result<Vec<Value>, String>,
}

impl TableRows<'_> {
    /// A search or a choice without a result keeps its table.
    fn is_shown(&self) -> bool {
        let has_rows = self.rows.as_ref().is_ok_and(|rows| has_content(rows));
        has_rows || self.is_narrowed || self.rows.is_err() || *self.query != TableQuery::default()
    }

    fn draw(&self, report: &Report, answers: &Answers, at: &TableContext<'_>) -> Markup {
        html! {
            section.panel aria-label=(self.table.title) {
                @match &self.rows {
                    Ok(rows) => (draw(self.table, self.query, rows, answers, at)),
                    Err(message) => { h2 { (self.table.title) } (notice("warn", &html! { (settings::use_titles(report.settings, self.table, message)) })) },
                }
            }
        }
    }
}

fn find_rows<'a>(
    wanted: &'a [(&'static Table, TableQuery)],
    answers: &Answers,
    at: &TableContext<'_>,
) -> Vec<TableRows<'a>> {
    let period = at.period;
    let rows = |kind: &str| answers.rows::<Value>(kind);
    let one = |(table, query): &'a (&'static Table, TableQuery)| {
        let mut own = rows(table.kind);
        if let (Some(spark), Ok(own)) = (table.spark, &mut own) {
            let days: Vec<String> = days(period).map(|day| day.to_string()).collect();
            spark.fill_days(own, &rows(spark.kind).unwrap_or_default(), &days, SPARK);
        }
        let is_narrowed = match &mut own {
            Ok(own) if table.kind == error_statuses::KIND => at
                .statuses
                .narrow(own, period.view.tab(error_statuses::TAB)),
            _ => false,
        };
        TableRows {
            table,
            query,
            is_narrowed,
            rows: own,
        }
    };
    wanted.iter().map(one).collect()
}

/// The hint of an empty report. Without filters none can be removed.
fn choose_hint(hint: &'static str, view: &View) -> &'static str {
    match hint {
        FEWER if view.filters.is_empty() => "Choose another period.",
        hint => hint,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_panel_waits_for_nothing_else() {
        let body = |kinds: &[&str]| json!({ "parameters": kinds, "limit": 5 });
        let bodies = || vec![body(&["b", "a", "c"]), body(&["d"])];
        assert_eq!(
            split_first(bodies(), &["a"]),
            [body(&["a"]), body(&["b", "c"]), body(&["d"])]
        );
        assert_eq!(split_first(bodies(), &["a", "b", "c"]), bodies());
        assert_eq!(split_first(bodies(), &["d"]), bodies(), "it is elsewhere");
        assert!(split_first(Vec::new(), &["a"]).is_empty());
    }
}
