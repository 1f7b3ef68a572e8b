//! Alarms, their destinations and their states.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, flag, index, number, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(alarms()).await?;
    manager.create_table(destinations()).await?;
    manager.create_table(standings()).await?;
    for (name, table, columns) in [
        (
            "alarms_owner",
            "alarms",
            &["organization_id", "created_at"][..],
        ),
        (
            "alarm_destinations_alarm",
            "alarm_destinations",
            &["alarm_id"],
        ),
    ] {
        manager.create_index(index(name, table, columns)).await?;
    }
    Ok(())
}

fn alarms() -> TableCreateStatement {
    Table::create()
        .table("alarms")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text_or_null("website_id"))
        .col(text_or_null("created_by"))
        .col(text("fields"))
        .col(flag("enabled"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("alarms", "organization_id", "organizations"))
        .to_owned()
}

fn destinations() -> TableCreateStatement {
    Table::create()
        .table("alarm_destinations")
        .col(text("id").primary_key())
        .col(text("alarm_id"))
        .col(number("position"))
        .col(text("kind"))
        .col(ColumnDef::new("sealed").binary().not_null())
        .col(text_or_null("disabled"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade("alarm_destinations", "alarm_id", "alarms"))
        .to_owned()
}

fn standings() -> TableCreateStatement {
    Table::create()
        .table("alarm_standings")
        .col(text("alarm_id"))
        .col(text("subject"))
        .col(text("standing"))
        .primary_key(Index::create().col("alarm_id").col("subject"))
        .foreign_key(&mut cascade("alarm_standings", "alarm_id", "alarms"))
        .to_owned()
}
