//! Which rows may be on a page, by what extracts say of them.

use super::{Ask, order::Ordering};
use crate::{
    analytics::dialect::Sql,
    events::{extracts::QUARTER, statement::Bind},
};

/// The condition on the relation `near` that leaves every row of the page, and few others; `None` where `near` does not
/// have the column that rows are sorted by.
///
/// A time is that of its quarter of an hour: the exact one is less than a quarter later. So a row that is less than a
/// quarter behind the last of the first rows may be before it, and none that is further behind.
pub(super) fn rows(ask: &Ask<'_>, order: &Ordering) -> Option<Sql> {
    let column = order.sql.as_str();
    let later = match column {
        "first_visit" | "last_visit" => format!(" + {}", QUARTER - 1),
        "session" | "profile" | "page_views" | "total_events" => String::new(),
        _ => return None,
    };
    let (row, last, direction) = if order.descending {
        (
            format!("{column}{later} >="),
            "min(last)".to_owned(),
            "DESC",
        )
    } else {
        (format!("{column} <="), format!("max(last){later}"), "ASC")
    };
    let mut sql = Sql::default();
    sql.push(&format!(
        "{row} (SELECT {last} FROM (SELECT {column} AS last FROM near ORDER BY {column} {direction} LIMIT "
    ));
    let rows = ask.parameter.offset.saturating_add(ask.parameter.limit);
    sql.bind(Bind::Int(rows as i64)).push(") first_rows)");
    Some(sql)
}
