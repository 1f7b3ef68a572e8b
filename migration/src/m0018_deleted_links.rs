//! Links that were deleted, until their clicks are erased.

use sea_orm_migration::prelude::*;

use crate::columns::{index, number, reference, text, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0018_deleted_links"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("deleted_links")
            .col(text("id").primary_key())
            .col(number("key").unique_key())
            .col(text("organization_id"))
            .col(time("deleted_at"))
            .foreign_key(&mut reference(
                "deleted_links",
                "organization_id",
                "organizations",
                ForeignKeyAction::Cascade,
            ))
            .to_owned();
        manager.create_table(table).await?;
        let due = index("deleted_links_due", "deleted_links", &["deleted_at"]);
        manager.create_index(due).await
    }
}
