use super::LinkFields;
use crate::ids::{HostId, LinkId, OrganizationId, UserId, WebsiteKey};

#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub id: LinkId,
    /// The number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    /// The organization's host that it is on; `None` = the usual one.
    pub host: Option<HostId>,
    /// The path on its host.
    pub slug: String,
    /// Without the domain, the slug and the password.
    pub fields: LinkFields,
    /// The password that visitors have to know, in PHC form.
    pub password_hash: Option<String>,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// What a link is found by: its path on the usual host, or its path behind the id of another one. No path begins with `/`.
pub(super) fn link_key(host: Option<&HostId>, path: &str) -> String {
    match host {
        Some(host) => format!("//{host}/{path}"),
        None => path.to_owned(),
    }
}

/// The path of a link within its key.
pub(super) fn path_of(key: &str) -> &str {
    let hosted = key.strip_prefix("//");
    let path = hosted.and_then(|hosted| hosted.split_once('/'));
    path.map_or(key, |(_, path)| path)
}

/// The host within the key of a link.
pub(super) fn host_of(key: &str) -> Option<&str> {
    let (host, _) = key.strip_prefix("//")?.split_once('/')?;
    Some(host)
}

impl Link {
    /// What it is found by.
    pub(super) fn key_text(&self) -> String {
        link_key(self.host.as_ref(), &self.slug)
    }
}
