//! What a question about retention binds: which events begin, which return, until when.

use super::Ask;
use crate::{analytics::dialect::Sql, events::statement::Bind};

/// What stands for a mark of the type's text.
pub(super) fn mark(ask: &Ask<'_>, mark: &str) -> Sql {
    let mut sql = Sql::default();
    let Some(retention) = &ask.parameter.retention else {
        return sql;
    };
    let named = |sql: &mut Sql, name: &str| {
        sql.push("kind = 2 AND name = ")
            .bind(Bind::Text(name.to_owned()));
    };
    match mark {
        "begun" => {
            named(&mut sql, &retention.activation_event);
            sql.push(" AND time < ").bind(Bind::Int(ask.range.to));
        }
        "returned" => named(&mut sql, &retention.return_event),
        "horizon" => {
            sql.bind(Bind::Int(retention.horizon_ms()));
        }
        _ => {
            sql.bind(Bind::Int(retention.observed_before(ask.now_ms)));
        }
    }
    sql
}
