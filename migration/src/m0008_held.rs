//! Whose rows a segment holds, and which websites it is for.

use sea_orm_migration::prelude::*;

use crate::columns::integer;

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0008_held"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        let columns = [
            integer("depth").default(0).take(),
            ColumnDef::new("held").binary().take(),
        ];
        for column in columns {
            let table = Table::alter()
                .table("event_segments")
                .add_column(column)
                .to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}
