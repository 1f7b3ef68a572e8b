//! Reports that recipients get on a schedule.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, integer, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("scheduled_reports")
        .col(text("id").primary_key())
        .col(text("website_id"))
        .col(text("frequency"))
        .col(text("timezone"))
        .col(integer("hour"))
        .col(text("finding").unique_key())
        .col(ColumnDef::new("sealed").binary().not_null())
        .col(time("asked_at"))
        .col(time_or_null("confirmed_at"))
        .col(time("next_at"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .foreign_key(&mut cascade("scheduled_reports", "website_id", "websites"))
        .to_owned();
    manager.create_table(table).await?;
    let listed = index(
        "scheduled_reports_website",
        "scheduled_reports",
        &["website_id"],
    );
    manager.create_index(listed).await?;
    let due = index("scheduled_reports_due", "scheduled_reports", &["next_at"]);
    manager.create_index(due).await
}
