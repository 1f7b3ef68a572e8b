//! Sign-in at providers: whose account is whose there, how sessions began, and which organizations insist on a provider.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (table, mut column) in [
        ("users", flag("break_glass").default(false).take()),
        ("organizations", text_or_null("required_provider")),
        ("memberships", text_or_null("provider")),
        ("sessions", text("method").default("password").take()),
        ("sessions", text_or_null("provider_session")),
    ] {
        let altered = Table::alter()
            .table(table)
            .add_column(&mut column)
            .to_owned();
        manager.alter_table(altered).await?;
    }
    manager.create_table(identities()).await?;
    let by_user = index("identities_user", "identities", &["user_id"]);
    manager.create_index(by_user).await
}

fn identities() -> TableCreateStatement {
    Table::create()
        .table("identities")
        .col(text("id").primary_key())
        .col(text("provider"))
        .col(text("issuer"))
        .col(text("subject"))
        .col(text("user_id"))
        .col(time("created_at"))
        .col(time("last_used_at"))
        .index(
            Index::create()
                .unique()
                .name("identities_subject")
                .col("provider")
                .col("issuer")
                .col("subject"),
        )
        .foreign_key(&mut cascade("identities", "user_id", "users"))
        .to_owned()
}
