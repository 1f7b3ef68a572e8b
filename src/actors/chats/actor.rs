//! The one writer of conversations.

use std::sync::Arc;

use actix::{Context, Handler};
use sea_orm::{ActiveValue::Set, PaginatorTrait as _, prelude::*};

use super::{
    BeginAnswer, Begun, Chat, ChatError, ChatsView, CreateChat, DeleteChat, EndAnswer, MAX_CHATS,
    RenameChat, StoreMessage, answers, env::ChatsEnv, view::find,
};
use crate::{
    actors::kit::{Domain, Live, Reply, commit},
    clock::from_ms,
    entities::agent_chat,
    ids::ChatId,
};

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Chats {
    env: ChatsEnv,
    view: Arc<ChatsView>,
}

impl Chats {
    pub(super) const fn env(&self) -> &ChatsEnv {
        &self.env
    }
}

impl Domain for Chats {
    const NAME: &'static str = "chats";
    type Env = ChatsEnv;
    type View = ChatsView;

    async fn boot(env: ChatsEnv) -> anyhow::Result<Self> {
        // Whoever was answering is not there any more.
        answers::interrupt_all(&env).await?;
        Ok(Self {
            view: Arc::new(ChatsView::new(env.db.clone())),
            env,
        })
    }

    fn view(&self) -> Arc<ChatsView> {
        Arc::clone(&self.view)
    }
}

impl Handler<CreateChat> for Live<Chats> {
    type Result = Reply<Chats, Chat, ChatError>;

    fn handle(&mut self, message: CreateChat, _: &mut Context<Self>) -> Self::Result {
        commit(create(self.env.clone(), message), |_: &mut Chats, made| {
            made
        })
    }
}

impl Handler<RenameChat> for Live<Chats> {
    type Result = Reply<Chats, (), ChatError>;

    fn handle(&mut self, message: RenameChat, _: &mut Context<Self>) -> Self::Result {
        commit(rename(self.env.clone(), message), |_: &mut Chats, ()| ())
    }
}

impl Handler<DeleteChat> for Live<Chats> {
    type Result = Reply<Chats, (), ChatError>;

    fn handle(&mut self, message: DeleteChat, _: &mut Context<Self>) -> Self::Result {
        commit(delete(self.env.clone(), message), |_: &mut Chats, ()| ())
    }
}

impl Handler<BeginAnswer> for Live<Chats> {
    type Result = Reply<Chats, Begun, ChatError>;

    fn handle(&mut self, message: BeginAnswer, _: &mut Context<Self>) -> Self::Result {
        let begun = answers::begin(self.env.clone(), message);
        commit(begun, |_: &mut Chats, begun| begun)
    }
}

impl Handler<StoreMessage> for Live<Chats> {
    type Result = Reply<Chats, (), ChatError>;

    fn handle(&mut self, message: StoreMessage, _: &mut Context<Self>) -> Self::Result {
        let stored = answers::store(self.env.clone(), message);
        commit(stored, |_: &mut Chats, ()| ())
    }
}

impl Handler<EndAnswer> for Live<Chats> {
    type Result = Reply<Chats, (), ChatError>;

    fn handle(&mut self, message: EndAnswer, _: &mut Context<Self>) -> Self::Result {
        let ended = answers::end(self.env.clone(), message);
        commit(ended, |_: &mut Chats, ()| ())
    }
}

async fn create(env: ChatsEnv, message: CreateChat) -> Result<Chat, ChatError> {
    let now_ms = env.clock.now_ms();
    let chat = Chat {
        id: ChatId::new(),
        website: message.website,
        title: message.title,
        active_stream: None,
        created_ms: now_ms,
        updated_ms: now_ms,
    };
    let owner = message.owner;
    let row = agent_chat::ActiveModel {
        id: Set(chat.id.to_string()),
        organization_id: Set(owner.organization.to_string()),
        user_id: Set(owner.user.to_string()),
        website_id: Set(chat.website.as_ref().map(ToString::to_string)),
        title: Set(chat.title.clone()),
        active_stream_id: Set(None),
        created_at: Set(from_ms(now_ms)),
        updated_at: Set(from_ms(now_ms)),
    };
    let write = env.db.begin().await?;
    let own = agent_chat::Entity::within(&owner.organization, &owner.user);
    if own.count(&*write).await? >= MAX_CHATS {
        return Err(ChatError::TooMany(MAX_CHATS));
    }
    agent_chat::Entity::insert(row)
        .exec_without_returning(&*write)
        .await?;
    write.commit().await?;
    Ok(chat)
}

async fn rename(env: ChatsEnv, message: RenameChat) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    if find(&*write, &message.whose, &message.id).await?.is_none() {
        return Err(ChatError::NotFound(message.id));
    }
    let row = agent_chat::ActiveModel {
        title: Set(message.title),
        updated_at: Set(from_ms(env.clock.now_ms())),
        ..Default::default()
    };
    agent_chat::Entity::update_many()
        .set(row)
        .filter(agent_chat::COLUMN.id.eq(message.id.as_str()))
        .exec(&*write)
        .await?;
    Ok(write.commit().await?)
}

async fn delete(env: ChatsEnv, message: DeleteChat) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    if find(&*write, &message.whose, &message.id).await?.is_none() {
        return Err(ChatError::NotFound(message.id));
    }
    agent_chat::Entity::delete_by_id(message.id.to_string())
        .exec(&*write)
        .await?;
    Ok(write.commit().await?)
}
