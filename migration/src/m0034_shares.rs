//! Share links of websites' dashboards.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("shares")
        .col(text("id").primary_key())
        .col(text("website_id"))
        .col(text("slug").unique_key())
        .col(text("fields"))
        .col(text_or_null("password_hash"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("shares", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let listed = index("shares_website", "shares", &["website_id", "created_at"]);
    manager.create_index(listed).await
}
