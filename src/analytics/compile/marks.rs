//! What a query binds in place of the marks of its type's text.

use super::Ask;
use crate::{analytics::dialect::Sql, events::statement::Bind};

/// The SQL of a mark of retention or of settings in filters; `None` for other marks.
pub(super) fn mark(ask: &Ask<'_>, mark: &str) -> Option<Sql> {
    let settings = &ask.parameter.settings;
    let (then_from, then_to) = settings.earlier.unwrap_or_default();
    let mut sql = Sql::default();
    let number = match mark {
        "width" => settings.cohort_width,
        "steps" => settings.journey_steps,
        "now_from" => ask.range.from,
        "then_from" => then_from,
        "then_to" => then_to,
        "starts" => return Some(equals("page", settings.journey_start.as_ref())),
        "wanted" => return Some(equals("totals.link", settings.short_link.as_ref())),
        "begun" | "returned" | "horizon" | "observed" => return Some(retention(ask, mark)),
        _ => return None,
    };
    sql.bind(Bind::Int(number));
    Some(sql)
}

/// Whether a column has this value, if one is asked for.
fn equals(column: &str, value: Option<&String>) -> Sql {
    let Some(value) = value else {
        return Sql::new("true");
    };
    let mut sql = Sql::new(column);
    sql.push(" = ").bind(Bind::Text(value.clone()));
    sql
}

/// Which events begin, which return, until when.
fn retention(ask: &Ask<'_>, mark: &str) -> Sql {
    let mut sql = Sql::default();
    let Some(retention) = &ask.parameter.retention else {
        return sql;
    };
    let named = |sql: &mut Sql, name: &str| {
        sql.push("kind = kind_of(custom) AND name = ")
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
