//! Whose host a certificate was ordered for.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let column = Table::alter()
        .table("acme_orders")
        .add_column(text_or_null("organization_id"))
        .to_owned();
    manager.alter_table(column).await
}
