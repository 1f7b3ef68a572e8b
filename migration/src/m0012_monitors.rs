//! Monitors, what changed about them, and their days.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, integer, number, set_null, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(monitors()).await?;
    manager.create_table(transitions()).await?;
    manager.create_table(days()).await?;
    for (name, table, columns) in [
        (
            "monitors_owner",
            "monitors",
            &["organization_id", "created_at"][..],
        ),
        ("monitors_website", "monitors", &["website_id"]),
        (
            "monitor_transitions_newest",
            "monitor_transitions",
            &["monitor_id", "at"],
        ),
    ] {
        manager.create_index(index(name, table, columns)).await?;
    }
    Ok(())
}

fn monitors() -> TableCreateStatement {
    Table::create()
        .table("monitors")
        .col(text("id").primary_key())
        .col(number("key").unique_key())
        .col(text("organization_id"))
        .col(text_or_null("website_id"))
        .col(text_or_null("link_id").unique_key())
        .col(text_or_null("created_by"))
        .col(text("kind"))
        .col(text("url"))
        .col(text("fields"))
        .col(flag("is_paused"))
        .col(ColumnDef::new("next_slot").big_integer().take())
        .col(text("standing"))
        .col(text_or_null("last"))
        .col(integer("push_turn"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("monitors", "organization_id", "organizations"))
        .foreign_key(&mut set_null("monitors", "website_id", "websites"))
        .to_owned()
}

fn transitions() -> TableCreateStatement {
    Table::create()
        .table("monitor_transitions")
        .col(text("id").primary_key())
        .col(text("monitor_id"))
        .col(time("at"))
        .col(text("from_state"))
        .col(text("to_state"))
        .col(text_or_null("error_class"))
        .col(text_or_null("error"))
        .col(text_or_null("because_of"))
        .foreign_key(&mut cascade(
            "monitor_transitions",
            "monitor_id",
            "monitors",
        ))
        .to_owned()
}

fn days() -> TableCreateStatement {
    Table::create()
        .table("monitor_days")
        .col(text("monitor_id"))
        .col(integer("day"))
        .col(integer("ups"))
        .col(integer("downs"))
        .col(number("up_ms"))
        .col(number("down_ms"))
        .col(number("response_ms"))
        .primary_key(Index::create().col("monitor_id").col("day"))
        .foreign_key(&mut cascade("monitor_days", "monitor_id", "monitors"))
        .to_owned()
}
