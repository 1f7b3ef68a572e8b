//! Conversations of people with an agent.

use sea_orm_migration::prelude::*;

use crate::columns::{cascade, index, number, text, text_or_null, time};

pub(crate) async fn up(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(chats()).await?;
    manager.create_table(messages()).await?;
    let columns = ["user_id", "organization_id", "updated_at"];
    let newest = index("agent_chats_newest", "agent_chats", &columns);
    manager.create_index(newest).await?;
    let order = index(
        "agent_messages_order",
        "agent_messages",
        &["chat_id", "position"],
    );
    manager
        .create_index(order.clone().unique().to_owned())
        .await
}

fn chats() -> TableCreateStatement {
    Table::create()
        .table("agent_chats")
        .col(text("id").primary_key())
        .col(text("organization_id"))
        .col(text("user_id"))
        .col(text_or_null("website_id"))
        .col(text("title"))
        .col(text_or_null("active_stream_id"))
        .col(time("created_at"))
        .col(time("updated_at"))
        .foreign_key(&mut cascade(
            "agent_chats",
            "organization_id",
            "organizations",
        ))
        .foreign_key(&mut cascade("agent_chats", "user_id", "users"))
        .to_owned()
}

fn messages() -> TableCreateStatement {
    Table::create()
        .table("agent_messages")
        .col(text("id").primary_key())
        .col(text("chat_id"))
        .col(number("position"))
        .col(text("role"))
        .col(text("body"))
        .col(time("created_at"))
        .foreign_key(&mut cascade("agent_messages", "chat_id", "agent_chats"))
        .to_owned()
}
