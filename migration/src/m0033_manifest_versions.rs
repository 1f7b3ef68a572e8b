//! How often the manifest of a process was changed, so that an older copy of it is told from the newest.

use sea_orm_migration::prelude::*;

use crate::columns::number;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0033_manifest_versions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter()
            .table("event_cursors")
            .add_column(number("version").default(0).take())
            .to_owned();
        manager.alter_table(table).await
    }
}
