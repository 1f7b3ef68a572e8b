//! Short links that ask for a password, and the words that links are found by.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    // SQLite adds one column at a time.
    for name in ["password_hash", "tags"] {
        let table = Table::alter()
            .table("links")
            .add_column(text_or_null(name))
            .to_owned();
        manager.alter_table(table).await?;
    }
    Ok(())
}
