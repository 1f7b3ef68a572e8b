//! How far files of other tools were imported.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("imports")
        .col(text("id").primary_key())
        .col(text("website_id"))
        .col(text("format"))
        .col(number("position"))
        .col(text("digest"))
        .col(number("events"))
        .col(text_or_null("salt"))
        .col(time("started_at"))
        .col(time_or_null("finished_at"))
        .foreign_key(&mut cascade("imports", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let of = index("imports_of", "imports", &["website_id", "format"]);
    manager.create_index(of).await
}
