//! Feature flags, target groups, their history and what is planned for them.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, integer, text, text_or_null, time, time_or_null};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    for table in [flags(), groups(), changes(), schedules()] {
        manager.create_table(table).await?;
    }
    let unique = index("flags_key", "flags", &["scope_id", "key"])
        .unique()
        .to_owned();
    manager.create_index(unique).await?;
    for (name, table, columns) in [
        ("flags_organization", "flags", &["organization_id"][..]),
        ("target_groups_website", "target_groups", &["website_id"]),
        (
            "flag_changes_flag",
            "flag_changes",
            &["flag_id", "at", "id"],
        ),
        (
            "flag_schedules_due",
            "flag_schedules",
            &["done_at", "due_at"],
        ),
        ("flag_schedules_flag", "flag_schedules", &["flag_id"]),
    ] {
        manager.create_index(index(name, table, columns)).await?;
    }
    Ok(())
}

fn references_organization(table: &'static str) -> ForeignKeyCreateStatement {
    cascade(table, "organization_id", "organizations")
}

fn references_flag(table: &'static str) -> ForeignKeyCreateStatement {
    cascade(table, "flag_id", "flags")
}

fn flags() -> TableCreateStatement {
    Table::create()
        .table("flags")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text_or_null("website_id"))
        .col(text("scope_id"))
        .col(text("key"))
        .col(text("status"))
        .col(text_or_null("created_by"))
        .col(text("details"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("deleted_at"))
        .foreign_key(&mut references_organization("flags"))
        .to_owned()
}

fn groups() -> TableCreateStatement {
    Table::create()
        .table("target_groups")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("website_id"))
        .col(text_or_null("created_by"))
        .col(text("name"))
        .col(text_or_null("description"))
        .col(text("color"))
        .col(text("rules"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut references_organization("target_groups"))
        .to_owned()
}

fn changes() -> TableCreateStatement {
    Table::create()
        .table("flag_changes")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("flag_id"))
        .col(text("kind"))
        .col(text("actor"))
        .col(text_or_null("before"))
        .col(text_or_null("after"))
        .col(time("at"))
        .foreign_key(&mut references_organization("flag_changes"))
        .foreign_key(&mut references_flag("flag_changes"))
        .to_owned()
}

fn schedules() -> TableCreateStatement {
    Table::create()
        .table("flag_schedules")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("flag_id"))
        .col(text("kind"))
        .col(text("steps"))
        .col(integer("next_step"))
        .col(time("due_at"))
        .col(text_or_null("created_by"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .col(time_or_null("done_at"))
        .foreign_key(&mut references_organization("flag_schedules"))
        .foreign_key(&mut references_flag("flag_schedules"))
        .to_owned()
}
