//! Alarms, whom they tell, and how they stand.

use sea_orm_migration::prelude::*;

use crate::columns::{flag, index, number, reference, text, text_or_null, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0021_alarms"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
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
        .foreign_key(&mut reference(
            "alarms",
            "organization_id",
            "organizations",
            ForeignKeyAction::Cascade,
        ))
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
        .foreign_key(&mut reference(
            "alarm_destinations",
            "alarm_id",
            "alarms",
            ForeignKeyAction::Cascade,
        ))
        .to_owned()
}

fn standings() -> TableCreateStatement {
    Table::create()
        .table("alarm_standings")
        .col(text("alarm_id"))
        .col(text("subject"))
        .col(text("standing"))
        .primary_key(Index::create().col("alarm_id").col("subject"))
        .foreign_key(&mut reference(
            "alarm_standings",
            "alarm_id",
            "alarms",
            ForeignKeyAction::Cascade,
        ))
        .to_owned()
}
