//! The languages of people, of subscribers of status pages and of scheduled reports.

use sea_orm_migration::prelude::*;

use crate::columns::{text, text_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in ["status_page_subscribers", "scheduled_reports"] {
        let language = text("language").default("en").take();
        let table = Table::alter().table(table).add_column(language).to_owned();
        manager.alter_table(table).await?;
    }
    let users = Table::alter()
        .table("users")
        .add_column(text_or_null("language"))
        .to_owned();
    manager.alter_table(users).await
}
