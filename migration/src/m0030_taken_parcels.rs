//! Whose a parcel of the outbox is while it is on its way.

use sea_orm_migration::prelude::*;

use crate::columns::text_or_null;

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let alter = Table::alter()
        .table("outbox")
        .add_column(text_or_null("taken_by"))
        .to_owned();
    manager.alter_table(alter).await
}
