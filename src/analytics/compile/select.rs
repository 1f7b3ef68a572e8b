//! Parts that every statement has: groups, columns, pages.

use crate::{
    analytics::{
        catalogue::{Field, Show},
        compile::{Ask, Output},
        dialect::Sql,
    },
    events::statement::Bind,
};

/// The `groupBy` fields that act.
pub(super) fn groups(ask: &Ask<'_>) -> Vec<&'static Field> {
    if !ask.parameter.kind.customizable {
        return Vec::new();
    }
    let asked = ask.request.group_by.iter();
    let known = asked.filter_map(|field| ask.meaning(field));
    known.filter(|field| field.is_key()).collect()
}

/// Adds a column unless one of this name is there.
pub(super) fn output(outputs: &mut Vec<Output>, name: &'static str, source: usize, show: Show) {
    if outputs.iter().all(|known| known.name != name) {
        outputs.push(Output { name, source, show });
    }
}

/// The rows that were asked for.
pub(super) fn page(ask: &Ask<'_>, sql: &mut Sql) {
    sql.push(" LIMIT ")
        .bind(Bind::Int(ask.parameter.limit as i64));
    sql.push(" OFFSET ")
        .bind(Bind::Int(ask.parameter.offset as i64));
}
