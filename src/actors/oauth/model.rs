//! What the domain is about.

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::{
    access::Scope,
    actors::{organizations::SignInMethod, text_enum::text_enums},
    ids::{AppId, GrantId, OrganizationId, UserId},
};

/// How long an access token is good, seconds.
pub const ACCESS_TOKEN_S: i64 = 30 * 60;

/// Apps without any access.
pub(super) const MAX_UNUSED: u64 = 1_000;
/// Grants of a person.
pub(super) const MAX_GRANTS: u64 = 100;

/// An app that has registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    pub id: AppId,
    /// As it calls itself, unchecked.
    pub name: String,
    /// Where answers may be sent.
    pub redirect_uris: Vec<String>,
    pub created_ms: i64,
}

/// What an app says of itself. More is ignored.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "OAuthAppMetadata")]
pub struct NewApp {
    /// As people see it, at most 100 characters.
    #[serde(rename = "client_name")]
    pub name: Option<String>,
    /// Where codes are sent: `https`, `http` on the person's own machine, or a scheme of the app's own. 1 to 10.
    #[serde(default)]
    #[schemars(required)]
    pub redirect_uris: Vec<String>,
    /// `authorization_code`, and `refresh_token` if the app likes.
    pub grant_types: Option<Vec<String>>,
    /// `code`.
    pub response_types: Option<Vec<String>>,
}

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Resource {
    /// The MCP endpoint alone.
    Mcp,
    /// All of `{base_url}`, the MCP endpoint included.
    Api,
}

text_enums!(Resource);

impl Resource {
    /// Whether a token for this one is good for the other.
    pub fn covers(self, other: Self) -> bool {
        self == Self::Api || self == other
    }
}

/// What a person allowed an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    pub id: GrantId,
    pub app: AppId,
    pub organization: OrganizationId,
    pub user: UserId,
    /// How the session began in which it was allowed.
    pub method: SignInMethod,
    pub scopes: Vec<Scope>,
    pub resource: Resource,
    pub created_ms: i64,
    pub last_used_ms: Option<i64>,
    /// When it ends unless the app gets new tokens before.
    pub expires_ms: i64,
}

/// Whose grants.
#[derive(Debug, Clone, Copy)]
pub enum GrantsOf<'a> {
    User(&'a UserId),
    Organization(&'a OrganizationId),
}

/// A grant with the name of its app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGrant {
    pub grant: Grant,
    pub app: App,
}

/// What a person is asked to allow. It goes through their browser, sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingConsent {
    /// The session that is asked. Only its answer counts.
    pub session: String,
    pub app: AppId,
    pub redirect_uri: String,
    pub state: Option<String>,
    /// What the app asks for.
    pub scopes: Vec<Scope>,
    pub resource: Resource,
    pub challenge: String,
    pub until_ms: i64,
}

/// A person allows an app something.
#[derive(Debug, Clone)]
pub struct Approval {
    pub app: App,
    pub user: UserId,
    pub organization: OrganizationId,
    pub method: SignInMethod,
    pub scopes: Vec<Scope>,
    pub resource: Resource,
    pub redirect_uri: String,
    pub challenge: String,
}

/// Fresh tokens, which are shown this once.
#[derive(Debug)]
pub struct Tokens {
    pub access: SecretString,
    pub refresh: SecretString,
    pub scopes: Vec<Scope>,
}
