//! How people sign in beside passwords.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{config::Secret, oidc::CreateAccounts};

/// `[auth]`: providers and proxies that vouch for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// Whether people may connect apps, which register themselves.
    pub apps: bool,
    /// `OpenID` Connect providers, in the order of their buttons.
    pub oidc: Vec<Oidc>,
    /// Header in which a trusted proxy says who the person is; empty = none.
    pub proxy_header: String,
    /// Where the keys are that the header's value is signed with; empty = it is an email address.
    pub proxy_jwks_url: String,
    /// The audience that the signed value has to name.
    pub proxy_audience: String,
}

/// `[[auth.oidc]]`: an `OpenID` Connect provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    /// Its name in addresses: lower-case letters, digits and hyphens.
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    /// Empty = a client without a secret.
    #[serde(default = "no_secret")]
    pub client_secret: Secret,
    /// Separated by spaces.
    #[serde(default = "usual_scopes")]
    pub scopes: String,
    /// The claim with the person's groups; dots lead into objects.
    #[serde(default = "usual_groups_claim")]
    pub groups_claim: String,
    /// `organization-id:role` by group.
    #[serde(default)]
    pub roles: BTreeMap<String, String>,
    /// Who gets an account at the first sign-in.
    #[serde(default = "never")]
    pub create_accounts: CreateAccounts,
    /// Domains whose verified addresses the provider vouches for.
    #[serde(default)]
    pub email_domains: Vec<String>,
}

fn no_secret() -> Secret {
    String::new().into()
}

fn usual_scopes() -> String {
    "openid email profile".to_owned()
}

fn usual_groups_claim() -> String {
    "groups".to_owned()
}

const fn never() -> CreateAccounts {
    CreateAccounts::Never
}
