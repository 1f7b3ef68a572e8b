//! What a question binds that its type is told in filters.

use super::Ask;
use crate::{analytics::dialect::Sql, events::statement::Bind};

/// What stands for a mark of the type's text; nothing for other marks.
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
        "starts" => {
            match &settings.journey_start {
                Some(page) => sql.push("page = ").bind(Bind::Text(page.clone())),
                None => sql.push("true"),
            };
            return Some(sql);
        }
        _ => return None,
    };
    sql.bind(Bind::Int(number));
    Some(sql)
}
