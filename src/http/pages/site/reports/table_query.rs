//! The order, the search and the page of a table in the address. One table at a time has them.

use serde_json::{Value, json};

use super::{error_statuses, tables::Table};
use crate::{
    analytics::catalogue::{By, Shape, find},
    http::pages::site::period::PeriodQuery,
    pages::view::View,
};

/// Rows of a page.
pub(super) const ROWS: usize = 50;
/// Rows of a grouped table that are counted.
const MAX_COUNTED: usize = 500;
/// Days of a series, or of all series of a table.
const MAX_STEPS: usize = 10_000;
/// The names of what stays in the address: the table, its column, its direction and its search.
pub(super) const STATE: [&str; 4] = ["in", "sort", "order", "q"];

/// All of them: those of tables, and the status of errors.
pub(super) const TABS: [&str; 5] = [STATE[0], STATE[1], STATE[2], STATE[3], error_statuses::TAB];

/// What is chosen of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableQuery {
    /// The column that it is sorted by; empty = its own.
    pub(super) sort: String,
    pub(super) is_ascending: bool,
    /// Text that its names contain.
    pub(super) search: String,
    /// From 0.
    pub(super) page: usize,
}

impl TableQuery {
    /// What the address says of a table.
    pub(super) fn read(view: &View, page: &str, table: &Table) -> Self {
        let tab = |name: &str| view.tab(name).unwrap_or_default();
        if tab("in") != table.kind {
            return Self::default();
        }
        let can_sort = |name: &&str| {
            let mut columns = table.columns.iter();
            columns.any(|column| column.name == *name && table.can_sort(column))
        };
        let page: usize = page.parse().unwrap_or(1);
        Self {
            sort: Some(tab("sort"))
                .filter(can_sort)
                .unwrap_or_default()
                .to_owned(),
            is_ascending: tab("order") == "asc",
            search: table
                .search_field()
                .map_or("", |_| tab("q").trim())
                .to_owned(),
            page: page.clamp(1, MAX_COUNTED) - 1,
        }
    }

    /// The view of an address with this.
    pub(super) fn view(&self, view: &View, table: &Table) -> View {
        let mut view = view.clone();
        view.tabs
            .retain(|(name, _)| !STATE.contains(&name.as_str()));
        let order = if self.is_ascending { "asc" } else { "" };
        for (name, value) in STATE
            .iter()
            .zip([table.kind, &self.sort, order, &self.search])
        {
            if !value.is_empty() {
                view.tabs.push(((*name).to_owned(), value.to_owned()));
            }
        }
        view
    }

    /// The address of a page with this.
    pub(super) fn address(&self, view: &View, path: &str, table: &Table) -> String {
        let mut view = self.view(view, table);
        if self.page > 0 {
            view.tabs
                .push(("page".to_owned(), (self.page + 1).to_string()));
        }
        view.address(path)
    }

    /// The bodies of the queries of tables and trends: what is alike is in one body.
    pub(super) fn bodies(
        period: &PeriodQuery,
        tables: &[(&Table, Self)],
        others: impl Iterator<Item = &'static str>,
        settings: &[Value],
    ) -> Vec<Value> {
        let days = period.range.days();
        let mut bodies: Vec<Value> = Vec::new();
        let mut add = |kind: &'static str, limit: usize, own: Option<(&Table, &Self)>| {
            let mut body = period.body(&json!([kind]), limit);
            // Every series is by day.
            body["granularity"] = json!("daily");
            if let Some(filters) = body["filters"].as_array_mut() {
                filters.extend(settings.iter().cloned());
            }
            if let Some((table, query)) = own {
                query.apply(&mut body, table);
            }
            let parameters = body["parameters"].take();
            let same = bodies.iter_mut().find(|other| {
                let mut bare = (**other).clone();
                bare["parameters"].take();
                bare == body
            });
            if let Some(other) = same {
                if let Some(all) = other["parameters"].as_array_mut()
                    && !all.contains(&json!(kind))
                {
                    all.push(json!(kind));
                }
            } else {
                body["parameters"] = parameters;
                bodies.push(body);
            }
        };
        let own: Vec<&str> = tables.iter().map(|(table, _)| table.kind).collect();
        for kind in others.filter(|kind| !own.contains(kind)) {
            add(kind, limit(kind, false, days), None);
        }
        for (table, query) in tables {
            let limit = limit(table.kind, table.drawing.is_some(), days);
            add(table.kind, limit, Some((*table, query)));
        }
        let also = tables.iter().flat_map(|(table, _)| table.kinds());
        for kind in also.filter(|kind| !own.contains(kind)) {
            add(kind, limit(kind, false, days), None);
        }
        bodies
    }

    fn apply(&self, body: &mut Value, table: &Table) {
        let sort = if self.sort.is_empty() {
            table.sort
        } else {
            &self.sort
        };
        if !sort.is_empty() {
            body["sortBy"] = json!(sort);
            body["sortOrder"] = json!(if self.is_ascending { "asc" } else { "desc" });
        }
        if let Some(field) = table.search_field().filter(|_| !self.search.is_empty())
            && let Some(filters) = body["filters"].as_array_mut()
        {
            filters.push(json!({ "field": field, "op": "contains", "value": self.search }));
        }
        if self.page > 0 && !is_counted(table) {
            body["offset"] = json!(self.page * ROWS);
        }
    }

    /// The rows of the page, the number of the first one, and whether there are more.
    pub(super) fn cut<'a>(&self, table: &Table, rows: &'a [Value]) -> (&'a [Value], usize, bool) {
        let first = self.page * ROWS;
        let rest = if is_counted(table) {
            rows.get(first..).unwrap_or_default()
        } else {
            rows
        };
        (&rest[..rest.len().min(ROWS)], first + 1, rest.len() > ROWS)
    }
}

/// Whether the pages of a table are cut from its rows. Others are asked page by page.
pub(super) fn is_counted(table: &Table) -> bool {
    let is_measured = |kind: &'static crate::analytics::catalogue::QueryType| {
        matches!(kind.shape, Shape::Measured { .. })
    };
    table.drawing.is_some() || find(table.kind).is_some_and(is_measured)
}

/// Rows of a query: what is cut into pages here is in one body with the series, what is asked page by page in another.
fn limit(kind: &str, is_drawn: bool, days: i64) -> usize {
    let Some(kind) = find(kind) else {
        return ROWS + 1;
    };
    let days = usize::try_from(days).unwrap_or(0);
    let many = (MAX_COUNTED.max(days) + 1).min(MAX_STEPS);
    match kind.shape {
        Shape::Measured {
            by: By::TimeAnd(_), ..
        } => MAX_STEPS,
        Shape::Measured { .. } => many,
        _ if is_drawn => many,
        _ => ROWS + 1,
    }
}

/// The number of rows of a counted table: `12`, or `500+`.
pub(super) fn describe_count(rows: usize) -> String {
    match rows {
        0..=MAX_COUNTED => crate::pages::number::full(rows as u64),
        _ => format!("{MAX_COUNTED}+"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tables::REPORTS, *};
    use crate::pages::time::DateFormat;

    fn bodies(title: &str, query: &str) -> Vec<Value> {
        let now = 1_791_979_200_000;
        let period = PeriodQuery::read(query, &STATE, DateFormat::default(), now);
        let mut reports = REPORTS.into_iter();
        let report = reports.find(|report| report.title == title).unwrap();
        let read = |table: &'static Table| (table, TableQuery::read(&period.view, "2", table));
        let wanted: Vec<_> = report.tables.iter().map(read).collect();
        let trends = report.trends.iter().map(|trend| trend.kind);
        TableQuery::bodies(&period, &wanted, trends, &[])
    }

    #[test]
    fn what_is_alike_is_one_query_and_a_chosen_table_is_its_own() {
        let plain = bodies("Web vitals", "");
        assert_eq!(plain.len(), 1, "{plain:?}");
        let events = bodies(
            "Events",
            "in=custom_events&q=sign&sort=unique_users&order=asc",
        );
        let own = events
            .iter()
            .find(|body| body["sortBy"] == "unique_users")
            .unwrap();
        assert_eq!(own["parameters"], json!(["custom_events"]));
        assert_eq!(own["sortOrder"], "asc");
        assert_eq!(own["filters"][0]["op"], "contains");
        assert_eq!(own["offset"], Value::Null, "its pages are cut here");
        let latest = bodies("Events", "in=custom_events_recent");
        let own = latest.iter().find(|body| body["offset"] == ROWS).unwrap();
        assert_eq!(own["parameters"], json!(["custom_events_recent"]));
        let wrong = bodies("Events", "in=custom_events&sort=nonsense");
        assert!(
            wrong.iter().all(|body| body["sortBy"].is_null()),
            "{wrong:?}"
        );
    }
}
