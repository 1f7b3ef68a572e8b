//! The one writer of conversations.

use std::sync::Arc;

use sea_orm::{ActiveValue::Set, PaginatorTrait as _, prelude::*};

use super::{
    BeginAnswer, Chat, ChatError, ChatsView, CreateChat, DeleteChat, EndAnswer, ForgetMemory,
    MAX_CHATS, RenameChat, SaveMemory, StoreMessage, answers, memory, view::find,
};
use crate::{
    actors::{
        error::CommonError,
        kit::{Domain, handlers},
        state_env::StateEnv,
    },
    clock::from_ms,
    entities::{self, agent_chat},
    ids::ChatId,
};

/// The actor; everything that it knows is in storage.
#[derive(Debug)]
pub struct Chats {
    view: Arc<ChatsView>,
}

impl Domain for Chats {
    const NAME: &'static str = "chats";
    type Env = StateEnv;
    type View = ChatsView;

    async fn boot(env: StateEnv) -> anyhow::Result<Self> {
        // The answers of an earlier run are not being written any more.
        answers::interrupt_answers(&env).await?;
        Ok(Self {
            view: Arc::new(ChatsView::new(env.db)),
        })
    }

    fn view(&self) -> Arc<ChatsView> {
        Arc::clone(&self.view)
    }
}

handlers! { Chats:
    commit CreateChat => create;
    commit RenameChat => rename;
    commit DeleteChat => delete;
    commit BeginAnswer => answers::begin;
    commit StoreMessage => answers::store;
    commit EndAnswer => answers::end;
    commit SaveMemory => memory::save;
    commit ForgetMemory => memory::forget;
}

async fn create(env: StateEnv, message: CreateChat) -> Result<Chat, ChatError> {
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
        return Err(CommonError::refused(format!(
            "You have reached the limit of {MAX_CHATS} chats. Delete some first."
        ))
        .into());
    }
    entities::insert(&*write, row).await?;
    write.commit().await?;
    Ok(chat)
}

async fn rename(env: StateEnv, message: RenameChat) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    if find(&*write, &message.whose, &message.id).await?.is_none() {
        return Err(ChatError::NotFound(message.id));
    }
    let row = agent_chat::ActiveModel {
        title: Set(message.title),
        updated_at: Set(from_ms(env.clock.now_ms())),
        ..Default::default()
    };
    entities::update(&*write, message.id.as_str(), row).await?;
    Ok(write.commit().await?)
}

async fn delete(env: StateEnv, message: DeleteChat) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    if find(&*write, &message.whose, &message.id).await?.is_none() {
        return Err(ChatError::NotFound(message.id));
    }
    agent_chat::Entity::delete_by_id(message.id.to_string())
        .exec(&*write)
        .await?;
    Ok(write.commit().await?)
}
