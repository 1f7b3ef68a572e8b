//! Websites that have changed hands: whose number their earlier events carry.

use sea_orm_migration::prelude::*;

use crate::columns::{number, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let key = Index::create()
        .col("website")
        .col("organization")
        .to_owned();
    let table = Table::create()
        .table("moved_websites")
        .col(number("website"))
        .col(number("organization"))
        .col(time("moved_at"))
        .primary_key(&mut key.clone())
        .to_owned();
    manager.create_table(table).await
}
