//! What people save about a website: goals, funnels, annotations and segments.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("studies")
        .col(text("id").primary_key())
        .col(text("website_id"))
        .col(text("kind"))
        .col(text("fields"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("deleted_at"))
        .foreign_key(&mut cascade("studies", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let columns = &["website_id", "kind", "created_at"];
    manager
        .create_index(index("studies_website", "studies", columns))
        .await
}
