//! What is decided about a provider.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::RoleRule;

/// A provider and what its word is worth here.
#[derive(Debug, Clone)]
pub struct ProviderOptions {
    /// Its name in addresses.
    pub name: String,
    /// What its tokens and its description have to name, character by character.
    pub issuer: String,
    pub client_id: String,
    /// Empty for a client without a secret.
    pub client_secret: SecretString,
    /// Separated by spaces.
    pub scopes: String,
    /// The claim with a person's groups; dots lead into objects.
    pub groups_claim: String,
    /// Which groups give which role.
    pub roles: Vec<RoleRule>,
    /// Who gets an account at the first sign-in.
    pub create_accounts: CreateAccounts,
    /// Domains whose verified addresses the provider vouches for.
    pub email_domains: Vec<String>,
}

/// Who gets an account at the first sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CreateAccounts {
    /// Only people who have linked their account before.
    Never,
    /// People with an open invitation for their verified address.
    Invited,
    /// People with a verified address of `email_domains`.
    VerifiedEmail,
}

/// The names of providers that organizations added begin with it. Those of the configuration have no `_` in them.
pub const SSO_PREFIX: &str = "sso_";

/// Whether a provider is one that an organization added.
pub fn is_sso_provider(name: &str) -> bool {
    name.starts_with(SSO_PREFIX)
}

/// What people call a provider, from its name: `Google` for `google`. Those of organizations share one.
pub fn label(name: &str) -> String {
    let known = [
        ("github", "GitHub"),
        ("gitlab", "GitLab"),
        ("entra", "Microsoft"),
        ("azure", "Microsoft"),
    ];
    if is_sso_provider(name) {
        return "single sign-on".to_owned();
    }
    if let Some((_, label)) = known.iter().find(|(known, _)| *known == name) {
        return (*label).to_owned();
    }
    let words = name.split(['-', '_']).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    words.map(capital).collect::<Vec<_>>().join(" ")
}

/// Whether an address is in one of these domains.
pub fn trusts(domains: &[String], email: &str) -> bool {
    let domain = email.rsplit_once('@').map(|(_, domain)| domain);
    domain.is_some_and(|domain| {
        let same = |own: &String| own.eq_ignore_ascii_case(domain);
        domains.iter().any(same)
    })
}
