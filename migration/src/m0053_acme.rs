//! Certificates by ACME: accounts at authorities, certificates by host, orders of the last hours, open challenges.

use sea_orm_migration::prelude::*;

use crate::columns::{index, integer, number, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(accounts()).await?;
    manager.create_table(certificates()).await?;
    manager.create_table(orders()).await?;
    manager.create_table(challenges()).await?;
    let (name, columns) = ("acme_certificates_version", ["version"]);
    manager
        .create_index(index(name, "acme_certificates", &columns))
        .await
}

fn accounts() -> TableCreateStatement {
    Table::create()
        .table("acme_accounts")
        // The authority's directory, and the account there that it is bound to.
        .col(text("id").primary_key())
        .col(ColumnDef::new("sealed_credentials").binary().not_null())
        .col(time("created_at"))
        .to_owned()
}

fn certificates() -> TableCreateStatement {
    Table::create()
        .table("acme_certificates")
        // The host.
        .col(text("id").primary_key())
        // Grows with every write of the table.
        .col(number("version"))
        .col(ColumnDef::new("sealed").binary())
        .col(text_or_null("authority"))
        .col(time_or_null("begins_at"))
        .col(time_or_null("ends_at"))
        .col(time_or_null("renew_at"))
        .col(time_or_null("check_at"))
        .col(integer("failures"))
        .col(time_or_null("next_try_at"))
        .col(text_or_null("error"))
        .col(time_or_null("removed_at"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .to_owned()
}

fn orders() -> TableCreateStatement {
    Table::create()
        .table("acme_orders")
        .col(text("id").primary_key())
        .col(text("host"))
        .col(time("created_at"))
        .to_owned()
}

fn challenges() -> TableCreateStatement {
    Table::create()
        .table("acme_challenges")
        .col(text("id").primary_key())
        .col(text("kind"))
        .col(text("host"))
        .col(text("token"))
        .col(text("key_authorization"))
        .col(time("expires_at"))
        .to_owned()
}
