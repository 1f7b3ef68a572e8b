//! Subscribers of status pages, and response times of monitors' days.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let subscribers = Table::create()
        .table("status_page_subscribers")
        .col(text("id").primary_key())
        .col(text("page_id"))
        .col(text("kind"))
        .col(text("finding"))
        .col(ColumnDef::new("sealed").binary().not_null())
        .col(text_or_null("components"))
        .col(text_or_null("wanted"))
        .col(time("asked_at"))
        .col(time_or_null("confirmed_at"))
        .col(time("created_at"))
        .foreign_key(&mut cascade(
            "status_page_subscribers",
            "page_id",
            "status_pages",
        ))
        .to_owned();
    manager.create_table(subscribers).await?;
    let one = Index::create()
        .name("status_page_subscribers_one")
        .table("status_page_subscribers")
        .col("page_id")
        .col("finding")
        .unique()
        .to_owned();
    manager.create_index(one).await?;
    let times = Table::alter()
        .table("monitor_days")
        .add_column(ColumnDef::new("times").binary())
        .to_owned();
    manager.alter_table(times).await
}
