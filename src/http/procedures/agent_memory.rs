//! `/agent-memory/*`: what agents remember for the caller, in one organization.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::IdBody,
    chats::{self, person},
    fields,
    success::Success,
};
use crate::{
    access::Permission,
    actors::chats::{ForgetMemory, Memory, Owner, SaveMemory},
    clock::iso_ms,
    fault::{Fault, Issue},
    ids::MemoryId,
};

const GROUP: Group = Group::new("agentMemory", "Organizations").at("agent-memory");
/// Characters of something that is remembered.
const TEXT: std::ops::RangeInclusive<usize> = 1..=1_000;
/// What a search gives at most, and by default.
const MAX_FOUND: usize = 100;
const FOUND: usize = 20;

procedures! { GROUP;
    SEARCH = "search", reads(OrganizationRead), search(SearchBody, check) -> Vec<MemoryOut>:
        "Search your memories, newest first";
    SAVE = "save", acts(ChatWrite), save(SaveBody, check) -> MemoryOut:
        "Save a memory for you in this organization, for later conversations";
    FORGET = "forget", acts(ChatWrite), forget(IdBody) -> Success: "Delete a memory";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AgentMemorySearch")]
#[serde(rename_all = "camelCase")]
pub struct SearchBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// Words that all have to be in it; without any everything fits.
    pub query: Option<String>,
    /// At most so many, 1 to 100; 20 by default.
    pub limit: Option<usize>,
}

impl SearchBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if let Some(query) = &self.query {
            fields::text(issues, "query", query, 0..=200);
        }
        let limit = self.limit.unwrap_or(FOUND);
        fields::within(issues, "limit", limit, &(1..=MAX_FOUND), "1 to 100");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AgentMemorySave")]
#[serde(rename_all = "camelCase")]
pub struct SaveBody {
    /// The organization; by default the website's, the key's, or the session's active one.
    pub organization_id: Option<String>,
    /// The website that it is about.
    pub website_id: Option<String>,
    /// What to remember, 1 to 1,000 characters.
    pub text: String,
}

impl SaveBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        fields::text(issues, "text", &self.text, TEXT);
    }
}

/// Something that is remembered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentMemory")]
#[serde(rename_all = "camelCase")]
pub struct MemoryOut {
    pub id: String,
    pub website_id: Option<String>,
    pub text: String,
    pub created_at: String,
}

impl From<Memory> for MemoryOut {
    fn from(memory: Memory) -> Self {
        Self {
            id: memory.id.into(),
            website_id: memory.website.map(String::from),
            text: memory.text,
            created_at: iso_ms(memory.created_ms),
        }
    }
}

async fn search(call: Call, body: SearchBody) -> Result<Vec<MemoryOut>, Fault> {
    let proof = call.authorize(
        Permission::OrganizationRead,
        body.organization_id.as_deref(),
    )?;
    let Some(whose) = chats::owners(&call) else {
        return Ok(Vec::new());
    };
    let owner = Owner {
        organization: proof.organization().clone(),
        user: whose.user,
    };
    let words = body.query.unwrap_or_default();
    let most = body.limit.unwrap_or(FOUND);
    let view = call.shared.chats.view();
    let found = view.find_memories(&owner, &words, most).await?;
    Ok(found.into_iter().map(MemoryOut::from).collect())
}

async fn save(call: Call, body: SaveBody) -> Result<MemoryOut, Fault> {
    let named = (body.organization_id.as_deref(), body.website_id.as_deref());
    let (organization, website) = chats::subject(&call, named)?;
    let message = SaveMemory {
        owner: chats::owner(&call, &organization)?,
        website,
        text: body.text.trim().to_owned(),
    };
    Ok(call.shared.chats.ask(message).await?.into())
}

async fn forget(call: Call, body: IdBody) -> Result<Success, Fault> {
    let message = ForgetMemory {
        whose: person(&call, Permission::ChatWrite)?,
        id: MemoryId::from(body.id),
    };
    call.shared.chats.ask(message).await?;
    Ok(Success::YES)
}
