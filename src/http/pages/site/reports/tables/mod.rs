//! Which pages there are, and what their tables show.

mod acts;
mod health;
mod people;

use crate::pages::frame::Place;

/// A page of tables.
pub(super) struct Report {
    /// Its route.
    pub(super) path: &'static str,
    pub(super) place: Place,
    pub(super) title: &'static str,
    /// What it is about, in a sentence.
    pub(super) says: &'static str,
    pub(super) tables: &'static [Table],
    /// What can be chosen of how it is made.
    pub(super) settings: &'static [Setting],
    /// What is said when there is nothing.
    pub(super) none: &'static str,
    /// What to do then.
    pub(super) next: &'static str,
}

/// How rows are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One row whose numbers stand beside each other.
    Facts,
    /// Rows below each other.
    Rows,
}

/// Something of how a table is made that can be chosen: a filter that its query type reads.
#[derive(Debug)]
pub(super) struct Setting {
    /// The field.
    pub(super) field: &'static str,
    /// What it is called.
    pub(super) title: &'static str,
    /// What stands in an empty field.
    pub(super) example: &'static str,
    /// The only values there are, if they are few, with what they are called.
    pub(super) among: &'static [(&'static str, &'static str)],
    /// `text`, `number` or `date`.
    pub(super) kind: &'static str,
}

/// A table.
pub(super) struct Table {
    pub(super) title: &'static str,
    /// The setting without which there is none.
    pub(super) needs: Option<&'static str>,
    /// The query type.
    pub(super) kind: &'static str,
    pub(super) form: Form,
    pub(super) columns: &'static [Column],
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Text,
    /// Text that may be long, behind its first line.
    Long,
    /// Text, and a click filters by this field.
    Filter(&'static str),
    /// The id of a session, as a way to it.
    Session,
    /// The id of a visitor, as a way to the person: by the row's profile, where there is one.
    Person,
    Count,
    Percent,
    Decimal,
    Seconds,
    Millis,
    Time,
    /// A vital, with its rating. Empty: the row's `metric_name` says which.
    Vital(&'static str),
    /// How many came back, step by step, in percent.
    Periods,
}

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) heading: &'static str,
    pub(super) how: How,
}

impl Column {
    /// Whether it stands to the right.
    pub(super) fn is_number(&self) -> bool {
        use How::{Count, Decimal, Millis, Percent, Seconds, Vital};
        matches!(
            self.how,
            Count | Decimal | Millis | Percent | Seconds | Vital(_)
        )
    }
}

const fn column(name: &'static str, heading: &'static str, how: How) -> Column {
    Column { name, heading, how }
}

const fn setting(field: &'static str, title: &'static str, example: &'static str) -> Setting {
    Setting {
        field,
        title,
        example,
        among: &[],
        kind: "text",
    }
}

const fn rows(title: &'static str, kind: &'static str, columns: &'static [Column]) -> Table {
    Table {
        title,
        needs: None,
        kind,
        form: Form::Rows,
        columns,
    }
}

const fn facts(title: &'static str, kind: &'static str, columns: &'static [Column]) -> Table {
    Table {
        title,
        needs: None,
        kind,
        form: Form::Facts,
        columns,
    }
}

/// Every page of tables.
pub(super) const REPORTS: [&Report; 10] = [
    &people::SESSIONS,
    &people::PEOPLE,
    &people::JOURNEYS,
    &people::RETENTION,
    &acts::EVENTS,
    &acts::ENGAGEMENT,
    &acts::REVENUE,
    &health::VITALS,
    &health::ERRORS,
    &health::QUALITY,
];

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::analytics::{catalogue::Field, types};

    #[test]
    fn every_column_is_one_that_its_type_promises() {
        let types = types(true);
        for report in REPORTS {
            for table in report.tables {
                let promised = &types["configs"][table.kind]["meta"]["output_fields"];
                let promised: Vec<&Value> = promised
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|field| &field["name"])
                    .collect();
                for column in table.columns {
                    assert!(
                        promised.iter().any(|name| **name == *column.name),
                        "{} has no {}",
                        table.kind,
                        column.name
                    );
                    if let How::Filter(field) = column.how {
                        assert!(Field::find(field).is_some(), "{field}");
                    }
                }
            }
        }
    }
}
