//! A query type: everything that is known about it, as one value.

use super::{
    category::{Category, Subject, Visual},
    field::{COMMON, Field},
    fold::{BaseAggregate, From},
    measure::{Key, Measure, Show},
    window::Window,
};

/// Rows per parameter when neither the request nor its type says how many.
pub const DEFAULT_LIMIT: u32 = 100;
/// Rows per parameter that a request may ask for.
pub const MAX_LIMIT: u32 = 10_000;

#[derive(Debug, Clone, Copy)]
pub enum By {
    /// The whole range: one row.
    Nothing,
    /// The whole range: one row, with its first `date`.
    Range,
    /// An hour or day of the range; those without anything are rows of zeros.
    Time,
    /// An hour or day of the range and a combination of values; only those that occur.
    TimeAnd(&'static [Key]),
    /// One combination of values.
    Keys(&'static [Key]),
}

/// The order of rows when the request names none.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    /// Expression over the rows' own columns.
    pub sql: &'static str,
    pub descending: bool,
}

/// A column of a hand-written type or a list: its name is also its alias in the statement.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub name: &'static str,
    /// Expression (lists), or the name of what the statement yields (hand-written types).
    pub sql: &'static str,
    pub show: Show,
    /// Whether `sortBy` may name it.
    pub sortable: bool,
}

/// A column that rows can be sorted by.
pub(super) const fn column(name: &'static str, sql: &'static str, show: Show) -> Column {
    Column {
        name,
        sql,
        show,
        sortable: true,
    }
}

/// A column that rows can be sorted by, named like what the statement yields.
pub(super) const fn plain_column(name: &'static str, show: Show) -> Column {
    column(name, name, show)
}

/// A column that is looked up after the rows are chosen.
pub(super) const fn detail(name: &'static str, show: Show) -> Column {
    Column {
        name,
        sql: name,
        show,
        sortable: false,
    }
}

/// A table of columns that one function makes: how they are written, then their names.
macro_rules! columns {
    ($make:ident: $($show:expr => $($name:literal),+;)*) => {
        &[$($($make($name, $show)),+),*]
    };
}
pub(super) use columns;

#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Measured {
        fold: BaseAggregate,
        by: By,
        measures: &'static [Measure],
        /// Condition on what the fold yields.
        keep: Option<&'static str>,
        /// The column that says each row's share of the first measure.
        share: Option<&'static str>,
    },
    /// Events as they are, newest first.
    List {
        /// Condition on the event table.
        rows: &'static str,
        columns: &'static [Column],
        /// Columns of the event table that order events of the same millisecond.
        ties: &'static [&'static str],
    },
    /// Hand-written: first choose the page cheaply, then read the chosen in full.
    Custom {
        /// Statement with the marks `{events}`, `{where}` (filters), `{page}` (order, limit, offset) and `{order}`; for
        /// series (whose first column is a bucket) also `{bucket}` (a row's bucket), `{buckets}` (a relation `bucket,
        /// begins, ends` of all of them) and `{until}` (the end of what has happened so far).
        text: &'static str,
        /// The same where there are extracts, with two more marks: `{extract}`, and `{near}`, which leaves those rows of the
        /// relation `near` that may be on the page. Its times are those of the quarters of an hour in which something
        /// happened, so the page itself is chosen of exact ones.
        extracted: Option<&'static str>,
        columns: &'static [Column],
        /// Column that orders rows of equal rank.
        tie: &'static str,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct QueryType {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// Where it is listed; `Errors` is gated by plan.
    pub category: Category,
    pub subject: Subject,
    pub shape: Shape,
    /// Fields that it may be filtered by beside the common ones.
    pub own_filters: &'static [Field],
    /// Whether `groupBy` acts.
    pub customizable: bool,
    /// Rows when the request says nothing.
    pub default_limit: u32,
    /// Whether anyone may ask it of a public website. Never for what shows single visitors or their properties.
    pub public: bool,
    /// Its own order; `None` = first measure, biggest first.
    pub order: Option<Order>,
    /// How a console would draw it.
    pub visual: Visual,
    pub about: About,
    pub window: Window,
    /// It needs a filter on one of these fields with `eq`.
    pub needs: &'static [Field],
    /// So many of its keys, from the first, make the whole that shares and ranks are of; 0 = all rows together.
    pub within: usize,
    /// Of each such whole only so many rows, the first by the first measure; 0 = all of them.
    pub best: usize,
}

/// Which rows a type is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// What people did, by the time of doing.
    People,
    /// What people and others did, by the time of doing.
    Everyone,
    /// What was received, by the time of receipt: bots and counters among it, and no filter that a refused request
    /// cannot meet.
    Receipt,
    /// What happened to links, monitors and tools: no fields of visitors.
    Things,
}

pub(super) const fn measured(
    category: Category,
    fold: BaseAggregate,
    by: By,
    measures: &'static [Measure],
) -> QueryType {
    let visual = match by {
        By::Nothing | By::Range => Visual::Metric,
        By::Time | By::TimeAnd(_) => Visual::Timeseries,
        By::Keys(_) => Visual::Table,
    };
    let shape = Shape::Measured {
        fold,
        by,
        measures,
        keep: None,
        share: None,
    };
    shaped(category, shape).visual(visual)
}

pub(super) const fn list(
    category: Category,
    rows: &'static str,
    columns: &'static [Column],
    ties: &'static [&'static str],
) -> QueryType {
    let shape = Shape::List {
        rows,
        columns,
        ties,
    };
    shaped(category, shape)
}

pub(super) const fn custom(
    category: Category,
    text: &'static str,
    columns: &'static [Column],
    tie: &'static str,
) -> QueryType {
    let shape = Shape::Custom {
        text,
        extracted: None,
        columns,
        tie,
    };
    shaped(category, shape)
}

const fn shaped(category: Category, shape: Shape) -> QueryType {
    QueryType {
        name: "",
        title: "",
        description: "",
        category,
        subject: Subject::Website,
        shape,
        own_filters: &[],
        customizable: false,
        default_limit: DEFAULT_LIMIT,
        public: false,
        order: None,
        visual: Visual::Table,
        about: About::People,
        window: Window::Asked,
        needs: &[],
        within: 0,
        best: 0,
    }
}

/// The table `TYPES` of a family: name, title and description of each type, then what it is made of.
macro_rules! query_types {
    ($($name:tt: $title:literal, $description:literal => $made:expr;)*) => {
        pub(super) const TYPES: &[$crate::analytics::catalogue::QueryType] =
            &[$($made.named($name, $title, $description)),*];
    };
}
pub(super) use query_types;

impl QueryType {
    pub(super) const fn named(
        mut self,
        name: &'static str,
        title: &'static str,
        description: &'static str,
    ) -> Self {
        (self.name, self.title, self.description) = (name, title, description);
        self
    }

    pub const fn filters(mut self, own: &'static [Field]) -> Self {
        self.own_filters = own;
        self
    }

    /// `groupBy` acts.
    pub const fn customizable(mut self) -> Self {
        self.customizable = true;
        self
    }

    /// Anyone may ask it of a public website.
    pub const fn public(mut self) -> Self {
        self.public = true;
        self
    }

    /// Rows carry `percentage`.
    pub const fn share(self) -> Self {
        self.share_as("percentage")
    }

    /// Rows carry their share of the first measure under this name.
    pub const fn share_as(mut self, name: &'static str) -> Self {
        if let Shape::Measured { share, .. } = &mut self.shape {
            *share = Some(name);
        }
        self
    }

    /// Shares are of the rows that agree in the first so many keys.
    pub const fn share_within(mut self, keys: usize) -> Self {
        self.within = keys;
        self.share()
    }

    /// Of rows that agree in those keys only the first so many.
    pub const fn best(mut self, rows: usize) -> Self {
        self.best = rows;
        self
    }

    /// As many rows as a request may ask for when it says nothing.
    pub const fn unlimited(self) -> Self {
        self.limit(MAX_LIMIT)
    }

    /// So many rows when the request says nothing.
    pub const fn limit(mut self, rows: u32) -> Self {
        self.default_limit = rows;
        self
    }

    /// It is about another time than the one asked for.
    pub const fn within(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// It needs a filter on one of these fields with `eq`.
    pub const fn needing(mut self, fields: &'static [Field]) -> Self {
        self.needs = fields;
        self
    }

    /// It is about things, not visitors; these filters act and no others.
    pub const fn about_things(mut self, filters: &'static [Field]) -> Self {
        self.about = About::Things;
        self.own_filters = filters;
        self
    }

    /// It is asked about another subject than websites.
    pub const fn subject(mut self, subject: Subject) -> Self {
        self.subject = subject;
        self
    }

    /// Groups that do not meet a condition are left out.
    pub const fn keep(mut self, condition: &'static str) -> Self {
        if let Shape::Measured { keep, .. } = &mut self.shape {
            *keep = Some(condition);
        }
        self
    }

    /// Its statement where there are extracts.
    pub const fn extracted(mut self, statement: &'static str) -> Self {
        if let Shape::Custom { extracted, .. } = &mut self.shape {
            *extracted = Some(statement);
        }
        self
    }

    pub const fn ordered(mut self, sql: &'static str, descending: bool) -> Self {
        self.order = Some(Order { sql, descending });
        self
    }

    /// It is about everyone, and its own condition says who counts.
    pub const fn about_everyone(mut self) -> Self {
        self.about = About::Everyone;
        self
    }

    /// It is about what was received; these filters act and no others.
    pub const fn about_receipt(mut self, filters: &'static [Field]) -> Self {
        self.about = About::Receipt;
        self.own_filters = filters;
        self
    }

    /// Drawn differently from the rest of its shape.
    pub const fn visual(mut self, visual: Visual) -> Self {
        self.visual = visual;
        self
    }

    /// The fields that it may be filtered by, of a website (`website_id` comes on top for organizations).
    pub fn filter_fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let common = match self.about {
            About::People | About::Everyone => COMMON,
            About::Receipt | About::Things => &[],
        };
        common.iter().chain(self.own_filters)
    }

    /// Whether it has one row unless it is grouped.
    pub const fn is_total(&self) -> bool {
        let by = match self.shape {
            Shape::Measured { by, .. } => by,
            Shape::List { .. } | Shape::Custom { .. } => return false,
        };
        matches!(by, By::Nothing | By::Range)
    }

    /// Whether rows are hours or days.
    pub const fn is_series(&self) -> bool {
        match self.shape {
            Shape::Measured { by, .. } => matches!(by, By::Time | By::TimeAnd(_)),
            Shape::Custom { columns, .. } => matches!(columns[0].show, Show::Date),
            Shape::List { .. } => false,
        }
    }

    /// Whether rows are about people, whatever the filters.
    pub const fn is_of_people(&self) -> bool {
        match self.shape {
            Shape::Measured { fold, .. } => match fold.from {
                From::Each(each) => each.of_people,
                From::Events | From::Relation(_) => false,
            },
            Shape::List { .. } | Shape::Custom { .. } => false,
        }
    }

    /// The keys that rows are grouped by.
    pub const fn keys(&self) -> &'static [Key] {
        match self.shape {
            Shape::Measured {
                by: By::Keys(keys) | By::TimeAnd(keys),
                ..
            } => keys,
            _ => &[],
        }
    }

    /// The columns that `sortBy` may name.
    pub fn sortable(&self) -> Vec<&'static str> {
        match self.shape {
            Shape::List { columns, .. } | Shape::Custom { columns, .. } => {
                let sortable = columns.iter().filter(|column| column.sortable);
                sortable.map(|column| column.name).collect()
            }
            Shape::Measured { .. } => {
                let columns = self.columns().into_iter();
                let single =
                    columns.filter(|(_, show, _)| !matches!(show, Show::Texts | Show::Websites));
                single.map(|(name, ..)| name).collect()
            }
        }
    }

    /// Every column that its rows have, in order: name, how it is written, unit.
    pub fn columns(&self) -> Vec<(&'static str, Show, Option<&'static str>)> {
        match self.shape {
            Shape::List { columns, .. } | Shape::Custom { columns, .. } => columns
                .iter()
                .map(|column| (column.name, column.show, None))
                .collect(),
            Shape::Measured {
                by,
                measures,
                share,
                ..
            } => {
                let mut list = Vec::new();
                if matches!(by, By::Range | By::Time | By::TimeAnd(_)) {
                    list.push(("date", Show::Date, None));
                }
                if let By::Keys(keys) | By::TimeAnd(keys) = by {
                    let shown = keys.iter().flat_map(|key| key.shown);
                    list.extend(shown.map(|(name, show)| (*name, *show, None)));
                }
                for measure in measures {
                    let names = measure.names();
                    list.extend(names.map(|name| (name, measure.show, measure.unit)));
                }
                if let Some(share) = share {
                    list.push((share, Show::Float(2), Some("%")));
                }
                list
            }
        }
    }
}
