//! Hosts that organizations bring, and the short links on them.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(hosts()).await?;
    let (name, columns) = ("hosts_name", ["organization_id", "name"]);
    let unique = index(name, "hosts", &columns).unique().to_owned();
    manager.create_index(unique).await?;
    manager
        .create_index(index("hosts_by_name", "hosts", &["name"]))
        .await?;
    manager.create_table(former_hosts()).await?;
    let column = Table::alter()
        .table("links")
        .add_column(text_or_null("host_id"))
        .to_owned();
    manager.alter_table(column).await?;
    manager
        .create_index(index("links_host", "links", &["host_id"]))
        .await
}

fn hosts() -> TableCreateStatement {
    Table::create()
        .table("hosts")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("name"))
        // The name again while it is verified: one organization has it at a time.
        .col(text_or_null("verified_name").unique_key())
        .col(text("serves"))
        .col(text_or_null("subject"))
        .col(text("fields"))
        .col(text("token"))
        .col(text_or_null("proof"))
        .col(text_or_null("findings"))
        .col(time_or_null("checked_at"))
        .col(time_or_null("missing_since"))
        .col(time("created_at"))
        .foreign_key(&mut cascade("hosts", "organization_id", "organizations"))
        .to_owned()
}

fn former_hosts() -> TableCreateStatement {
    Table::create()
        .table("former_hosts")
        .col(text("name").primary_key())
        .col(text("organization_id"))
        .col(time("removed_at"))
        .to_owned()
}
