//! What the read model is made of: organizations, people, sessions.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serde_json::{Value, json};

use super::Notifications;
use crate::{
    access::{Member, Role, SessionGrant, authorize::Tenant},
    actors::{digest::Digest, keys::AffectedKey},
    ids::{InvitationId, OrganizationId, UserId},
    locale::Language,
    oidc::Identity,
};

/// A session unused for this long is over, milliseconds.
pub(super) const IDLE_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// A session is over after this long in any case, milliseconds.
pub(super) const ABSOLUTE_MS: i64 = 30 * 24 * 60 * 60 * 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organization {
    /// Id and number in event rows.
    pub tenant: Tenant,
    pub name: String,
    pub slug: String,
    /// The plan that its limits come from.
    pub plan: String,
    pub logo: Option<String>,
    /// What its generated picture is drawn from.
    pub avatar_seed: Option<String>,
    /// Which mails its people get; `None` = as usual.
    pub notifications: Option<Notifications>,
    /// The provider that members have to sign in with; `None` = any way.
    pub required_provider: Option<String>,
    pub created_ms: i64,
}

/// A person, as far as others may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub id: UserId,
    /// The address the person signs in with, in lower case.
    pub email: String,
    /// Whether the address is known to be the person's: the operator or an invitation vouches for it, or a mail to it was
    /// answered.
    pub email_verified: bool,
    pub name: String,
    /// The language of the person's emails; `None` = not chosen.
    pub language: Option<Language>,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// When its password was set, Unix milliseconds. Sessions that are older than that have ended.
    pub password_set_ms: i64,
    /// What the person is asked for beside the password.
    pub second_factors: SecondFactors,
    /// Whether a password counts where an organization insists on a provider.
    pub break_glass: bool,
    /// Memberships in live organizations, oldest first.
    pub memberships: Vec<Member>,
}

/// What a person may be asked for beside the password; one of them is enough, or a backup code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SecondFactors {
    /// A code of an authenticator app.
    pub app: bool,
    pub passkey: bool,
}

impl SecondFactors {
    /// Whether the person is asked for anything.
    pub const fn any(self) -> bool {
        self.app || self.passkey
    }
}

impl Person {
    pub fn role_in(&self, organization: &str) -> Option<Role> {
        let own = |member: &&Member| member.organization.as_str() == organization;
        Some(self.memberships.iter().find(own)?.role)
    }

    pub(super) fn leave(&mut self, organization: &OrganizationId) {
        let memberships = &mut self.memberships;
        memberships.retain(|member| member.organization != *organization);
    }
}

/// A person whom a provider has just signed in.
#[derive(Debug, Clone)]
pub struct ProvenIdentity {
    /// The provider's name.
    pub provider: String,
    pub issuer: String,
    pub identity: Identity,
}

/// A person's account at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedIdentity {
    pub id: String,
    /// The provider's name.
    pub provider: String,
    pub created_ms: i64,
    /// When it last opened a session.
    pub last_used_ms: i64,
}

/// A passkey of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    pub id: String,
    pub user: UserId,
    /// What the person calls it.
    pub name: String,
    /// Its authenticator's ID of it, base64url.
    pub credential_id: String,
    /// What checks its uses.
    pub credential: String,
    pub counter: u32,
    /// Whether its authenticator may copy it to other devices.
    pub can_be_synced: bool,
    pub is_backed_up: bool,
    pub created_ms: i64,
    /// When it last opened a session.
    pub last_used_ms: Option<i64>,
}

/// What a passkey has answered. It is good once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub text: String,
    /// When it is over, Unix milliseconds.
    pub until_ms: i64,
}

/// How a person signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInMethod {
    /// With a password, and a code where one is due.
    Password,
    /// At an `OpenID` Connect provider of this name.
    Provider(String),
    /// A trusted proxy said who it is.
    Proxy,
    /// With a passkey alone. One that followed a password belongs to [`Self::Password`].
    Passkey,
}

impl SignInMethod {
    /// The kind of the method on the wire and in storage, and the provider's name.
    pub fn parts(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Password => ("password", None),
            Self::Provider(name) => ("oidc", Some(name)),
            Self::Proxy => ("proxy", None),
            Self::Passkey => ("passkey", None),
        }
    }

    /// As it is stored.
    pub(in crate::actors) fn to_text(&self) -> String {
        match self.parts() {
            (kind, None) => kind.to_owned(),
            (kind, Some(name)) => format!("{kind}:{name}"),
        }
    }

    pub(in crate::actors) fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None if text == "password" => Some(Self::Password),
            None if text == "proxy" => Some(Self::Proxy),
            None if text == "passkey" => Some(Self::Passkey),
            Some(("oidc", name)) => Some(Self::Provider(name.to_owned())),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct LiveSession {
    pub grant: Arc<SessionGrant>,
    pub created_ms: i64,
    /// When it ends at the latest, Unix milliseconds.
    pub expires_ms: i64,
    /// The browser that signed in.
    pub user_agent: Option<String>,
    pub method: SignInMethod,
    /// The provider's ID of its own session, or the passkey that opened it.
    pub(super) provider_session: Option<String>,
    pub(super) digest: Digest,
    pub(super) used: Arc<Use>,
}

/// When a session was used. All versions of the session share it.
#[derive(Debug)]
pub(super) struct Use {
    /// Unix milliseconds of the last use.
    pub(super) last_seen_ms: AtomicI64,
    /// What of it is stored.
    pub(super) written_ms: AtomicI64,
}

impl Use {
    /// Last used, and stored as such, at this time.
    pub(super) fn at(ms: i64) -> Arc<Self> {
        Arc::new(Self {
            last_seen_ms: AtomicI64::new(ms),
            written_ms: AtomicI64::new(ms),
        })
    }

    /// Takes over what another process has stored.
    pub(super) fn catch_up(&self, stored: &Self) {
        let stored_ms = stored.written_ms.load(Ordering::Relaxed);
        self.last_seen_ms.fetch_max(stored_ms, Ordering::Relaxed);
        self.written_ms.fetch_max(stored_ms, Ordering::Relaxed);
    }
}

impl LiveSession {
    /// When it was last used, Unix milliseconds.
    pub fn last_seen_ms(&self) -> i64 {
        self.used.last_seen_ms.load(Ordering::Relaxed)
    }

    /// Whether it is still good at this time.
    pub(super) fn is_alive(&self, now_ms: i64) -> bool {
        now_ms < self.expires_ms && now_ms < self.last_seen_ms() + IDLE_MS
    }

    /// Slides the idle window. Writes at most once a second, because busy sessions would contend for a cache line.
    pub(super) fn touch(&self, now_ms: i64) {
        if now_ms >= self.last_seen_ms() + 1000 {
            self.used.last_seen_ms.fetch_max(now_ms, Ordering::Relaxed);
        }
    }

    /// The same session with these memberships of its person. The organization it works in is kept while it is among them.
    pub(super) fn regranted(
        &self,
        memberships: Vec<Member>,
        active: Option<OrganizationId>,
    ) -> Self {
        let is_member = |active: &OrganizationId| {
            let mut own = memberships.iter();
            own.any(|member| member.organization == *active)
        };
        Self {
            grant: Arc::new(SessionGrant {
                id: self.grant.id.clone(),
                user: self.grant.user.clone(),
                active_organization: active.filter(is_member),
                memberships,
            }),
            ..self.clone()
        }
    }
}

/// What ended with a person's rights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostAccess {
    /// Keys that the person made and that went beyond the role that is left.
    pub keys: Vec<AffectedKey>,
    pub invitations: Vec<InvitationId>,
}

impl LostAccess {
    /// What ended in several organizations.
    pub(super) fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.invitations.extend(other.invitations);
    }

    /// The details of an entry in the audit log, with what ended.
    pub(super) fn details(&self, mut details: Value) -> Value {
        if !self.keys.is_empty() {
            let keys = self.keys.iter();
            let keys = keys.map(|key| json!({ "id": key.id, "outcome": key.outcome.as_str() }));
            details["keys"] = keys.collect();
        }
        if !self.invitations.is_empty() {
            details["canceledInvitations"] = json!(self.invitations);
        }
        details
    }
}
