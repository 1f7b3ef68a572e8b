//! The statement of [`crate::analytics::run::clicks`].

use super::{Ask, steps};
use crate::{
    analytics::dialect::Sql,
    events::statement::{Bind, Statement},
    ids::WebsiteKey,
};

/// How often each of these links was followed: `website, clicks`; links without clicks have no row.
pub(in crate::analytics) fn clicks(ask: &Ask<'_>, links: &[WebsiteKey]) -> Statement {
    let mut sql =
        Sql::new("SELECT website, CAST(count(*) AS BIGINT) AS clicks FROM {events} WHERE ");
    sql.append(&steps::condition(ask))
        .push(" AND kind = kind_of(click) AND website IN (");
    // The last one is repeated: few texts for many lengths.
    let count = links.len().next_power_of_two();
    let keys = links.iter().chain(links.iter().rev().cycle()).take(count);
    for (place, key) in keys.enumerate() {
        sql.push(if place > 0 { ", " } else { "" })
            .bind(Bind::Int(key.0));
    }
    sql.push(") GROUP BY website");
    steps::statement(ask, sql)
}
