//! Versions of manifests, which distinguish the newest copy from older ones.

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::alter()
        .table("event_cursors")
        .add_column(number("version").default(0).take())
        .to_owned();
    manager.alter_table(table).await
}
