//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};

use super::{Draft, Folder, Link, LinkError, Lock};
use crate::{
    access::plans::Allowance,
    ids::{FolderId, LinkId, OrganizationId, UserId, WebsiteKey},
};

/// Makes links, all or none; at most [`MAX_AT_ONCE`](super::MAX_AT_ONCE).
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<Arc<Link>>, LinkError>")]
pub struct CreateLinks {
    pub organization: OrganizationId,
    /// Who makes them.
    pub created_by: Option<UserId>,
    /// What they are; [`LinksView::sealed`](super::LinksView::sealed) makes them of what people say.
    pub links: Vec<Draft>,
    /// How many links the owner's plan allows; `None` = as many as it likes.
    pub allowance: Option<Allowance>,
}

/// A change of one link.
#[derive(Debug, Clone)]
pub struct LinkPatch {
    pub id: LinkId,
    /// Fields of [`LinkFields`](super::LinkFields) by their names on the wire; `null` clears, what is not named stays.
    pub fields: Map<String, Value>,
    /// What becomes of the password; [`LinksView::sealed_patches`](super::LinksView::sealed_patches) takes it out of the
    /// fields.
    pub lock: Lock,
}

/// Changes links of one organization, all or none.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<Arc<Link>>, LinkError>")]
pub struct UpdateLinks {
    pub organization: OrganizationId,
    pub patches: Vec<LinkPatch>,
}

/// Deletes links of one organization for good, all or none. Their clicks are erased after seven days.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct DeleteLinks {
    pub organization: OrganizationId,
    pub ids: Vec<LinkId>,
}

/// Makes a folder.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Folder, LinkError>")]
pub struct CreateFolder {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    /// Its name, 1 to 80 characters.
    pub name: String,
    /// Its name in addresses; by default made of the name.
    pub slug: Option<String>,
}

/// Renames a folder.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Folder, LinkError>")]
pub struct UpdateFolder {
    pub organization: OrganizationId,
    pub id: FolderId,
    /// Its new name.
    pub name: Option<String>,
    /// Its new name in addresses.
    pub slug: Option<String>,
}

/// Deletes a folder; its links are in none then.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct DeleteFolder {
    pub organization: OrganizationId,
    pub id: FolderId,
}

/// Lets the links of an organization that was deleted, or came back, follow it: they lead nowhere, or on again.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct FollowOwner {
    pub organization: OrganizationId,
}

/// A deleted link whose clicks have to go.
#[derive(Debug, Clone)]
pub struct ErasedLink {
    pub id: LinkId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
}

/// Which links were deleted so long ago that their clicks have to go.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Vec<ErasedLink>, LinkError>")]
pub struct DueForErasure;

/// Notes that the clicks of deleted links are erased: a receipt for each in the audit log of its owner.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct ReceiptForLinks {
    pub links: Vec<ErasedLink>,
}
