//! The caller of a request, as authentication found it.

use std::sync::Arc;

use super::{Permission, Role, Scope};
use crate::ids::{KeyId, OrganizationId, SessionId, UserId, WebsiteId};

/// Who is calling. Exactly one per request; a key header decides over a cookie.
#[derive(Debug, Clone)]
pub enum Principal {
    Anonymous,
    Key(Arc<KeyGrant>),
    /// A person in a browser session.
    Session(Arc<SessionGrant>),
}

impl Principal {
    /// The organizations that the caller belongs to.
    pub fn organizations(&self) -> Vec<&OrganizationId> {
        match self {
            Self::Anonymous => Vec::new(),
            Self::Key(key) => key.organization.iter().collect(),
            Self::Session(session) => session
                .memberships
                .iter()
                .map(|member| &member.organization)
                .collect(),
        }
    }
}

/// What an API key is allowed, or an app that a person has connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyGrant {
    pub id: KeyId,
    /// Its organization; a key without one can do nothing.
    pub organization: Option<OrganizationId>,
    /// Scopes that hold for every website of the organization ("global access").
    pub global: Vec<Scope>,
    /// Scopes that hold for single websites only.
    pub websites: Vec<(WebsiteId, Vec<Scope>)>,
    /// The person an app acts for; `None` for API keys.
    pub person: Option<Represented>,
}

/// The person an app acts for, as they are now. Their role limits what the app's scopes open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Represented {
    pub user: UserId,
    /// Their role in the app's organization.
    pub role: Role,
}

impl KeyGrant {
    /// Whether it is an app's, which acts for a person.
    pub fn is_app(&self) -> bool {
        self.person.is_some()
    }

    /// Whether the role of the person an app acts for includes this. Keys have no person: their scopes alone count.
    pub fn role_allows(&self, permission: Permission) -> bool {
        let person = self.person.as_ref();
        person.is_none_or(|person| permission.held_by(person.role))
    }

    /// Whether the scope holds for the whole organization.
    pub fn holds(&self, scope: Scope) -> bool {
        self.global.contains(&scope)
    }

    /// Whether the scope holds for this website, globally or by name.
    pub fn holds_for(&self, scope: Scope, website: &WebsiteId) -> bool {
        self.holds(scope)
            || self
                .websites
                .iter()
                .any(|(id, scopes)| id == website && scopes.contains(&scope))
    }

    pub fn holds_anywhere(&self, scope: Scope) -> bool {
        self.holds(scope)
            || self
                .websites
                .iter()
                .any(|(_, scopes)| scopes.contains(&scope))
    }

    /// The one website of a key that is bound to a single website.
    pub fn only_website(&self) -> Option<&WebsiteId> {
        match (self.global.is_empty(), self.websites.as_slice()) {
            (true, [(website, _)]) => Some(website),
            _ => None,
        }
    }
}

/// A person's session with the memberships that count right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGrant {
    pub id: SessionId,
    pub user: UserId,
    /// The organization the person works in at the moment.
    pub active_organization: Option<OrganizationId>,
    pub memberships: Vec<Member>,
}

impl SessionGrant {
    /// The session under which declarations in files are applied.
    pub const PROVISIONING: &str = "provision";

    /// Whether it applies declarations in files, on behalf of an owner.
    pub fn is_provisioning(&self) -> bool {
        self.id.as_str() == Self::PROVISIONING
    }

    /// The person's role in an organization.
    pub fn role_in(&self, organization: &OrganizationId) -> Option<Role> {
        self.memberships
            .iter()
            .find(|member| member.organization == *organization)
            .map(|member| member.role)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub organization: OrganizationId,
    /// The person's role there.
    pub role: Role,
}
