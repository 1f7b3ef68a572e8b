//! The messages of the domain. Their senders are authorized.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};

use super::{Folder, Link, LinkError, LinkFields, SlugRule};
use crate::{
    access::plans::Allowance,
    actors::change::Change,
    ids::{FolderId, LinkId, OrganizationId, UserId, WebsiteKey},
};

/// A new link with its password hashed.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Everything but the password.
    pub fields: LinkFields,
    /// The password in PHC form.
    pub password_hash: Option<String>,
}

/// Creates links, all or none; at most [`MAX_AT_ONCE`](super::MAX_AT_ONCE).
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<Arc<Link>>, LinkError>")]
pub struct CreateLinks {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    /// From [`LinksView::hash_passwords`](super::LinksView::hash_passwords).
    pub links: Vec<Draft>,
    pub slugs: SlugRule,
    /// How many links the owner's plan allows; `None` = no limit.
    pub allowance: Option<Allowance>,
}

#[derive(Debug, Clone)]
pub struct LinkPatch {
    pub id: LinkId,
    /// Fields of [`LinkFields`] by their names on the wire; `null` clears, absent fields stay.
    pub fields: Map<String, Value>,
    /// The password in PHC form. [`LinksView::hash_patched_passwords`](super::LinksView::hash_patched_passwords) takes it out of the
    /// fields.
    pub password_hash: Change<String>,
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

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Folder, LinkError>")]
pub struct CreateFolder {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    /// 1 to 80 characters.
    pub name: String,
    /// The name in URLs; made from the name by default.
    pub slug: Option<String>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Folder, LinkError>")]
pub struct UpdateFolder {
    pub organization: OrganizationId,
    pub id: FolderId,
    pub name: Option<String>,
    pub slug: Option<String>,
}

/// Deletes a folder. Its links stay, without a folder.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct DeleteFolder {
    pub organization: OrganizationId,
    pub id: FolderId,
}

/// Disables the links of an organization that was deleted, or enables them when it comes back.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct FollowOwner {
    pub organization: OrganizationId,
}

/// A deleted link whose clicks have to be erased.
#[derive(Debug, Clone)]
pub struct ErasedLink {
    pub id: LinkId,
    /// The number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
}

/// Asks for links whose days of grace are over.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "Result<Vec<ErasedLink>, LinkError>")]
pub struct DueForErasure;

/// Writes a receipt into the owner's audit log for each deleted link whose clicks are erased.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), LinkError>")]
pub struct ReceiptForLinks {
    pub links: Vec<ErasedLink>,
}
