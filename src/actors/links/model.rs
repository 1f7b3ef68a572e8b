use super::LinkFields;
use crate::ids::{LinkId, OrganizationId, UserId, WebsiteKey};

#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub id: LinkId,
    /// The number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    /// The path on the host of short links.
    pub slug: String,
    /// Without the slug and the password.
    pub fields: LinkFields,
    /// The password that visitors have to know, in PHC form.
    pub password_hash: Option<String>,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}
