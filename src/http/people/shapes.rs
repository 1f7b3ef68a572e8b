//! How sessions and people are written.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    actors::{
        keys::AffectedKey,
        organizations::{LiveSession, LostAccess, Person, SignedIn},
    },
    clock::iso_ms,
};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct SessionOut {
    id: String,
    /// The id again: what revoking takes. It is not the value of the cookie, which is never shown.
    token: String,
    user_id: String,
    /// When it ends at the latest; unused for 7 days it ends earlier.
    expires_at: String,
    created_at: String,
    /// When it was last used.
    updated_at: String,
    /// The browser that signed in.
    user_agent: Option<String>,
    /// Always null: addresses are not kept.
    ip_address: Option<String>,
    /// The organization the person works in.
    active_organization_id: Option<String>,
    /// How the person signed in: `password`, `oidc`, `proxy` or `passkey`.
    method: &'static str,
    /// The provider's name, where `method` is `oidc`.
    provider: Option<String>,
}

impl From<&LiveSession> for SessionOut {
    fn from(session: &LiveSession) -> Self {
        let grant = &session.grant;
        let (method, provider) = session.method.parts();
        Self {
            id: grant.id.to_string(),
            token: grant.id.to_string(),
            user_id: grant.user.to_string(),
            expires_at: iso_ms(session.expires_ms),
            created_at: iso_ms(session.created_ms),
            updated_at: iso_ms(session.last_seen_ms()),
            user_agent: session.user_agent.clone(),
            ip_address: None,
            active_organization_id: grant.active_organization.as_ref().map(ToString::to_string),
            method,
            provider: provider.map(str::to_owned),
        }
    }
}

/// A person, as they see themselves.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct UserOut {
    id: String,
    email: String,
    /// Whether the address is known to be the person's.
    email_verified: bool,
    name: String,
    image: Option<String>,
    /// Whether the person is asked for a code or a passkey beside the password.
    two_factor_enabled: bool,
    created_at: String,
    updated_at: String,
}

impl From<&Person> for UserOut {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id.to_string(),
            email: person.email.clone(),
            email_verified: person.email_verified,
            name: person.name.clone(),
            image: None,
            two_factor_enabled: person.second_factors.any(),
            created_at: iso_ms(person.created_ms),
            updated_at: iso_ms(person.updated_ms),
        }
    }
}

/// A session and its person.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct WhoOut {
    pub(in crate::http) session: SessionOut,
    pub(in crate::http) user: UserOut,
}

/// What signing in answers; the session itself is in the cookie.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct SignedInOut {
    /// Always false: there is no other page to go to.
    redirect: bool,
    /// The session's id.
    token: String,
    session: SessionOut,
    user: UserOut,
}

impl From<&SignedIn> for SignedInOut {
    fn from(signed_in: &SignedIn) -> Self {
        Self {
            redirect: false,
            token: signed_in.session.grant.id.to_string(),
            session: (&*signed_in.session).into(),
            user: (&*signed_in.person).into(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct StatusOut {
    status: bool,
}

impl StatusOut {
    pub(in crate::http) const DONE: Self = Self { status: true };
}

#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct SuccessOut {
    pub(in crate::http) success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::http) message: Option<&'static str>,
}

/// An account is deleted.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct DeletedOut {
    /// Always true.
    pub(in crate::http) success: bool,
    pub(in crate::http) message: &'static str,
    #[serde(flatten)]
    pub(in crate::http) lost: LostAccessOut,
}

/// What ended with the rights that a person lost.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct LostAccessOut {
    /// API keys that the person made and that went beyond the role that is left.
    keys: Vec<AffectedKeyOut>,
    /// Ids of open invitations that the person made and that were canceled.
    canceled_invitations: Vec<String>,
}

/// An API key whose maker lost rights.
#[derive(Debug, Serialize, JsonSchema)]
struct AffectedKeyOut {
    id: String,
    name: String,
    /// The first characters of its secret.
    start: String,
    /// `ended`, `narrowed` to what the role allows, or `kept` by an owner.
    outcome: &'static str,
}

impl From<LostAccess> for LostAccessOut {
    fn from(lost: LostAccess) -> Self {
        let key = |key: AffectedKey| AffectedKeyOut {
            id: key.id.into(),
            name: key.name,
            start: key.start,
            outcome: key.outcome.as_str(),
        };
        Self {
            keys: lost.keys.into_iter().map(key).collect(),
            canceled_invitations: lost.invitations.into_iter().map(String::from).collect(),
        }
    }
}
