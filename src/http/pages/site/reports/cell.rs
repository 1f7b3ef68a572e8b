//! One value of a table.

use serde_json::Value;

use super::{
    error_statuses::Statuses,
    tables::{Column, Form, Format},
};
use crate::{
    http::pages::{
        prelude::*,
        reset::segment,
        site::{day_chart::days, period::PeriodQuery},
    },
    pages::{
        chart::{Spark, describe_values},
        number,
        part::time,
        problem::capitalize,
        view::View,
    },
};

/// The page of a table.
pub(super) struct TableContext<'a> {
    pub(super) period: &'a PeriodQuery,
    /// The range and the filters, without what is chosen of a table.
    pub(super) view: &'a View,
    pub(super) path: &'a str,
    pub(super) website: &'a str,
    pub(super) statuses: &'a Statuses,
}

/// A value in its column's format. Numbers of a column have equally many decimals.
pub(super) fn draw(column: &Column, form: Form, row: &Value, at: &TableContext<'_>) -> Markup {
    let value = &row[column.name];
    let text = text(value);
    let decimal = |written: fn(f64) -> String| {
        value
            .as_f64()
            .map_or_else(none, |number| html! { (written(number)) })
    };
    match column.format {
        Format::ErrorStatus => at.statuses.draw(row, at),
        Format::NextPage if text.is_empty() => html! { span.dim { "Exited" } },
        _ if value.is_null() || text.is_empty() => none(),
        Format::Text | Format::NextPage => html! { (text) },
        Format::Event => {
            let path = format!("/console/site/{}/event", at.website);
            let view = at.view.with_filter("event_name", "eq", &text);
            html! { a href=(view.address(&path)) { (text) } }
        }
        Format::Long => long(&text),
        Format::Word => html! { (word(&text)) },
        Format::Filter(field) => filter(field, &text, &text, at),
        Format::WordFilter(field) => filter(field, &text, &word(&text), at),
        Format::Session => {
            let path = format!("/console/site/{}/session/{text}", at.website);
            html! { a href=(at.view.address(&path)) { code { (text.get(..8).unwrap_or(&text)) } } }
        }
        Format::Person => person(&text, row, at),
        Format::Count => value
            .as_u64()
            .map_or_else(none, |count| html! { (number::full(count)) }),
        Format::Percent if form == Form::Rows => decimal(number::column_percent),
        Format::Decimal if form == Form::Rows => decimal(number::money),
        Format::Percent => decimal(number::percent),
        Format::Decimal => decimal(number::decimal),
        Format::Money => decimal(number::money),
        Format::Seconds => decimal(number::duration),
        Format::Millis => decimal(number::column_millis),
        Format::Time => moment(&text).map_or_else(none, |at_ms| {
            time(
                at_ms,
                &at.period.date_format.moment(at_ms),
                &at.period.date_format,
            )
        }),
        Format::Day => html! { @match text.parse::<chrono::NaiveDate>() {
            Ok(day) => (at.period.date_format.date(at.period.noon(day))),
            Err(_) => (text),
        } },
        Format::Vital(name) => {
            let name = if name.is_empty() {
                row["metric_name"].as_str().unwrap_or_default()
            } else {
                name
            };
            // More frames per second are better, so these percentiles are not the slowest quarter.
            let number = value
                .as_f64()
                .filter(|_| name != "FPS" || column.name == "p50");
            number.map_or_else(none, |number| vital(name, number))
        }
        Format::Spark => draw_spark(row, value, at.period),
    }
}

/// A visitor, as a link to the person.
fn person(visitor: &str, row: &Value, at: &TableContext<'_>) -> Markup {
    // A visitor without a profile has an id alone.
    let known = find_text(row, "profile_id");
    let (by, id) = match &known {
        Some(known) => ("profile", known.as_str()),
        None => ("visitor", visitor),
    };
    let path = format!("/console/site/{}/person/{by}/{}", at.website, segment(id));
    let name = find_text(row, "display_name").or(known.clone());
    html! { a href=(at.view.address(&path)) {
        @match &name { Some(name) => (name), None => code { (visitor.get(..8).unwrap_or(visitor)) } }
    } }
}

/// A value as a link that filters by it.
fn filter(field: &str, value: &str, called: &str, at: &TableContext<'_>) -> Markup {
    let view = at.view.with_filter(field, "eq", value);
    html! { a href=(view.address(at.path)) title=(format!("Filter by {called}")) { (called) } }
}

/// The label of a word such as `opted_out`.
fn word(text: &str) -> String {
    capitalize(&text.replace('_', " "))
        .replace("Ip ", "IP ")
        .replace(" ip", " IP")
}

fn find_text(row: &Value, name: &str) -> Option<String> {
    Some(text(&row[name])).filter(|text| !text.is_empty())
}

fn none() -> Markup {
    html! { span.dim { (number::NONE) } }
}

/// A value as text: properties as they were sent, lists with commas.
pub(in crate::http::pages::site) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A time of the wire.
pub(in crate::http::pages::site) fn moment(text: &str) -> Option<i64> {
    let at = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    Some(at.timestamp_millis())
}

/// Characters of a long text that are shown at once.
const MAX_BRIEF: usize = 60;

/// The beginning of a long text.
pub(super) fn shorten(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.chars().take(MAX_BRIEF).collect()
}

fn long(text: &str) -> Markup {
    let brief = shorten(text);
    if brief == text {
        return html! { code { (text) } };
    }
    html! { details.long { summary { code { (brief) "…" } } pre { (text) } } }
}

/// Bounds of good and poor, from the makers of the vitals: milliseconds, but CLS, which has no unit.
const BOUNDS: [(&str, f64, f64); 5] = [
    ("LCP", 2_500.0, 4_000.0),
    ("INP", 200.0, 500.0),
    ("CLS", 0.1, 0.25),
    ("FCP", 1_800.0, 3_000.0),
    ("TTFB", 800.0, 1_800.0),
];

/// The number of a web vital in its unit.
pub(super) fn write_vital(name: &str, number: f64) -> String {
    match name {
        "CLS" => format!("{number:.3}"),
        "FPS" => number::decimal(number),
        _ => number::column_millis(number),
    }
}

/// The number of a web vital with its rating.
pub(in crate::http::pages::site) fn vital(name: &str, number: f64) -> Markup {
    let written = write_vital(name, number);
    let Some((_, good, poor)) = BOUNDS.iter().find(|(known, ..)| *known == name) else {
        return html! { (written) };
    };
    let (class, rating) = match number {
        number if number <= *good => ("good", "good"),
        number if number > *poor => ("bad", "poor"),
        _ => ("warn", "needs improvement"),
    };
    html! { span.rated.(class) title=(rating) { (written) span.hide { " (" (rating) ")" } } }
}

/// The numbers of a row by day, if it has a line. One day is no line.
pub(super) fn read_days(value: &Value) -> Option<Vec<u64>> {
    let numbers = value.as_array()?.iter();
    let numbers: Vec<u64> = numbers.filter_map(Value::as_u64).collect();
    (numbers.len() > 1).then_some(numbers)
}

fn draw_spark(row: &Value, value: &Value, period: &PeriodQuery) -> Markup {
    let Some(numbers) = read_days(value) else {
        return none();
    };
    let step = |(day, count): (chrono::NaiveDate, &u64)| {
        format!("{}: {}", period.texts().weekday(day), number::full(*count))
    };
    let steps: Vec<String> = days(period).zip(&numbers).map(step).collect();
    let written: Vec<String> = numbers.iter().copied().map(number::full).collect();
    let described = describe_values(period.texts(), &numbers, &written);
    let name = shorten(&text(&row["name"]));
    let label = format!("{name} by day, {}: {described}", period.describe());
    let spark = Spark {
        label: &label,
        values: &numbers,
        steps: &steps,
    };
    spark.draw()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pages::time::DateFormat;

    fn draw_row_value(format: Format, value: &Value) -> String {
        draw_value(Form::Rows, format, value)
    }

    fn draw_value(form: Form, format: Format, value: &Value) -> String {
        let period = PeriodQuery::read("", &[], DateFormat::default(), 1_791_979_200_000);
        let statuses = Statuses::default();
        let at = TableContext {
            statuses: &statuses,
            period: &period,
            view: &period.view,
            path: "/p",
            website: "w",
        };
        let column = Column {
            name: "x",
            heading: "X",
            format,
        };
        let row = json!({ "x": value, "metric_name": "CLS", "name": "Sign-up" });
        draw(&column, form, &row, &at).into_string()
    }

    #[test]
    fn values_are_written_as_what_they_are() {
        assert_eq!(draw_row_value(Format::Count, &json!(1_234)), "1,234");
        assert!(draw_row_value(Format::Count, &json!(null)).contains(number::NONE));
        assert!(draw_row_value(Format::Text, &json!("<b>")).contains("&lt;b&gt;"));
        assert!(
            draw_row_value(Format::Vital(""), &json!(0.3)).contains("bad")
                && draw_row_value(Format::Vital("LCP"), &json!(100)).contains("good")
        );
        assert!(
            draw_row_value(Format::Filter("path"), &json!("/a"))
                .contains("href=\"/p?f=path%3Aeq%3A%2Fa\"")
        );
        assert!(
            draw_row_value(Format::Session, &json!("0123456789abcdef"))
                .contains("/console/site/w/session/0123456789abcdef")
        );
        assert!(
            draw_row_value(Format::Time, &json!("2026-10-14T12:00:00.000Z"))
                .contains("Oct 14, 2026, 12:00")
        );
        let line = draw_row_value(Format::Spark, &json!([1, 1_000]));
        assert!(
            line.contains("aria-label=\"Sign-up by day, Oct 8 – Oct 14, 2026: 1, 1,000\""),
            "{line}"
        );
        assert!(
            line.contains("data-steps=\"Thu, Oct 8: 1\nFri, Oct 9: 1,000\""),
            "{line}"
        );
        assert!(draw_row_value(Format::Spark, &json!([1])).contains(number::NONE));
        assert!(draw_row_value(Format::Long, &json!("a\nb")).contains("<details"));
        assert_eq!(draw_row_value(Format::Money, &json!(1_234.5)), "1,234.50");
        assert_eq!(
            draw_row_value(Format::Day, &json!("2026-10-14")),
            "Oct 14, 2026"
        );
        assert_eq!(draw_row_value(Format::Decimal, &json!(3)), "3.00");
        assert_eq!(draw_value(Form::Facts, Format::Decimal, &json!(3)), "3");
        assert!(draw_row_value(Format::Percent, &json!(50)).starts_with("50.0"));
        assert!(draw_value(Form::Facts, Format::Percent, &json!(50)).starts_with("50%"));
        assert_eq!(
            draw_row_value(Format::Word, &json!("ip_not_authorized")),
            "IP not authorized"
        );
        let reason = draw_row_value(Format::WordFilter("reason"), &json!("excluded_ip"));
        assert!(reason.contains("eq%3Aexcluded_ip"), "{reason}");
        assert!(reason.contains(">Excluded IP<"), "{reason}");
        assert!(draw_row_value(Format::NextPage, &json!("")).contains("Exited"));
        assert_eq!(draw_row_value(Format::NextPage, &json!("/a")), "/a");
        assert!(draw_row_value(Format::Vital("CLS"), &json!(0.004)).contains("0.004"));
        assert!(draw_row_value(Format::Vital("FPS"), &json!(60)).contains(number::NONE));
    }
}
