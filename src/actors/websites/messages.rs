//! The messages of this domain. Callers are authorized before they send one.

use std::sync::Arc;

use actix::Message;

use super::{CompatibilityInput, SettingsChange, Website, WebsiteError};
use crate::{
    access::plans::Allowance,
    actors::audit::Actor,
    ids::{OrganizationId, WebsiteId, WebsiteKey},
};

/// Makes a website; its domain must be free in the organization.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct CreateWebsite {
    pub organization: OrganizationId,
    /// 1 to 100 letters, digits, `_`, white space, `-` and `.`.
    pub name: String,
    /// The domain; a scheme, a path and capitals are taken away.
    pub domain: String,
    /// Ids under which clients of other products send events for it.
    pub compatibility: Vec<CompatibilityInput>,
    /// How many websites the owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Renames a website, moves it to another domain, or changes which clients of other products send for it.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct UpdateWebsite {
    pub id: WebsiteId,
    /// The new name, or none to keep it.
    pub name: Option<String>,
    /// The new domain, or none to keep it.
    pub domain: Option<String>,
    /// The ids under which clients of other products send events for it, or none to keep them.
    pub compatibility: Option<Vec<CompatibilityInput>>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), WebsiteError>")]
pub struct DeleteWebsite {
    pub id: WebsiteId,
}

/// Says whose a deleted website was.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Option<OrganizationId>, WebsiteError>")]
pub struct FindDeleted {
    pub id: WebsiteId,
}

/// Brings a deleted website back; its domain must be free in the organization.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct RestoreWebsite {
    pub id: WebsiteId,
}

/// Hands a website to another organization, with everything that was stored of it; its domain must be free there.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct TransferWebsite {
    pub by: Actor,
    pub id: WebsiteId,
    pub to: OrganizationId,
    /// How many websites the new owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// A website whose days of grace are over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueWebsite {
    pub id: WebsiteId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
}

/// Says which deleted websites have to be erased.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Vec<DueWebsite>, WebsiteError>")]
pub struct DueForErasure;

/// The events of deleted websites are gone: removes what is left of them, and writes the receipts.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), WebsiteError>")]
pub struct EraseWebsites {
    pub websites: Vec<DueWebsite>,
}

/// Gives a website a new client id; the old one stops at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct RotateTracking {
    pub id: WebsiteId,
}

/// Reads everything anew: organizations went or came back, and their websites with them.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<(), WebsiteError>")]
pub struct Refresh;

/// Says whether anyone may see the website's public query types.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct TogglePublic {
    pub id: WebsiteId,
    pub is_public: bool,
}

/// Changes who may send events for a website and which events it leaves out; the next event meets the new rules.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Website>, WebsiteError>")]
pub struct UpdateSettings {
    pub id: WebsiteId,
    pub change: SettingsChange,
}

/// Removes the websites of an organization that is about to be erased, with the people that they have named; how many.
#[derive(Debug, Message)]
#[rtype(result = "Result<u64, WebsiteError>")]
pub struct EraseOwner {
    pub organization: OrganizationId,
}
