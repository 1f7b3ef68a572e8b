//! What agents have been told to remember.

use sea_orm_migration::prelude::*;

use crate::columns::{index, reference, text, text_or_null, time};

pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0020_agent_memory"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("agent_memories")
            .col(text("id").primary_key())
            .col(text("organization_id"))
            .col(text("user_id"))
            .col(text_or_null("website_id"))
            .col(text("body"))
            .col(time("created_at"))
            .foreign_key(&mut reference(
                "agent_memories",
                "organization_id",
                "organizations",
                ForeignKeyAction::Cascade,
            ))
            .foreign_key(&mut reference(
                "agent_memories",
                "user_id",
                "users",
                ForeignKeyAction::Cascade,
            ))
            .to_owned();
        manager.create_table(table).await?;
        let columns = ["user_id", "organization_id", "created_at"];
        let newest = index("agent_memories_newest", "agent_memories", &columns);
        manager.create_index(newest).await
    }
}
