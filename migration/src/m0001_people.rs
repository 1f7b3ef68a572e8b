//! Organizations, people, memberships and sessions.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(organizations()).await?;
    manager.create_table(users()).await?;
    manager.create_table(memberships()).await?;
    manager
        .create_index(index("memberships_user", "memberships", &["user_id"]))
        .await?;
    manager.create_table(sessions()).await?;
    manager
        .create_index(index("sessions_user", "sessions", &["user_id"]))
        .await
}

fn organizations() -> TableCreateStatement {
    Table::create()
        .table("organizations")
        .col(text("id").primary_key())
        .col(number("key").unique_key())
        .col(text("name"))
        .col(text("slug").unique_key())
        .col(text("plan"))
        .col(time("created_at"))
        .col(time_or_null("deleted_at"))
        .to_owned()
}

fn users() -> TableCreateStatement {
    Table::create()
        .table("users")
        .col(text("id").primary_key())
        .col(text("email").unique_key())
        .col(text("name"))
        .col(text("password_hash"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .to_owned()
}

fn memberships() -> TableCreateStatement {
    Table::create()
        .table("memberships")
        .col(text("organization_id"))
        .col(text("user_id"))
        .col(text("role"))
        .col(time("created_at"))
        .primary_key(Index::create().col("organization_id").col("user_id"))
        .foreign_key(&mut cascade(
            "memberships",
            "organization_id",
            "organizations",
        ))
        .foreign_key(&mut cascade("memberships", "user_id", "users"))
        .to_owned()
}

fn sessions() -> TableCreateStatement {
    Table::create()
        .table("sessions")
        .col(text("id").primary_key())
        .col(text("token_hash").unique_key())
        .col(text("user_id"))
        .col(text_or_null("active_organization_id"))
        .col(time("created_at"))
        .col(time("last_seen_at"))
        .col(time("expires_at"))
        .col(text_or_null("user_agent"))
        .foreign_key(&mut cascade("sessions", "user_id", "users"))
        .to_owned()
}
