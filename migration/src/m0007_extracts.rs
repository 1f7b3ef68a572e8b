//! What the manifest says of a segment's extracts.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let extracts = Table::alter()
        .table("event_segments")
        .add_column(text_or_null("extracts"))
        .to_owned();
    manager.alter_table(extracts).await
}
