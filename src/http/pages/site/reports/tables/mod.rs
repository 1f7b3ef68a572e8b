//! The reports as data.

mod audience;
mod behavior;
mod health;

use std::collections::HashMap;

use serde_json::Value;

use super::{cell::TableContext, error_statuses, trend::Trend};
use crate::{
    analytics::{catalogue::find, run::Answers},
    http::pages::prelude::*,
};

pub(super) struct Report {
    /// Its route.
    pub(super) path: &'static str,
    pub(super) place: NavItem,
    pub(super) title: &'static str,
    /// Its description, in a sentence.
    pub(super) says: &'static str,
    /// The field of the filter that says what the page is about, and the page without one.
    pub(super) subject: Option<(&'static str, &'static str)>,
    pub(super) trends: &'static [Trend],
    pub(super) tables: &'static [Table],
    pub(super) settings: &'static [Setting],
    /// The title if there is no data.
    pub(super) none: &'static str,
    /// The hint if there is no data.
    pub(super) next: &'static str,
}

impl Report {
    /// The filters that its settings and its subject set, which the bar above leaves out.
    pub(super) fn own_fields(&self) -> Vec<&'static str> {
        let settings = self.settings.iter().map(|one| one.field);
        settings
            .chain(self.subject.map(|(field, _)| field))
            .collect()
    }
}

/// The title if there is no data.
pub(super) const NO_DATA: &str = "No data for this period";

/// The hint if another range or fewer filters may have data.
pub(super) const FEWER: &str = "Choose another period or remove filters.";

/// The layout of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One row of numbers beside each other.
    Facts,
    /// Rows below each other.
    Rows,
    /// The drawing alone.
    Drawing,
}

/// Draws rows of a table, with the other answers of the page.
pub(super) type Draw = fn(&[Value], &Answers, &TableContext<'_>) -> Markup;

/// A setting of a table: a filter that its query type reads.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) field: &'static str,
    pub(super) title: &'static str,
    /// The placeholder.
    pub(super) example: &'static str,
    /// The values with their labels, if they are few.
    pub(super) among: &'static [(&'static str, &'static str)],
    /// `text`, `number` or `date`.
    pub(super) kind: &'static str,
    /// The value of an empty setting, by the days of the range.
    pub(super) automatic: Option<fn(i64) -> &'static str>,
}

pub(super) struct Table {
    pub(super) title: &'static str,
    /// The settings that it requires.
    pub(super) needs: &'static [&'static str],
    /// The query type.
    pub(super) kind: &'static str,
    pub(super) form: Form,
    pub(super) columns: &'static [Column],
    /// The numbers of each row by day.
    pub(super) spark: Option<SparkColumn>,
    /// What is above the rows.
    pub(super) drawing: Option<Draw>,
    /// Query types of the drawing.
    pub(super) also: &'static [&'static str],
    /// The number of all rows: a column of another query type.
    pub(super) total: Option<(&'static str, &'static str)>,
    /// The column that it is sorted by unless another one is chosen.
    pub(super) sort: &'static str,
}

/// Numbers by day, from the rows of another query type with the same key.
#[derive(Debug, Clone, Copy)]
pub(super) struct SparkColumn {
    /// The other query type.
    pub(super) kind: &'static str,
    /// The keys: the column here, and the column there.
    pub(super) by: (&'static str, &'static str),
    /// The column.
    pub(super) name: &'static str,
}

impl SparkColumn {
    /// Puts the numbers of these days into a column of rows.
    pub(super) fn fill_days(
        self,
        rows: &mut [Value],
        others: &[Value],
        days: &[String],
        column: &str,
    ) {
        let mut all: HashMap<(&str, &str), u64> = HashMap::new();
        for other in others {
            let (name, day) = (&other[self.by.1], &other["date"]);
            if let (Some(name), Some(day)) = (name.as_str(), day.as_str()) {
                all.insert((name, day), other[self.name].as_u64().unwrap_or(0));
            }
        }
        for row in rows {
            let name = row[self.by.0].as_str().unwrap_or_default();
            let number = |day: &String| all.get(&(name, day.as_str())).copied().unwrap_or(0);
            let numbers: Vec<u64> = days.iter().map(number).collect();
            row[column] = numbers.into();
        }
    }
}

/// The format of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    /// The name of a custom event, as a link to its page.
    Event,
    /// Text that may be long, behind its first line.
    Long,
    /// Text, and a click filters by this field.
    Filter(&'static str),
    /// The label of a program's word.
    Word,
    /// The same, and a click filters by this field.
    WordFilter(&'static str),
    /// The id of a session, as a link to it.
    Session,
    /// The id of a visitor, as a link to the person, by the row's profile if it has one.
    Person,
    Count,
    Percent,
    Decimal,
    /// An amount, whose currency is in another column.
    Money,
    Seconds,
    Millis,
    Time,
    /// A day of the wire, as the reader writes days.
    Day,
    /// The next page; empty = exit.
    NextPage,
    /// A web vital with its rating; `""` = the row's `metric_name`.
    Vital(&'static str),
    /// Numbers by day, as a small line.
    Spark,
    /// Whether an error is resolved, with the buttons that change it.
    ErrorStatus,
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) heading: &'static str,
    pub(super) format: Format,
}

impl Column {
    /// Whether it is aligned to the right.
    pub(super) fn is_number(&self) -> bool {
        use Format::{Count, Decimal, Millis, Money, Percent, Seconds, Vital};
        matches!(
            self.format,
            Count | Decimal | Millis | Money | Percent | Seconds | Vital(_)
        )
    }
}

const fn column(name: &'static str, heading: &'static str, format: Format) -> Column {
    Column {
        name,
        heading,
        format,
    }
}

/// The column of a row's numbers by day.
pub(super) const SPARK: &str = "by_day";

const PAGE: Column = column("path", "Page", Format::Filter("path"));
const TIME: Column = column("timestamp", "Time", Format::Time);
const SESSION: Column = column("session_id", "Session", Format::Session);
const EVENT: Column = column("event_name", "Event", Format::Event);
const TREND: Column = column(SPARK, "Trend", Format::Spark);
const VISITORS: Column = column("unique_users", "Visitors", Format::Count);
const STATUS: Column = column(error_statuses::TAB, "Status", Format::ErrorStatus);
const LAST_SEEN: Column = column("last_seen", "Last seen", Format::Time);

const fn setting(field: &'static str, title: &'static str, example: &'static str) -> Setting {
    Setting {
        field,
        title,
        example,
        among: &[],
        kind: "text",
        automatic: None,
    }
}

const fn table(title: &'static str, kind: &'static str, form: Form) -> Table {
    Table {
        title,
        needs: &[],
        kind,
        form,
        columns: &[],
        spark: None,
        drawing: None,
        also: &[],
        total: None,
        sort: "",
    }
}

const fn rows(title: &'static str, kind: &'static str) -> Table {
    table(title, kind, Form::Rows)
}

const fn facts(title: &'static str, kind: &'static str) -> Table {
    table(title, kind, Form::Facts)
}

/// Rows that are drawn otherwise than as a table.
const fn drawing(
    title: &'static str,
    kind: &'static str,
    draw: Draw,
    also: &'static [&'static str],
) -> Table {
    table(title, kind, Form::Drawing).drawing(draw, also)
}

impl Table {
    const fn with(self, columns: &'static [Column]) -> Self {
        Self { columns, ..self }
    }

    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    /// Every query type that it asks.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &'static str> {
        let spark = self.spark.map(|spark| spark.kind);
        let total = self.total.map(|(kind, _)| kind);
        let own = [Some(self.kind), spark, total].into_iter().flatten();
        own.chain(self.also.iter().copied())
    }

    /// Whether rows can be sorted by a column.
    pub(super) fn can_sort(&self, column: &Column) -> bool {
        find(self.kind).is_some_and(|kind| kind.sortable().contains(&column.name))
    }

    /// The field that a search looks into.
    pub(super) fn search_field(&self) -> Option<&'static str> {
        self.columns.iter().find_map(|column| match column.format {
            Format::Filter(field) => Some(field),
            Format::Event => Some("event_name"),
            _ => None,
        })
    }

    const fn drawing(self, drawing: Draw, also: &'static [&'static str]) -> Self {
        let drawing = Some(drawing);
        Self {
            drawing,
            also,
            ..self
        }
    }

    const fn total(self, kind: &'static str, column: &'static str) -> Self {
        let total = Some((kind, column));
        Self { total, ..self }
    }

    const fn sorted_by(self, sort: &'static str) -> Self {
        Self { sort, ..self }
    }

    /// With the numbers of each row by day: a query type, the keys here and there, and its number.
    const fn spark(
        self,
        kind: &'static str,
        by: (&'static str, &'static str),
        name: &'static str,
    ) -> Self {
        let spark = Some(SparkColumn { kind, by, name });
        Self { spark, ..self }
    }
}

impl Setting {
    const fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    const fn automatic(self, automatic: fn(i64) -> &'static str) -> Self {
        let automatic = Some(automatic);
        Self { automatic, ..self }
    }

    const fn among(self, among: &'static [(&'static str, &'static str)]) -> Self {
        Self { among, ..self }
    }
}

/// A report without a subject, trends or settings.
const fn report(path: &'static str, place: NavItem, title: &'static str) -> Report {
    Report {
        path,
        place,
        title,
        says: "",
        subject: None,
        trends: &[],
        tables: &[],
        settings: &[],
        none: NO_DATA,
        next: FEWER,
    }
}

pub(super) const REPORTS: [&Report; 11] = [
    &audience::SESSIONS,
    &audience::PEOPLE,
    &audience::JOURNEYS,
    &audience::RETENTION,
    &behavior::EVENTS,
    &behavior::EVENT_DETAILS,
    &behavior::ENGAGEMENT,
    &behavior::REVENUE,
    &health::VITALS,
    &health::ERRORS,
    &health::QUALITY,
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::analytics::{catalogue::Field, types};

    #[test]
    fn every_column_is_one_that_its_type_promises() {
        let types = types(true);
        for report in REPORTS {
            for table in report.tables {
                let has = |kind: &str, name: &str| {
                    let promised = &types["configs"][kind]["meta"]["output_fields"];
                    let mut promised = promised.as_array().unwrap().iter();
                    assert!(
                        promised.any(|field| field["name"] == name),
                        "{kind} has no {name}"
                    );
                };
                for (kind, name) in table
                    .total
                    .into_iter()
                    .chain(table.spark.into_iter().flat_map(|spark| {
                        [
                            (spark.kind, spark.name),
                            (spark.kind, spark.by.1),
                            (table.kind, spark.by.0),
                        ]
                    }))
                {
                    has(kind, name);
                }
                let made = [SPARK, error_statuses::TAB];
                for column in table
                    .columns
                    .iter()
                    .filter(|column| !made.contains(&column.name))
                {
                    has(table.kind, column.name);
                    if let Format::Filter(field) | Format::WordFilter(field) = column.format {
                        assert!(Field::find(field).is_some(), "{field}");
                    }
                }
                for kind in table.also {
                    assert!(find(kind).is_some(), "{kind}");
                }
                assert!(
                    table.sort.is_empty()
                        || find(table.kind).unwrap().sortable().contains(&table.sort),
                    "{}",
                    table.sort
                );
            }
        }
    }

    #[test]
    fn every_trend_is_of_columns_that_its_type_promises() {
        let types = types(true);
        for report in REPORTS {
            for trend in report.trends {
                let promised = &types["configs"][trend.kind]["meta"]["output_fields"];
                let names: Vec<&Value> = promised
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|field| &field["name"])
                    .collect();
                let wanted = std::iter::once(trend.value).chain(trend.by);
                for name in wanted {
                    assert!(
                        names.contains(&&json!(name)),
                        "{} has no {name}",
                        trend.kind
                    );
                }
            }
        }
    }
}
