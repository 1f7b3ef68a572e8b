//! What there is to filter by, as one statement ([`crate::analytics::run::values`]).
//!
//! Views are counted once by all that visits agree in, and the few rows of that once for each list. Where there are extracts
//! they are counted from these.

use super::{Ask, steps};
use crate::{
    analytics::dialect::{Dialect, Sql},
    events::statement::{Bind, Statement},
};

/// Columns of views, in the order of their lists. The lists of pages and of names of custom events follow.
pub(in crate::analytics) const OF_VIEWS: [&str; 7] = [
    "browser_name",
    "os_name",
    "country",
    "device_type",
    "utm_source",
    "utm_medium",
    "utm_campaign",
];

/// The most frequent values of every list, so many of each: `list, value`.
pub(in crate::analytics) fn values(ask: &Ask<'_>, most: i64) -> Statement {
    let condition = steps::condition(ask);
    let (visits, pages, times, is_view) = match ask.dialect {
        Dialect::DuckDb | Dialect::Spilling => ("{visits}", "{pages}", "sum(seen)", "seen > 0"),
        Dialect::ClickHouse => ("{events}", "{events}", "count(*)", "is_view()"),
    };
    let named = |(list, column): (usize, &&str)| format!("coalesce({column}, '') AS l{list}");
    let names: Vec<String> = OF_VIEWS.iter().enumerate().map(named).collect();
    let lists: Vec<String> = (0..OF_VIEWS.len()).map(|list| format!("l{list}")).collect();
    let mut sql = Sql::new(&format!(
        "WITH viewed AS MATERIALIZED (SELECT {}, {times} AS n FROM {visits} WHERE ",
        names.join(", ")
    ));
    sql.append(&condition).push(&format!(
        " AND {is_view} GROUP BY {}), counted AS (",
        lists.join(", ")
    ));
    for (list, name) in lists.iter().enumerate() {
        sql.push(&format!(
            "SELECT {list} AS list, {name} AS value, CAST(sum(n) AS BIGINT) AS n FROM viewed GROUP BY {name} UNION ALL "
        ));
    }
    let behind = OF_VIEWS.len();
    sql.push(&format!(
        "SELECT {behind}, path, CAST({times} AS BIGINT) FROM {pages} WHERE "
    ));
    sql.append(&condition).push(&format!(
        " AND {is_view} GROUP BY path UNION ALL SELECT {}, name, CAST(count(*) AS BIGINT) FROM {{events}} WHERE ",
        behind + 1
    ));
    sql.append(&condition).push(
        " AND kind = kind_of(custom) GROUP BY name) SELECT list, value FROM (SELECT list, value, row_number() OVER \
         (PARTITION BY list ORDER BY n DESC, value) AS place FROM counted WHERE value NOT IN ('', 'Unknown')) ranked \
         WHERE place <= ",
    );
    sql.bind(Bind::Int(most)).push(" ORDER BY list, place");
    steps::statement(ask, sql)
}
