//! Retention: how many users of a cohort come back in each period, and on average.

use serde_json::Value;

use super::cell::TableContext;
use crate::{
    analytics::run::Answers,
    http::pages::prelude::*,
    pages::{
        chart::{Line, Step},
        number,
    },
};

/// The last period that is shown.
const LAST: u64 = 30;
/// Days from which on cohorts are weeks.
const MANY_DAYS: i64 = 27;
/// Classes of cells.
const HEATS: f64 = 10.0;

/// The width of cohorts in days that suits a range of so many.
pub(super) fn usual_width(days: i64) -> &'static str {
    if days >= MANY_DAYS { "7" } else { "1" }
}

/// The people of a cohort who came back in a period.
struct Period {
    place: u64,
    people: u64,
    share: f64,
}

struct Cohort<'a> {
    date: &'a str,
    people: u64,
    periods: Vec<Period>,
}

fn read(row: &Value) -> Cohort<'_> {
    let period = |one: &Value| Period {
        place: one["period"].as_u64().unwrap_or(0),
        people: one["people"].as_u64().unwrap_or(0),
        share: one["percentage"].as_f64().unwrap_or(0.0),
    };
    let periods = row["periods"].as_array().into_iter().flatten().map(period);
    Cohort {
        date: row["cohort_date"].as_str().unwrap_or_default(),
        people: row["people"].as_u64().unwrap_or(0),
        periods: periods.filter(|period| period.place <= LAST).collect(),
    }
}

/// The share of a period over all cohorts that have it, each by its people.
fn average(cohorts: &[Cohort<'_>], place: u64) -> Option<f64> {
    let (mut people, mut all) = (0, 0);
    for cohort in cohorts {
        if let Some(period) = cohort.periods.iter().find(|period| period.place == place) {
            people += period.people;
            all += cohort.people;
        }
    }
    (all > 0).then(|| 100.0 * people as f64 / all as f64)
}

/// The name of a period: `Day 3`, `Week 2`.
fn name(width: &str, place: u64) -> String {
    match width.parse().unwrap_or(1) {
        days @ (7 | 14) => format!("Week {}", place * (days / 7)),
        days => format!("Day {}", place * days),
    }
}

pub(super) fn draw(rows: &[Value], _: &Answers, at: &TableContext<'_>) -> Markup {
    let cohorts: Vec<Cohort<'_>> = rows
        .iter()
        .map(read)
        .filter(|cohort| cohort.people > 0)
        .collect();
    let chosen = at
        .view
        .filters
        .iter()
        .find(|filter| filter.field == "cohort_width");
    let width = chosen.map_or_else(
        || usual_width(at.period.range.days()),
        |filter| filter.value.as_str(),
    );
    let last = cohorts
        .iter()
        .flat_map(|cohort| &cohort.periods)
        .map(|period| period.place);
    let last = last.max().unwrap_or(0);
    let averages: Vec<Option<f64>> = (0..=last).map(|place| average(&cohorts, place)).collect();
    let later = cohorts
        .iter()
        .flat_map(|cohort| &cohort.periods)
        .filter(|period| period.place > 0);
    let most = later.map(|period| period.share).fold(0.0, f64::max);
    html! {
        (draw_curve(&averages, width))
        div.scroll role="region" aria-label="Cohort table" tabindex="0" { table.table.cohorts {
            thead { tr {
                th scope="col" { "Cohort" } th.num scope="col" { "Users" }
                @for place in 0..=last { th scope="col" { (name(width, place)) } }
            } }
            tbody {
                tr {
                    th scope="row" { "Average" } td.num {}
                    @for (place, share) in averages.iter().enumerate() { (draw_cell(*share, (place, most), "")) }
                }
                @for cohort in &cohorts { tr {
                    th scope="row" { @match cohort.date.parse() {
                        Ok(day) => (at.period.date_format.date(at.period.noon(day))),
                        Err(_) => (cohort.date),
                    } }
                    td.num { (number::full(cohort.people)) }
                    @for place in 0..=last {
                        @let period = cohort.periods.iter().find(|period| period.place == place);
                        @let users = period.map_or_else(String::new, |period| number::with_noun(period.people, "user", "users"));
                        (draw_cell(period.map(|period| period.share), (place as usize, most), &users))
                    }
                } }
            }
        } }
    }
}

/// The average over the periods behind the first, in which everybody is.
fn draw_curve(averages: &[Option<f64>], width: &str) -> Markup {
    let step = |(place, share): (usize, &Option<f64>)| Step {
        name: name(width, place as u64),
        word: name(width, place as u64),
        value: *share,
        before: None,
    };
    let steps: Vec<Step> = averages.iter().enumerate().skip(1).map(step).collect();
    let line = Line {
        title: "Average retention",
        steps: &steps,
        goes_on: false,
        whole: false,
        reach: 0.0,
        marks: &[],
        written: &number::percent,
    };
    html! { @if steps.len() > 1 { h3 { "Average retention" } (line.draw()) } }
}

/// A share, colored relative to the largest one behind the first period.
fn draw_cell(share: Option<f64>, (place, most): (usize, f64), users: &str) -> Markup {
    let Some(share) = share else {
        return html! { td {} };
    };
    let heat = if place == 0 || most <= 0.0 {
        0.0
    } else {
        (share / most * HEATS).ceil()
    };
    let heat = format!("heat{}", heat.clamp(0.0, HEATS));
    let decimals = usize::from(share < 10.0 && share > 0.0);
    html! { td.share.(heat) title=[(!users.is_empty()).then_some(users)] { (format!("{share:.decimals$}%")) } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{http::pages::site::period::PeriodQuery, pages::time::DateFormat};

    #[test]
    fn periods_are_named_and_colored_without_the_first_one() {
        let rows = [
            json!({ "cohort_date": "2026-10-05", "people": 10, "periods": [
                { "period": 0, "people": 10, "percentage": 100.0 }, { "period": 1, "people": 4, "percentage": 40.0 },
            ] }),
            json!({ "cohort_date": "2026-10-12", "people": 30, "periods": [{ "period": 0, "people": 30, "percentage": 100.0 }] }),
        ];
        let cohorts: Vec<Cohort<'_>> = rows.iter().map(read).collect();
        assert_eq!(
            average(&cohorts, 1),
            Some(40.0),
            "only cohorts that have the period"
        );
        assert_eq!(average(&cohorts, 2), None);
        assert_eq!(
            (name("7", 2), name("14", 2), name("1", 30)),
            ("Week 2".into(), "Week 4".into(), "Day 30".into())
        );
        assert_eq!((usual_width(6), usual_width(29)), ("1", "7"));
        let cell = |share, place| draw_cell(Some(share), (place, 40.0), "4 users").into_string();
        assert!(cell(40.0, 1).contains("heat10") && cell(100.0, 0).contains("heat0"));
        assert!(cell(0.2, 1).contains(">0.2%<"));
        let period = PeriodQuery::read("", &[], DateFormat::default(), 1_791_979_200_000);
        assert_eq!(period.range.days(), 6);
    }
}
