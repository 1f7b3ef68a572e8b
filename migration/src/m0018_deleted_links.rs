//! Links that were deleted, until their clicks are erased.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, text, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("deleted_links")
        .col(text("id").primary_key())
        .col(number("key").unique_key())
        .col(text("organization_id"))
        .col(time("deleted_at"))
        .foreign_key(&mut cascade(
            "deleted_links",
            "organization_id",
            "organizations",
        ))
        .to_owned();
    manager.create_table(table).await?;
    let due = index("deleted_links_due", "deleted_links", &["deleted_at"]);
    manager.create_index(due).await
}
