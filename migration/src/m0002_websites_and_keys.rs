//! Websites and API keys.

use sea_orm_migration::prelude::*;

use crate::columns::{
    flag, index, integer, number, reference, text, text_or_null, time, time_or_null,
};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(websites()).await?;
    let domain = index(
        "websites_live_domain",
        "websites",
        &["organization_id", "domain"],
    )
    .unique()
    .and_where(Expr::col("deleted_at").is_null())
    .to_owned();
    manager.create_index(domain).await?;
    manager.create_table(api_keys()).await?;
    manager
        .create_index(index(
            "api_keys_organization",
            "api_keys",
            &["organization_id"],
        ))
        .await
}

fn websites() -> TableCreateStatement {
    Table::create()
        .table("websites")
        .col(text("id").primary_key())
        .col(number("key").unique_key())
        .col(text("client_id").unique_key())
        .col(text("organization_id"))
        .col(text("name"))
        .col(text("domain"))
        .col(text("status"))
        .col(flag("is_public"))
        .col(text("settings"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("deleted_at"))
        .foreign_key(&mut reference(
            "websites",
            "organization_id",
            "organizations",
            ForeignKeyAction::Restrict,
        ))
        .to_owned()
}

fn api_keys() -> TableCreateStatement {
    Table::create()
        .table("api_keys")
        .col(text("id").primary_key())
        .col(text_or_null("organization_id"))
        .col(text_or_null("created_by"))
        .col(text("name"))
        .col(text_or_null("description"))
        .col(text("secret_hash").unique_key())
        .col(text("prefix"))
        .col(text("start"))
        .col(text("kind"))
        .col(text("scopes"))
        .col(text_or_null("resources"))
        .col(text("tags"))
        .col(flag("rate_limit_enabled"))
        .col(integer("rate_limit_max"))
        .col(integer("rate_limit_window"))
        .col(flag("enabled"))
        .col(time_or_null("expires_at"))
        .col(time_or_null("revoked_at"))
        .col(time_or_null("last_used_at"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut reference(
            "api_keys",
            "organization_id",
            "organizations",
            ForeignKeyAction::Restrict,
        ))
        .to_owned()
}
