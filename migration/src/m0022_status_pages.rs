//! Status pages, with all that they say.

use sea_orm_migration::prelude::*;

use crate::columns::{index, reference, text, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0022_status_pages"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let pages = Table::create()
            .table("status_pages")
            .col(text("id").primary_key())
            .col(text("organization_id"))
            .col(text("slug").unique_key())
            .col(text("page"))
            .col(time("created_at"))
            .col(time("updated_at"))
            .foreign_key(&mut reference(
                "status_pages",
                "organization_id",
                "organizations",
                ForeignKeyAction::Cascade,
            ))
            .to_owned();
        manager.create_table(pages).await?;
        let owner = &["organization_id", "created_at"];
        manager
            .create_index(index("status_pages_owner", "status_pages", owner))
            .await
    }
}
