//! The reports as data.

mod audience;
mod behavior;
mod health;

use serde_json::Value;

use crate::pages::frame::NavItem;

pub(super) struct Report {
    /// Its route.
    pub(super) path: &'static str,
    pub(super) place: NavItem,
    pub(super) title: &'static str,
    /// Its description, in a sentence.
    pub(super) says: &'static str,
    pub(super) tables: &'static [Table],
    pub(super) settings: &'static [Setting],
    /// The title if there is no data.
    pub(super) none: &'static str,
    /// The hint if there is no data.
    pub(super) next: &'static str,
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
}

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
}

pub(super) struct Table {
    pub(super) title: &'static str,
    /// The settings that it requires.
    pub(super) needs: &'static [&'static str],
    /// The query type.
    pub(super) kind: &'static str,
    pub(super) form: Form,
    pub(super) columns: &'static [Column],
    /// A column of another table of the page.
    pub(super) borrowed: Option<BorrowedColumn>,
}

/// A column of another table, from its first row with the same key.
#[derive(Debug, Clone, Copy)]
pub(super) struct BorrowedColumn {
    /// The other table's query type.
    pub(super) kind: &'static str,
    /// The keys: the column here, and the column there.
    pub(super) by: (&'static str, &'static str),
    /// The column.
    pub(super) name: &'static str,
}

impl BorrowedColumn {
    /// Puts the column into rows.
    pub(super) fn fill(self, rows: &mut [Value], others: &[Value]) {
        for row in rows {
            let mut same = others.iter().filter(|one| one[self.by.1] == row[self.by.0]);
            row[self.name] = same
                .next()
                .map_or(Value::Null, |one| one[self.name].clone());
        }
    }
}

/// The format of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
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
    /// The share of people who returned, by step, in percent.
    Periods,
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

const PAGE: Column = column("path", "Page", Format::Filter("path"));
const TIME: Column = column("timestamp", "Time", Format::Time);
const SESSION: Column = column("session_id", "Session", Format::Session);
const EVENT: Column = column("event_name", "Event", Format::Filter("event_name"));
const VISITORS: Column = column("unique_users", "Visitors", Format::Count);
const LAST_SEEN: Column = column("last_seen", "Last seen", Format::Time);

const fn setting(field: &'static str, title: &'static str, example: &'static str) -> Setting {
    Setting {
        field,
        title,
        example,
        among: &[],
        kind: "text",
    }
}

const fn table(title: &'static str, kind: &'static str, form: Form) -> Table {
    Table {
        title,
        needs: &[],
        kind,
        form,
        columns: &[],
        borrowed: None,
    }
}

const fn rows(title: &'static str, kind: &'static str) -> Table {
    table(title, kind, Form::Rows)
}

const fn facts(title: &'static str, kind: &'static str) -> Table {
    table(title, kind, Form::Facts)
}

impl Table {
    const fn with(self, columns: &'static [Column]) -> Self {
        Self { columns, ..self }
    }

    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    const fn borrowing(self, borrowed: BorrowedColumn) -> Self {
        let borrowed = Some(borrowed);
        Self { borrowed, ..self }
    }
}

impl Setting {
    const fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    const fn among(self, among: &'static [(&'static str, &'static str)]) -> Self {
        Self { among, ..self }
    }
}

pub(super) const REPORTS: [&Report; 10] = [
    &audience::SESSIONS,
    &audience::PEOPLE,
    &audience::JOURNEYS,
    &audience::RETENTION,
    &behavior::EVENTS,
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
                let borrowed = table.borrowed.map(|borrowed| (borrowed, borrowed.name));
                for column in table.columns {
                    match borrowed {
                        Some((borrowed, name)) if name == column.name => has(borrowed.kind, name),
                        _ => has(table.kind, column.name),
                    }
                    if let Format::Filter(field) | Format::WordFilter(field) = column.format {
                        assert!(Field::find(field).is_some(), "{field}");
                    }
                }
                if let Some((borrowed, _)) = borrowed {
                    has(table.kind, borrowed.by.0);
                    has(borrowed.kind, borrowed.by.1);
                    let kinds = report.tables.iter().map(|table| table.kind);
                    assert!(kinds.into_iter().any(|kind| kind == borrowed.kind));
                }
            }
        }
    }

    #[test]
    fn a_row_borrows_of_the_first_that_is_about_the_same() {
        let borrowed = BorrowedColumn {
            kind: "x",
            by: ("name", "message"),
            name: "stack",
        };
        let mut rows = [json!({ "name": "a" }), json!({ "name": "b" })];
        let others = [
            json!({ "message": "a", "stack": "newest" }),
            json!({ "message": "a", "stack": "older" }),
        ];
        borrowed.fill(&mut rows, &others);
        assert_eq!(rows[0]["stack"], "newest");
        assert_eq!(rows[1]["stack"], Value::Null);
    }
}
