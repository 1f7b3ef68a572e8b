//! What the manifest says of a segment's extracts.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0007_extracts"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let extracts = Table::alter()
            .table("event_segments")
            .add_column(text_or_null("extracts"))
            .to_owned();
        manager.alter_table(extracts).await
    }
}
