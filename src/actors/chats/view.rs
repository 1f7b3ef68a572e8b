//! What anyone may read: conversations straight from storage.

use sea_orm::{ConnectionTrait, QueryOrder as _, QuerySelect as _, prelude::*};

use super::{ChatAccess, ChatError, ChatMessage, Owner, model::Chat};
use crate::{
    entities::{agent_chat, agent_message},
    ids::{ChatId, OrganizationId},
    store::StateDb,
};

const MAX_LISTED: u64 = 100;

#[derive(Debug, Clone)]
pub struct ChatsView {
    db: StateDb,
}

impl ChatsView {
    pub(super) const fn new(db: StateDb) -> Self {
        Self { db }
    }

    pub(super) fn db(&self) -> &DatabaseConnection {
        self.db.reader()
    }

    /// A person's conversations about an organization, the last one first.
    pub async fn list(&self, owner: &Owner) -> Result<Vec<Chat>, ChatError> {
        let rows = agent_chat::Entity::within(&owner.organization, &owner.user)
            .order_by_desc(agent_chat::COLUMN.updated_at)
            .order_by_desc(agent_chat::COLUMN.id)
            .limit(MAX_LISTED)
            .all(self.db())
            .await?;
        Ok(rows.into_iter().map(Chat::from).collect())
    }

    /// A person's conversation about one of their organizations.
    pub async fn by_id(&self, whose: &ChatAccess, id: &ChatId) -> Result<Option<Chat>, ChatError> {
        let row = find(self.db.reader(), whose, id).await?;
        Ok(row.map(Chat::from))
    }

    /// The organization that a person's conversation is about.
    pub async fn organization(
        &self,
        whose: &ChatAccess,
        id: &ChatId,
    ) -> Result<Option<OrganizationId>, ChatError> {
        let row = find(self.db.reader(), whose, id).await?;
        Ok(row.map(|row| row.organization_id.into()))
    }

    /// A conversation with all that was said in it.
    pub async fn with_messages(
        &self,
        whose: &ChatAccess,
        id: &ChatId,
    ) -> Result<Option<(Chat, Vec<ChatMessage>)>, ChatError> {
        let Some(chat) = self.by_id(whose, id).await? else {
            return Ok(None);
        };
        let said = agent_message::Entity::in_chat(id.as_str());
        let said = said.all(self.db.reader()).await?;
        Ok(Some((
            chat,
            said.into_iter().map(ChatMessage::from).collect(),
        )))
    }
}

/// A person's conversation about one of their organizations.
pub(super) async fn find(
    db: &impl ConnectionTrait,
    whose: &ChatAccess,
    id: &ChatId,
) -> Result<Option<agent_chat::Model>, DbErr> {
    let organizations = whose.organizations.iter().map(OrganizationId::as_str);
    agent_chat::Entity::find_by_id(id.to_string())
        .filter(agent_chat::COLUMN.user_id.eq(whose.user.as_str()))
        .filter(agent_chat::COLUMN.organization_id.is_in(organizations))
        .one(db)
        .await
}
