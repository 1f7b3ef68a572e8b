//! Which process does what runs by the clock, and what it is asked for by the others.

use sea_orm_migration::prelude::*;

use crate::columns::{number, text, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0029_leases"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let leases = Table::create()
            .table("leases")
            .col(text("name").primary_key())
            .col(text("owner"))
            .col(time("until"))
            .col(number("fence"))
            .to_owned();
        manager.create_table(leases).await?;
        let asks = Table::create()
            .table("monitor_asks")
            .col(text("id").primary_key())
            .col(text("monitor_id"))
            .col(text("what"))
            .to_owned();
        manager.create_table(asks).await
    }
}
