//! Ids under which clients of other products send events for websites.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("website_protocols")
        .col(text("protocol"))
        .col(text("external_id"))
        .col(text("website_id"))
        .col(text_or_null("secret_hash"))
        .primary_key(Index::create().col("protocol").col("external_id"))
        .foreign_key(&mut cascade("website_protocols", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let of_website = index(
        "website_protocols_website",
        "website_protocols",
        &["website_id"],
    );
    manager.create_index(of_website).await
}
