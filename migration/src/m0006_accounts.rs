//! What accounts need beyond a password: whether their address is theirs, when the password changed, how it is reset,
//! second factors; invitations; what organizations show; and the outbox.

use sea_orm_migration::prelude::*;

use crate::columns::{
    cascade, flag, index, integer, number, text, text_or_null, time, time_or_null,
};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    // The operator made the accounts that exist already.
    let verified = flag("email_verified").default(true).to_owned();
    for column in [verified, time_or_null("password_changed_at")] {
        add(manager, "users", column).await?;
    }
    for column in [
        text_or_null("logo"),
        text_or_null("avatar_seed"),
        text_or_null("notifications"),
    ] {
        add(manager, "organizations", column).await?;
    }
    for table in [
        password_resets(),
        second_factors(),
        backup_codes(),
        invitations(),
        outbox(),
    ] {
        manager.create_table(table).await?;
    }
    for (name, table, columns) in [
        ("password_resets_user", "password_resets", ["user_id"]),
        ("backup_codes_user", "backup_codes", ["user_id"]),
        (
            "invitations_organization",
            "invitations",
            ["organization_id"],
        ),
    ] {
        manager.create_index(index(name, table, &columns)).await?;
    }
    let waiting = index("outbox_waiting", "outbox", &["next_attempt_at"])
        .and_where(Expr::col("state").eq("waiting"))
        .to_owned();
    manager.create_index(waiting).await
}

/// `SQLite` adds one column at a time.
async fn add(
    manager: &SchemaManager<'_>,
    table: &'static str,
    mut column: ColumnDef,
) -> Result<(), DbErr> {
    let alter = Table::alter()
        .table(table)
        .add_column(&mut column)
        .to_owned();
    manager.alter_table(alter).await
}

fn password_resets() -> TableCreateStatement {
    Table::create()
        .table("password_resets")
        .col(text("token_hash").primary_key())
        .col(text("user_id"))
        .col(time("created_at"))
        .col(time("expires_at"))
        .foreign_key(&mut cascade("password_resets", "user_id", "users"))
        .to_owned()
}

fn second_factors() -> TableCreateStatement {
    Table::create()
        .table("second_factors")
        .col(text("user_id").primary_key())
        .col(ColumnDef::new("sealed_secret").blob().not_null())
        .col(number("last_step"))
        .col(time("created_at"))
        .col(time_or_null("confirmed_at"))
        .foreign_key(&mut cascade("second_factors", "user_id", "users"))
        .to_owned()
}

fn backup_codes() -> TableCreateStatement {
    Table::create()
        .table("backup_codes")
        .col(text("code_hash").primary_key())
        .col(text("user_id"))
        .foreign_key(&mut cascade("backup_codes", "user_id", "users"))
        .to_owned()
}

fn invitations() -> TableCreateStatement {
    Table::create()
        .table("invitations")
        .col(text("id").primary_key())
        .col(text("token_hash").unique_key())
        .col(text("organization_id"))
        .col(text("email"))
        .col(text("role"))
        .col(text("status"))
        .col(text_or_null("inviter_id"))
        .col(time("created_at"))
        .col(time("expires_at"))
        .col(time_or_null("decided_at"))
        .foreign_key(&mut cascade(
            "invitations",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn outbox() -> TableCreateStatement {
    Table::create()
        .table("outbox")
        .col(text("id").primary_key())
        .col(text("kind"))
        .col(text("key").unique_key())
        .col(text_or_null("organization_id"))
        .col(ColumnDef::new("payload").blob())
        .col(text("state"))
        .col(integer("attempts"))
        .col(time("next_attempt_at"))
        .col(text_or_null("last_error"))
        .col(time("created_at"))
        .col(time_or_null("finished_at"))
        .to_owned()
}
