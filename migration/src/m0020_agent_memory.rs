//! Memories of agents.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let table = Table::create()
        .table("agent_memories")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("user_id"))
        .col(text_or_null("website_id"))
        .col(text("body"))
        .col(time("created_at"))
        .foreign_key(&mut cascade(
            "agent_memories",
            "organization_id",
            "organizations",
        ))
        .foreign_key(&mut cascade("agent_memories", "user_id", "users"))
        .to_owned();
    manager.create_table(table).await?;
    let columns = ["user_id", "organization_id", "created_at"];
    let newest = index("agent_memories_newest", "agent_memories", &columns);
    manager.create_index(newest).await
}
