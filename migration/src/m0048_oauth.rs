//! OAuth: apps, what people allowed them, and the tokens of that.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in [apps(), grants(), tokens()] {
        manager.create_table(table).await?;
    }
    for (name, table, column) in [
        ("oauth_grants_user", "oauth_grants", "user_id"),
        ("oauth_grants_app", "oauth_grants", "app_id"),
        ("oauth_tokens_grant", "oauth_tokens", "grant_id"),
    ] {
        manager.create_index(index(name, table, &[column])).await?;
    }
    Ok(())
}

fn apps() -> TableCreateStatement {
    Table::create()
        .table("oauth_apps")
        .col(text("id").primary_key())
        .col(text("name"))
        .col(text("redirect_uris"))
        .col(time("created_at"))
        .col(time_or_null("used_at"))
        .to_owned()
}

fn grants() -> TableCreateStatement {
    Table::create()
        .table("oauth_grants")
        .col(text("id").primary_key())
        .col(text("app_id"))
        .col(text("organization_id"))
        .col(text("user_id"))
        .col(text("method"))
        .col(text("scopes"))
        .col(text("resource"))
        .col(time("created_at"))
        .col(time_or_null("last_used_at"))
        .col(time("expires_at"))
        .foreign_key(&mut cascade("oauth_grants", "app_id", "oauth_apps"))
        // It ends with the membership.
        .foreign_key(
            ForeignKey::create()
                .from_tbl("oauth_grants")
                .from_col("organization_id")
                .from_col("user_id")
                .to_tbl("memberships")
                .to_col("organization_id")
                .to_col("user_id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn tokens() -> TableCreateStatement {
    Table::create()
        .table("oauth_tokens")
        .col(text("digest").primary_key())
        .col(text("grant_id"))
        .col(text("kind"))
        .col(text_or_null("redirect_uri"))
        .col(text_or_null("challenge"))
        .col(time("expires_at"))
        .col(time_or_null("used_at"))
        .foreign_key(&mut cascade("oauth_tokens", "grant_id", "oauth_grants"))
        .to_owned()
}
