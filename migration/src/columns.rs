//! Columns as every table spells them.

use sea_orm_migration::prelude::*;

/// Opaque text, such as an id or a name.
pub(crate) fn text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().not_null().take()
}

/// Text that may be absent.
pub(crate) fn text_or_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().take()
}

/// A 64-bit number.
pub(crate) fn number(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().take()
}

/// A 64-bit number that may be absent.
pub(crate) fn number_or_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().take()
}

/// A small number.
pub(crate) fn integer(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().not_null().take()
}

/// A small number that may be absent.
pub(crate) fn integer_or_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().take()
}

/// A yes or no.
pub(crate) fn flag(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).boolean().not_null().take()
}

/// A point in time, UTC.
pub(crate) fn time(name: &'static str) -> ColumnDef {
    ColumnDef::new(name)
        .timestamp_with_time_zone()
        .not_null()
        .take()
}

/// A point in time that may be absent.
pub(crate) fn time_or_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).timestamp_with_time_zone().take()
}

/// A foreign key from `table.column` to `target.id`; rows go with their target.
pub(crate) fn cascade(
    table: &'static str,
    column: &'static str,
    target: &'static str,
) -> ForeignKeyCreateStatement {
    reference(table, column, target, ForeignKeyAction::Cascade)
}

/// A foreign key from `table.column` to `target.id`; the column becomes null without its target.
pub(crate) fn set_null(
    table: &'static str,
    column: &'static str,
    target: &'static str,
) -> ForeignKeyCreateStatement {
    reference(table, column, target, ForeignKeyAction::SetNull)
}

/// A foreign key from `table.column` to `target.id`.
pub(crate) fn reference(
    table: &'static str,
    column: &'static str,
    target: &'static str,
    on_delete: ForeignKeyAction,
) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, column)
        .to(target, "id")
        .on_delete(on_delete)
        .to_owned()
}

/// An index over `columns`.
pub(crate) fn index(
    name: &'static str,
    table: &'static str,
    columns: &[&'static str],
) -> IndexCreateStatement {
    let mut index = Index::create().name(name).table(table).to_owned();
    for column in columns {
        index.col(*column);
    }
    index
}
