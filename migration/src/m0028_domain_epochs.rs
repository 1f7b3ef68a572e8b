//! How often each domain was written, for processes that share a database.

use sea_orm_migration::prelude::*;

use crate::columns::{number, text};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0028_domain_epochs"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("domain_epochs")
            .col(text("domain").primary_key())
            .col(number("epoch"))
            .to_owned();
        manager.create_table(table).await
    }
}
