//! What everyone may read without asking the actor.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use crate::{
    access::{Member, SessionGrant, authorize::Tenant},
    actors::digest::Digest,
    ids::{OrganizationId, SessionId, UserId},
};

/// A session unused for this long is over, milliseconds.
pub(super) const IDLE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// A session is over after this long in any case, milliseconds.
pub(super) const ABSOLUTE_MS: i64 = 30 * 24 * 60 * 60 * 1000;

/// A live organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Id and number in event rows.
    pub tenant: Tenant,
    /// Its name.
    pub name: String,
    /// Its name in URLs.
    pub slug: String,
    /// The plan that its limits come from.
    pub plan: String,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
}

/// A person, as far as others may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The person's id.
    pub id: UserId,
    /// The address the person signs in with, in lower case.
    pub email: String,
    /// What the person is called.
    pub name: String,
    /// When the account was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
    /// Memberships in live organizations, oldest first.
    pub memberships: Vec<Member>,
}

/// A session that has not ended. Shared by all views, so that its use is seen at once.
#[derive(Debug)]
pub struct LiveSession {
    /// What it allows.
    pub grant: Arc<SessionGrant>,
    /// When the person signed in, Unix milliseconds.
    pub created_ms: i64,
    /// When it ends at the latest, Unix milliseconds.
    pub expires_ms: i64,
    /// The browser that signed in.
    pub user_agent: Option<String>,
    pub(super) digest: Digest,
    /// Unix milliseconds of the last use.
    pub(super) last_seen_ms: AtomicI64,
    /// What of it is stored.
    pub(super) written_seen_ms: AtomicI64,
}

impl LiveSession {
    /// When it was last used, Unix milliseconds.
    pub fn last_seen_ms(&self) -> i64 {
        self.last_seen_ms.load(Ordering::Relaxed)
    }

    /// Whether it is still good at this time.
    pub(super) fn is_alive(&self, now_ms: i64) -> bool {
        now_ms < self.expires_ms && now_ms < self.last_seen_ms() + IDLE_MS
    }

    /// Slides the idle window. Writes at most once a second, so that busy sessions do not fight over a cache line.
    fn touch(&self, now_ms: i64) {
        if now_ms >= self.last_seen_ms() + 1000 {
            self.last_seen_ms.fetch_max(now_ms, Ordering::Relaxed);
        }
    }
}

/// The published read model of people and tenants.
#[derive(Debug, Clone, Default)]
pub struct OrganizationsView {
    pub(super) installed: bool,
    pub(super) organizations: HashMap<OrganizationId, Arc<Organization>>,
    pub(super) people: HashMap<UserId, Arc<Person>>,
    pub(super) sessions: HashMap<Digest, Arc<LiveSession>>,
    pub(super) session_digests: HashMap<SessionId, Digest>,
}

impl OrganizationsView {
    /// Whether an organization exists, deleted ones included.
    pub fn any(&self) -> bool {
        self.installed
    }

    /// The only organization and the only person, when nobody has signed in: what an installation leaves behind.
    pub fn founder(&self) -> Option<(Arc<Organization>, Arc<Person>)> {
        let mut organizations = self.organizations.values();
        let mut people = self.people.values();
        let only = (organizations.next()?, people.next()?);
        let alone =
            organizations.next().is_none() && people.next().is_none() && self.sessions.is_empty();
        alone.then(|| (Arc::clone(only.0), Arc::clone(only.1)))
    }

    /// The oldest live organization.
    pub fn first(&self) -> Option<OrganizationId> {
        // Ids are made in the order of time.
        self.organizations.keys().min().cloned()
    }

    /// A live organization.
    pub fn organization(&self, id: &str) -> Option<&Arc<Organization>> {
        self.organizations.get(id)
    }

    /// What the authorizer needs to know of a live organization.
    pub fn tenant(&self, id: &str) -> Option<Tenant> {
        Some(self.organizations.get(id)?.tenant.clone())
    }

    /// A person.
    pub fn person(&self, id: &UserId) -> Option<&Arc<Person>> {
        self.people.get(id)
    }

    /// What a session token allows now. Counts as use of the session.
    pub fn session(&self, token: &str, now_ms: i64) -> Option<Arc<SessionGrant>> {
        let session = self.live_session(token, now_ms)?;
        Some(Arc::clone(&session.grant))
    }

    /// The session of a token with its times, for `get-session`. Counts as use of the session.
    pub fn live_session(&self, token: &str, now_ms: i64) -> Option<&Arc<LiveSession>> {
        let digest = Digest::of(token);
        let session = self.sessions.get(&digest)?;
        if !session.digest.matches(&digest) || !session.is_alive(now_ms) {
            return None;
        }
        session.touch(now_ms);
        Some(session)
    }

    pub(super) fn insert_session(&mut self, session: Arc<LiveSession>) {
        self.session_digests
            .insert(session.grant.id.clone(), session.digest);
        self.sessions.insert(session.digest, session);
    }

    pub(super) fn remove_session(&mut self, id: &SessionId) {
        if let Some(digest) = self.session_digests.remove(id.as_str()) {
            self.sessions.remove(&digest);
        }
    }
}
