//! Status pages, with all that they say.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let pages = Table::create()
        .table("status_pages")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("slug").unique_key())
        .col(text("page"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "status_pages",
            "organization_id",
            "organizations",
        ))
        .to_owned();
    manager.create_table(pages).await?;
    let owner = &["organization_id", "created_at"];
    manager
        .create_index(index("status_pages_owner", "status_pages", owner))
        .await
}
