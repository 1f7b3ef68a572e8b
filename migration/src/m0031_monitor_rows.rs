//! Results of checks that are committed and not in an event log yet.

use sea_orm_migration::prelude::*;

use crate::columns::{number, text};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let monitor = ForeignKey::create()
        .from("monitor_rows", "monitor_key")
        .to("monitors", "key")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned();
    let rows = Table::create()
        .table("monitor_rows")
        .col(number("monitor_key"))
        .col(text("event_id"))
        .col(text("node"))
        .col(ColumnDef::new("event").blob().not_null())
        .primary_key(Index::create().col("monitor_key").col("event_id"))
        .foreign_key(&mut monitor.clone())
        .to_owned();
    manager.create_table(rows).await
}
