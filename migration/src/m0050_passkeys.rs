//! Passkeys of people, and the challenges that were answered with one.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, number, text, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(passkeys()).await?;
    manager.create_table(spent_challenges()).await?;
    let by_user = index("passkeys_user", "passkeys", &["user_id"]);
    manager.create_index(by_user).await
}

fn passkeys() -> TableCreateStatement {
    Table::create()
        .table("passkeys")
        .col(text("id").primary_key())
        .col(text("user_id"))
        .col(text("credential_id").unique_key())
        .col(text("name"))
        .col(text("credential"))
        .col(number("counter"))
        .col(flag("can_be_synced"))
        .col(flag("is_backed_up"))
        .col(time("created_at"))
        .col(time_or_null("last_used_at"))
        .foreign_key(&mut cascade("passkeys", "user_id", "users"))
        .to_owned()
}

fn spent_challenges() -> TableCreateStatement {
    Table::create()
        .table("spent_challenges")
        .col(text("digest").primary_key())
        .col(time("expires_at"))
        .to_owned()
}
