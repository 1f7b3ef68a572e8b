//! Answers, from what a person says to the last word.

use sea_orm::{ActiveValue::Set, ConnectionTrait, QueryOrder as _, prelude::*, sea_query::Expr};

use super::{
    BeginAnswer, Body, ChatError, ChatMessage, EndAnswer, MAX_MESSAGES, Role, StartedAnswer,
    Status, StoreMessage, view::find,
};
use crate::{
    actors::state_env::StateEnv,
    clock::from_ms,
    entities::{self, agent_chat, agent_message},
    ids::{ChatId, MessageId, StreamId},
};

/// Ends every answer, and says of what was being written that there is no more of it.
pub(super) async fn interrupt_answers(env: &StateEnv) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    let open = agent_chat::Entity::find()
        .filter(agent_chat::COLUMN.active_stream_id.is_not_null())
        .all(&*write)
        .await?;
    for chat in open {
        interrupt(&*write, &chat.id).await?;
    }
    agent_chat::Entity::update_many()
        .col_expr(
            agent_chat::Column::ActiveStreamId,
            Expr::value(None::<String>),
        )
        .filter(agent_chat::COLUMN.active_stream_id.is_not_null())
        .exec(&*write)
        .await?;
    Ok(write.commit().await?)
}

/// Says of what was being written last that there is no more of it.
async fn interrupt(db: &impl ConnectionTrait, chat: &str) -> Result<(), DbErr> {
    let Some(row) = find_last(db, chat).await? else {
        return Ok(());
    };
    let mut said = ChatMessage::from(row);
    if said.body.status == Status::Streaming {
        said.body.status = Status::Interrupted;
        replace(db, &said.id, &said.body).await?;
    }
    Ok(())
}

pub(super) async fn begin(env: StateEnv, message: BeginAnswer) -> Result<StartedAnswer, ChatError> {
    let write = env.db.begin().await?;
    let Some(mut row) = find(&*write, &message.whose, &message.id).await? else {
        return Err(ChatError::NotFound(message.id));
    };
    if row.active_stream_id.is_some() {
        return Err(ChatError::Busy(message.id));
    }
    let before = find_last(&*write, &row.id).await?;
    if before.is_some_and(|last| last.position >= MAX_MESSAGES) {
        return Err(ChatError::Full(message.id));
    }
    let (now_ms, stream) = (env.clock.now_ms(), StreamId::new());
    let id = MessageId::new();
    append(
        &*write,
        (&message.id, &id),
        Role::User,
        &message.body,
        now_ms,
    )
    .await?;
    row.active_stream_id = Some(stream.to_string());
    row.updated_at = from_ms(now_ms);
    store_state(&*write, &row).await?;
    let said = agent_message::Entity::of(&row.id).all(&*write).await?;
    write.commit().await?;
    Ok(StartedAnswer {
        organization: row.organization_id.clone().into(),
        chat: row.into(),
        stream,
        said: said.into_iter().map(ChatMessage::from).collect(),
    })
}

pub(super) async fn store(env: StateEnv, message: StoreMessage) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    let chat = find_open(&*write, &message.chat, &message.stream).await?;
    if chat.is_none() {
        return Err(ChatError::Ended(message.stream));
    }
    if replace(&*write, &message.id, &message.body).await? == 0 {
        let ids = (&message.chat, &message.id);
        let now_ms = env.clock.now_ms();
        append(&*write, ids, message.role, &message.body, now_ms).await?;
    }
    Ok(write.commit().await?)
}

pub(super) async fn end(env: StateEnv, message: EndAnswer) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    let Some(mut row) = find_open(&*write, &message.chat, &message.stream).await? else {
        return Err(ChatError::Ended(message.stream));
    };
    interrupt(&*write, &row.id).await?;
    row.active_stream_id = None;
    row.updated_at = from_ms(env.clock.now_ms());
    store_state(&*write, &row).await?;
    Ok(write.commit().await?)
}

/// The conversation in which this answer is being written.
async fn find_open(
    db: &impl ConnectionTrait,
    chat: &ChatId,
    stream: &StreamId,
) -> Result<Option<agent_chat::Model>, DbErr> {
    agent_chat::Entity::find_by_id(chat.to_string())
        .filter(agent_chat::COLUMN.active_stream_id.eq(stream.as_str()))
        .one(db)
        .await
}

async fn find_last(
    db: &impl ConnectionTrait,
    chat: &str,
) -> Result<Option<agent_message::Model>, DbErr> {
    agent_message::Entity::find()
        .filter(agent_message::COLUMN.chat_id.eq(chat))
        .order_by_desc(agent_message::COLUMN.position)
        .one(db)
        .await
}

/// Stores whether a conversation's answer is being written, and when something happened.
async fn store_state(db: &impl ConnectionTrait, chat: &agent_chat::Model) -> Result<(), DbErr> {
    let row = agent_chat::ActiveModel {
        active_stream_id: Set(chat.active_stream_id.clone()),
        updated_at: Set(chat.updated_at),
        ..Default::default()
    };
    entities::update(db, &chat.id, row).await.map(drop)
}

/// Puts a message behind all others.
async fn append(
    db: &impl ConnectionTrait,
    (chat, id): (&ChatId, &MessageId),
    role: Role,
    body: &Body,
    now_ms: i64,
) -> Result<(), DbErr> {
    let before = find_last(db, chat.as_str()).await?;
    let row = agent_message::ActiveModel {
        id: Set(id.to_string()),
        chat_id: Set(chat.to_string()),
        position: Set(before.map_or(1, |before| before.position + 1)),
        role: Set(role.as_str().to_owned()),
        body: Set(text(body)?),
        created_at: Set(from_ms(now_ms)),
    };
    entities::insert(db, row).await
}

/// Stores what a message says by now; how many messages there were of this id.
async fn replace(db: &impl ConnectionTrait, id: &MessageId, body: &Body) -> Result<u64, DbErr> {
    let row = agent_message::ActiveModel {
        body: Set(text(body)?),
        ..Default::default()
    };
    entities::update(db, id.as_str(), row).await
}

fn text(body: &Body) -> Result<String, DbErr> {
    serde_json::to_string(body).map_err(|error| DbErr::Json(error.to_string()))
}
