//! Which process does what runs by the clock, and what it is asked for by the others.

use sea_orm_migration::prelude::*;

use crate::columns::{number, text, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let leases = Table::create()
        .table("leases")
        .col(text("name").primary_key())
        .col(text("owner"))
        .col(time("until"))
        .col(number("fence"))
        .to_owned();
    manager.create_table(leases).await?;
    let asks = Table::create()
        .table("monitor_asks")
        .col(text("id").primary_key())
        .col(text("monitor_id"))
        .col(text("what"))
        .to_owned();
    manager.create_table(asks).await
}
