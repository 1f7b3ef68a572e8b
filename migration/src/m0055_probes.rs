//! Probes: places from which monitors are checked, and their reports that no slot has counted yet.

use sea_orm_migration::prelude::*;

use crate::columns::{
    cascade, index, integer_or_null, number, text, text_or_null, time, time_or_null,
};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(probes()).await?;
    manager.create_table(reports()).await?;
    let owner = index(
        "monitor_probes_owner",
        "monitor_probes",
        &["organization_id"],
    );
    manager.create_index(owner).await
}

fn probes() -> TableCreateStatement {
    Table::create()
        .table("monitor_probes")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("name"))
        .col(text_or_null("country"))
        .col(integer_or_null("latitude"))
        .col(integer_or_null("longitude"))
        .col(text("digest").unique_key())
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("revoked_at"))
        .col(time_or_null("last_seen_at"))
        .col(time_or_null("silent_since"))
        .col(text_or_null("version"))
        .col(text_or_null("host"))
        .col(text_or_null("spool"))
        .col(number("acknowledged"))
        .col(number("received"))
        .col(number("lost"))
        .foreign_key(&mut cascade(
            "monitor_probes",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn reports() -> TableCreateStatement {
    Table::create()
        .table("monitor_reports")
        .col(text("probe_id"))
        .col(number("number"))
        .col(text("report"))
        .primary_key(Index::create().col("probe_id").col("number"))
        .foreign_key(&mut cascade(
            "monitor_reports",
            "probe_id",
            "monitor_probes",
        ))
        .to_owned()
}
