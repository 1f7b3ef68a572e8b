//! A link.

use crate::{
    actors::links::LinkFields,
    ids::{LinkId, OrganizationId, UserId, WebsiteKey},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub id: LinkId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The person who made it.
    pub created_by: Option<UserId>,
    /// Its path on the links' host.
    pub slug: String,
    /// What people say of it; its slug is not in there twice, its password not at all.
    pub fields: LinkFields,
    /// The password that visitors have to know, in PHC form.
    pub password_hash: Option<String>,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
}
