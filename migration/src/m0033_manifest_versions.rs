//! How often the manifest of a process was changed, so that an older copy of it is told from the newest.

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::alter()
        .table("event_cursors")
        .add_column(number("version").default(0).take())
        .to_owned();
    manager.alter_table(table).await
}
