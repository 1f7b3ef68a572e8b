//! Whose a parcel of the outbox is while it is on its way.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0030_taken_parcels"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let alter = Table::alter()
            .table("outbox")
            .add_column(text_or_null("taken_by"))
            .to_owned();
        manager.alter_table(alter).await
    }
}
