//! `/agent-chats/*`: conversations of the caller alone.
//!
//! A key sees those of the person who made it, as long as they are a member. What streams is in `http::agent`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group, Needs,
    bodies::{IdBody, OrganizationBody},
    fields,
    success::Success,
};
use crate::{
    access::{Permission, Principal, authorize},
    actors::chats::{
        Chat, ChatAccess, ChatError, ChatMessage, CreateChat, DeleteChat, EndAnswer, Owner, Part,
        RenameChat, Role, Status,
    },
    clock::iso_ms,
    fault::{Classify, Fault, Issue},
    ids::{ChatId, OrganizationId, WebsiteId},
};

const GROUP: Group = Group::new("agentChats", "Organizations").at("agent-chats");

/// Characters of a title.
const TITLE: std::ops::RangeInclusive<usize> = 1..=120;
/// The title of a conversation without a name.
const UNTITLED: &str = "New chat";

procedures! { GROUP;
    LIST = "list", reads(OrganizationRead), list(OrganizationBody) -> Vec<ChatOut>:
        "List your agent chats, newest first, at most 100";
    GET = "get", reads(OrganizationRead), get(IdBody) -> Option<WholeOut>:
        "Get one of your agent chats with its messages, or null";
    CREATE = "create", acts(ChatWrite), create(CreateBody, check) -> ChatOut: "Create an agent chat";
    RENAME = "rename", acts(ChatWrite), rename(RenameBody, check) -> Success: "Rename an agent chat";
    DELETE = "delete", acts(ChatWrite), delete(IdBody) -> Success: "Delete an agent chat";
    STOP = "stop", acts(ChatWrite), stop(IdBody) -> Success:
        "Stop the answer that is being written in an agent chat, if there is one";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AgentChatCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The organization; by default the website's, the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// The website that it is about.
    pub website_id: Option<String>,
    /// 1 to 120 characters.
    pub title: Option<String>,
}

impl CreateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if let Some(title) = &self.title {
            fields::text(issues, "title", title, TITLE);
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AgentChatRename")]
pub struct RenameBody {
    pub id: String,
    /// 1 to 120 characters.
    pub title: String,
}

impl RenameBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        fields::text(issues, "title", &self.title, TITLE);
    }
}

/// An agent chat as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentChatSummary")]
#[serde(rename_all = "camelCase")]
pub struct ChatOut {
    pub id: String,
    pub website_id: Option<String>,
    pub title: String,
    pub created_at: String,
    pub updated_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentChat")]
#[serde(rename_all = "camelCase")]
pub struct WholeOut {
    #[serde(flatten)]
    pub chat: ChatOut,
    /// The messages, oldest first.
    pub messages: Vec<MessageOut>,
    /// The answer that is being written.
    pub active_stream_id: Option<String>,
}

/// A message of an agent chat.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentMessage")]
#[serde(rename_all = "camelCase")]
pub struct MessageOut {
    pub id: String,
    pub role: Role,
    pub status: Status,
    pub parts: Vec<Part>,
    pub created_at: String,
}

impl From<Chat> for ChatOut {
    fn from(chat: Chat) -> Self {
        Self {
            id: chat.id.into(),
            website_id: chat.website.map(String::from),
            title: chat.title,
            created_at: iso_ms(chat.created_ms),
            updated_at: iso_ms(chat.updated_ms),
        }
    }
}

impl From<ChatMessage> for MessageOut {
    fn from(said: ChatMessage) -> Self {
        Self {
            id: said.id.into(),
            role: said.role,
            status: said.body.status,
            parts: said.body.parts,
            created_at: iso_ms(said.created_ms),
        }
    }
}

/// The person whose chats a caller sees, and the organizations about which; nothing for a key that no member has made.
pub(super) fn owners(call: &Call) -> Option<ChatAccess> {
    match &call.caller {
        Principal::Anonymous => None,
        Principal::Session(session) => Some(ChatAccess {
            user: session.user.clone(),
            organizations: call.caller.organizations().into_iter().cloned().collect(),
        }),
        Principal::Key(key) => {
            let keys = call.shared.keys.view();
            let user = match &key.person {
                Some(person) => person.user.clone(),
                None => keys.by_id(key.id.as_str())?.created_by.clone()?,
            };
            let organization = key.organization.clone()?;
            let organizations = call.shared.organizations.view();
            let person = organizations.person(&user)?;
            person.role_in(organization.as_str())?;
            Some(ChatAccess {
                user,
                organizations: vec![organization],
            })
        }
    }
}

/// Whose chats a caller may change. A key needs the right for all of its organization.
pub(in crate::http) fn person(call: &Call, permission: Permission) -> Result<ChatAccess, Fault> {
    Needs::Permission(permission).admit(&call.caller)?;
    everywhere(call, permission)?;
    owners(call).ok_or_else(no_owner)
}

fn no_owner() -> Fault {
    Fault::forbidden(
        "Chats belong to people, and no member has made this key: use one that a member has made",
    )
}

fn everywhere(call: &Call, permission: Permission) -> Result<(), Fault> {
    if let Principal::Key(key) = &call.caller
        && let Some(own) = &key.organization
    {
        authorize::organization(&call.caller, permission, own)?;
    }
    Ok(())
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<ChatOut>, Fault> {
    let proof = call.authorize(
        Permission::OrganizationRead,
        body.organization_id.as_deref(),
    )?;
    let Some(ChatAccess { user, .. }) = owners(&call) else {
        return Ok(Vec::new());
    };
    let owner = Owner {
        organization: proof.organization().clone(),
        user,
    };
    let chats = call.shared.chats.view().list(&owner).await?;
    Ok(chats.into_iter().map(ChatOut::from).collect())
}

async fn get(call: Call, body: IdBody) -> Result<Option<WholeOut>, Fault> {
    everywhere(&call, Permission::OrganizationRead)?;
    let Some(whose) = owners(&call) else {
        return Ok(None);
    };
    let view = call.shared.chats.view();
    let found = view.with_messages(&whose, &ChatId::from(body.id)).await?;
    Ok(found.map(|(chat, said)| WholeOut {
        active_stream_id: chat.active_stream.clone().map(String::from),
        chat: chat.into(),
        messages: said.into_iter().map(MessageOut::from).collect(),
    }))
}

async fn create(call: Call, body: CreateBody) -> Result<ChatOut, Fault> {
    let named = (body.organization_id.as_deref(), body.website_id.as_deref());
    let (organization, website) = subject(&call, named)?;
    let title = body.title.as_deref().map_or(UNTITLED, str::trim);
    let message = CreateChat {
        owner: owner(&call, &organization)?,
        website,
        title: title.to_owned(),
    };
    Ok(call.shared.chats.ask(message).await?.into())
}

/// The owners of what is written about an organization.
pub(super) fn owner(call: &Call, organization: &OrganizationId) -> Result<Owner, Fault> {
    let proof = authorize::organization(&call.caller, Permission::ChatWrite, organization)?;
    let ChatAccess { user, .. } = owners(call).ok_or_else(no_owner)?;
    Ok(Owner {
        organization: proof.organization().clone(),
        user,
    })
}

/// What something is to be about: the organization and the website that are named.
pub(super) fn subject(
    call: &Call,
    (named, website): (Option<&str>, Option<&str>),
) -> Result<(OrganizationId, Option<WebsiteId>), Fault> {
    let Some(id) = website else {
        let organization = call.organization(named)?;
        return Ok((organization, None));
    };
    let websites = call.shared.websites.view();
    let site = websites.by_id(id).map(|website| website.site());
    let permission = Permission::ChatWrite;
    let access = authorize::website(&call.caller, permission, id, site.as_ref())?;
    let organization = access.organization().clone();
    if named.is_some_and(|named| named != organization.as_str()) {
        return Err(Fault::not_found("website", id));
    }
    Ok((organization, Some(WebsiteId::from(id))))
}

async fn rename(call: Call, body: RenameBody) -> Result<Success, Fault> {
    let message = RenameChat {
        whose: person(&call, Permission::ChatWrite)?,
        id: ChatId::from(body.id),
        title: body.title.trim().to_owned(),
    };
    call.shared.chats.ask(message).await?;
    Ok(Success::YES)
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let message = DeleteChat {
        whose: person(&call, Permission::ChatWrite)?,
        id: ChatId::from(body.id),
    };
    let id = message.id.clone();
    call.shared.chats.ask(message).await?;
    call.shared.agents.stop(&id).await;
    Ok(Success::YES)
}

/// After it no answer is being written, even if its writer has failed.
async fn stop(call: Call, body: IdBody) -> Result<Success, Fault> {
    let whose = person(&call, Permission::ChatWrite)?;
    let (id, view) = (ChatId::from(body.id), call.shared.chats.view());
    let found = view.by_id(&whose, &id).await?;
    if found.is_none() {
        return Err(ChatError::NotFound(id).classify());
    }
    call.shared.agents.stop(&id).await;
    let found = view.by_id(&whose, &id).await?;
    if let Some(stream) = found.and_then(|chat| chat.active_stream) {
        let left = EndAnswer { chat: id, stream };
        match call.shared.chats.ask(left).await {
            Ok(()) | Err(ChatError::Ended(_)) => {}
            Err(error) => return Err(error.classify()),
        }
    }
    Ok(Success::YES)
}
