//! Providers that organizations add, and the domains that they have verified for them.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(domains()).await?;
    manager.create_table(providers()).await?;
    let (name, columns) = ("sso_domains_name", ["organization_id", "name"]);
    let unique = index(name, "sso_domains", &columns).unique().to_owned();
    manager.create_index(unique).await?;
    let (name, columns) = ("sso_providers_organization", ["organization_id"]);
    manager
        .create_index(index(name, "sso_providers", &columns))
        .await
}

fn domains() -> TableCreateStatement {
    Table::create()
        .table("sso_domains")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("name"))
        .col(text("token"))
        // The name again while it is verified: one organization has it at a time.
        .col(text_or_null("verified_name").unique_key())
        .col(text_or_null("outcome"))
        .col(time_or_null("checked_at"))
        .col(time_or_null("missing_since"))
        .col(time("created_at"))
        .foreign_key(&mut cascade(
            "sso_domains",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn providers() -> TableCreateStatement {
    Table::create()
        .table("sso_providers")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("label"))
        .col(text("issuer"))
        .col(text("client_id"))
        .col(ColumnDef::new("sealed_secret").binary())
        .col(text("scopes"))
        .col(text("groups_claim"))
        .col(text("roles"))
        .col(text_or_null("join_role"))
        .col(flag("is_enabled"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "sso_providers",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}
