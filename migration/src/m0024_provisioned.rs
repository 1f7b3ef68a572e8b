//! What was made because a file declares it.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("provisioned")
        .col(text("organization_id"))
        .col(text("kind"))
        .col(text("name"))
        .col(text_or_null("resource_id"))
        .col(text("declared"))
        .col(text_or_null("applied"))
        .col(time("applied_at"))
        .primary_key(
            Index::create()
                .col("organization_id")
                .col("kind")
                .col("name"),
        )
        .foreign_key(&mut cascade(
            "provisioned",
            "organization_id",
            "organizations",
        ))
        .to_owned();
    manager.create_table(table).await
}
