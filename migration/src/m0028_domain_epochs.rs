//! How often each domain was written, for processes that share a database.

use sea_orm_migration::prelude::*;

use crate::columns::{number, text};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("domain_epochs")
        .col(text("domain").primary_key())
        .col(number("epoch"))
        .to_owned();
    manager.create_table(table).await
}
