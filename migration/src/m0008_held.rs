//! Whose rows a segment holds, and which websites it is for.

use sea_orm_migration::prelude::*;

use crate::columns::integer;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
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
