//! What agents remember for one person about one organization.

use actix::Message;
use sea_orm::{
    ActiveValue::Set, PaginatorTrait as _, QueryOrder as _, QuerySelect as _, prelude::*,
};

use super::{ChatAccess, ChatError, ChatsView, MAX_MEMORIES, Owner};
use crate::{
    actors::{error::CommonError, state_env::StateEnv},
    clock::from_ms,
    entities::{self, agent_memory},
    ids::{MemoryId, OrganizationId, WebsiteId},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub id: MemoryId,
    pub website: Option<WebsiteId>,
    pub text: String,
    pub created_ms: i64,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Memory, ChatError>")]
pub struct SaveMemory {
    pub owner: Owner,
    pub website: Option<WebsiteId>,
    /// What, 1 to 1,000 characters.
    pub text: String,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), ChatError>")]
pub struct ForgetMemory {
    pub whose: ChatAccess,
    pub id: MemoryId,
}

impl ChatsView {
    /// What is remembered and has all of these words in it, newest first; at most so many.
    pub async fn find_memories(
        &self,
        owner: &Owner,
        words: &str,
        most: usize,
    ) -> Result<Vec<Memory>, ChatError> {
        let rows = agent_memory::Entity::within(&owner.organization, &owner.user)
            .order_by_desc(agent_memory::COLUMN.created_at)
            .order_by_desc(agent_memory::COLUMN.id)
            .limit(MAX_MEMORIES)
            .all(self.db())
            .await?;
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let fits = |row: &agent_memory::Model| {
            let body = row.body.to_lowercase();
            words.iter().all(|word| body.contains(word.as_str()))
        };
        let found = rows.into_iter().filter(fits).take(most);
        Ok(found.map(Memory::from).collect())
    }
}

pub(super) async fn save(env: StateEnv, message: SaveMemory) -> Result<Memory, ChatError> {
    let memory = Memory {
        id: MemoryId::new(),
        website: message.website,
        text: message.text,
        created_ms: env.clock.now_ms(),
    };
    let owner = message.owner;
    let row = agent_memory::ActiveModel {
        id: Set(memory.id.to_string()),
        organization_id: Set(owner.organization.to_string()),
        user_id: Set(owner.user.to_string()),
        website_id: Set(memory.website.as_ref().map(ToString::to_string)),
        body: Set(memory.text.clone()),
        created_at: Set(from_ms(memory.created_ms)),
    };
    let write = env.db.begin().await?;
    let own = agent_memory::Entity::within(&owner.organization, &owner.user);
    if own.count(&*write).await? >= MAX_MEMORIES {
        return Err(CommonError::refused(format!(
            "You have reached the limit of {MAX_MEMORIES} memories. Delete some first."
        ))
        .into());
    }
    entities::insert(&*write, row).await?;
    write.commit().await?;
    Ok(memory)
}

pub(super) async fn forget(env: StateEnv, message: ForgetMemory) -> Result<(), ChatError> {
    let write = env.db.begin().await?;
    let organizations = message.whose.organizations.iter();
    let organizations = organizations.map(OrganizationId::as_str);
    let done = agent_memory::Entity::delete_many()
        .filter(agent_memory::COLUMN.id.eq(message.id.as_str()))
        .filter(agent_memory::COLUMN.user_id.eq(message.whose.user.as_str()))
        .filter(agent_memory::COLUMN.organization_id.is_in(organizations))
        .exec(&*write)
        .await?;
    if done.rows_affected == 0 {
        return Err(ChatError::NotRemembered(message.id));
    }
    Ok(write.commit().await?)
}

impl From<agent_memory::Model> for Memory {
    fn from(row: agent_memory::Model) -> Self {
        Self {
            id: row.id.into(),
            website: row.website_id.map(WebsiteId::from),
            text: row.body,
            created_ms: row.created_at.timestamp_millis(),
        }
    }
}
