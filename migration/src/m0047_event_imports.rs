//! Imports of events into a running server.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number_or_null, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("event_imports")
        .col(text("id").primary_key())
        .col(text("website_id"))
        .col(text("format"))
        .col(text("filename"))
        .col(number_or_null("size"))
        .col(text_or_null("digest"))
        .col(text("status"))
        .col(text("node"))
        .col(text_or_null("file_id"))
        .col(text_or_null("plan"))
        .col(text_or_null("result"))
        .col(text_or_null("failure"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("finished_at"))
        .foreign_key(&mut cascade("event_imports", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let listed = index(
        "event_imports_website",
        "event_imports",
        &["website_id", "created_at"],
    );
    manager.create_index(listed).await?;
    let due = index("event_imports_due", "event_imports", &["status", "node"]);
    manager.create_index(due).await
}
