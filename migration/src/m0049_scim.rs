//! SCIM: tokens of organizations, and the people and groups that an identity provider sends.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, number, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in [tokens(), users(), groups(), members()] {
        manager.create_table(table).await?;
    }
    for (name, table, columns) in [
        (
            "scim_users_name",
            "scim_users",
            ["organization_id", "name_key"],
        ),
        (
            "scim_users_account",
            "scim_users",
            ["organization_id", "account"],
        ),
        (
            "scim_groups_name",
            "scim_groups",
            ["organization_id", "name_key"],
        ),
    ] {
        let unique = index(name, table, &columns).unique().to_owned();
        manager.create_index(unique).await?;
    }
    let tokens = index(
        "scim_tokens_maker",
        "scim_tokens",
        &["organization_id", "created_by"],
    );
    manager.create_index(tokens).await?;
    let members = index("scim_members_user", "scim_members", &["user_id"]);
    manager.create_index(members).await
}

fn tokens() -> TableCreateStatement {
    Table::create()
        .table("scim_tokens")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("created_by"))
        .col(text("name"))
        .col(text("digest").unique_key())
        .col(time("created_at"))
        .col(time_or_null("last_used_at"))
        // It ends with the membership of who made it.
        .foreign_key(
            ForeignKey::create()
                .from_tbl("scim_tokens")
                .from_col("organization_id")
                .from_col("created_by")
                .to_tbl("memberships")
                .to_col("organization_id")
                .to_col("user_id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

fn users() -> TableCreateStatement {
    Table::create()
        .table("scim_users")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("account"))
        .col(text("name_key"))
        .col(text("attributes"))
        .col(flag("is_active"))
        .col(text_or_null("left_role"))
        .col(text_or_null("group_role"))
        .col(number("version"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "scim_users",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn groups() -> TableCreateStatement {
    Table::create()
        .table("scim_groups")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("name"))
        .col(text("name_key"))
        .col(text_or_null("external_id"))
        .col(text_or_null("role"))
        .col(number("version"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "scim_groups",
            "organization_id",
            "organizations",
        ))
        .to_owned()
}

fn members() -> TableCreateStatement {
    Table::create()
        .table("scim_members")
        .col(text("group_id"))
        .col(text("user_id"))
        .primary_key(Index::create().col("group_id").col("user_id"))
        .foreign_key(&mut cascade("scim_members", "group_id", "scim_groups"))
        .foreign_key(&mut cascade("scim_members", "user_id", "scim_users"))
        .to_owned()
}
