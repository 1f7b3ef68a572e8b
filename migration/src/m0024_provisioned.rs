//! What was made because a file declares it.

use sea_orm_migration::prelude::*;

use crate::columns::{reference, text, text_or_null, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0024_provisioned"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
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
            .foreign_key(&mut reference(
                "provisioned",
                "organization_id",
                "organizations",
                ForeignKeyAction::Cascade,
            ))
            .to_owned();
        manager.create_table(table).await
    }
}
