//! What a team thinks of the errors of its websites.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("error_statuses")
        .col(text("website_id"))
        .col(text("error_id"))
        .col(text("status"))
        .col(text_or_null("changed_by"))
        .col(time("changed_at"))
        .primary_key(Index::create().col("website_id").col("error_id"))
        .foreign_key(&mut cascade("error_statuses", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await
}
