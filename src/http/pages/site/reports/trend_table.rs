//! The numbers of the lines in the rows of a table, as one table below it.

use chrono::NaiveDate;
use serde_json::Value;

use super::{
    cell::{read_days, shorten, text},
    tables::{SPARK, Table},
};
use crate::{
    http::pages::{
        prelude::*,
        site::{day_chart::days, period::PeriodQuery},
    },
    pages::{chart::SeriesTable, number},
};

/// Days with a column each. Of more days a column has a week, and of more than as many weeks it has four.
const MAX_COLUMNS: usize = 31;
const WEEK: usize = 7;

/// The days of a column.
const fn choose_span(days: usize) -> usize {
    if days <= MAX_COLUMNS {
        1
    } else if days <= MAX_COLUMNS * WEEK {
        WEEK
    } else {
        4 * WEEK
    }
}

/// The table; nothing where no row has a line.
pub(super) fn draw(table: &Table, rows: &[Value], period: &PeriodQuery) -> Markup {
    let days: Vec<NaiveDate> = days(period).collect();
    let span = choose_span(days.len());
    let label = |days: &[NaiveDate]| match days {
        [] => String::new(),
        [day] => period.texts().weekday(*day),
        [first, .., last] => period.texts().days_between(*first, *last),
    };
    let steps: Vec<String> = days.chunks(span).map(label).collect();
    let row = |row: &Value| {
        let numbers = read_days(&row[SPARK])?;
        let sums = numbers.chunks(span).map(|days| days.iter().sum::<u64>());
        let cells = sums.map(number::full).collect();
        Some((shorten(&text(&row["name"])), cells))
    };
    let rows: Vec<(String, Vec<String>)> = rows.iter().filter_map(row).collect();
    let heading = table.columns.first().map_or("", |column| column.heading);
    let series = SeriesTable {
        caption: "Trend",
        heading,
        steps: &steps,
        rows: &rows,
    };
    series.draw_below(period.texts())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::tables::REPORTS, *};

    fn draw_period(query: &str, count: usize) -> String {
        let mut tables = REPORTS.into_iter().flat_map(|report| report.tables);
        let table = tables.find(|table| table.spark.is_some()).unwrap();
        let period = PeriodQuery::read(query, &[], DateFormat::default(), 1_791_979_200_000);
        let rows = [
            json!({ "name": "<b>", "by_day": vec![2; count] }),
            json!({ "name": "Once", "by_day": [1] }),
        ];
        draw(table, &rows, &period).into_string()
    }

    #[test]
    fn few_days_have_a_column_each_and_many_a_column_for_weeks() {
        let week = draw_period("", 7);
        assert!(week.contains(">Thu, Oct 8</th>"), "{week}");
        let row = format!(">&lt;b&gt;</th>{}</tr>", "<td>2</td>".repeat(7));
        assert!(week.contains(&row), "{week}");
        assert!(!week.contains("Once"), "it has no line: {week}");
        let quarter = draw_period("from=2026-07-01&to=2026-10-10", 102);
        assert!(quarter.contains(">Jul 1 – Jul 7, 2026</th>"), "{quarter}");
        let weeks = "<td>14</td>".repeat(14);
        assert!(
            quarter.contains(&format!("{weeks}<td>8</td></tr>")),
            "{quarter}"
        );
        let year = draw_period("from=2025-10-15&to=2026-10-14", 365);
        assert_eq!(year.matches("<td>").count(), 14, "{year}");
    }

    #[test]
    fn without_a_line_there_is_no_table() {
        assert_eq!(draw_period("preset=today", 1), "");
    }
}
