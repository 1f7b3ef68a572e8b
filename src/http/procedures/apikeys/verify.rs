//! `/apikeys/verify`: does this secret open anything?
//!
//! For services that take our keys themselves. The caller must know the secret, so the answer may say what is wrong with
//! the key; secrets that no key has count in the failure budget of the caller's address (threat T14).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, GROUP, wire::ResourceScope};
use crate::{
    access::{Principal, Scope, authorize},
    actors::keys::{KeyRejection, KeyUsed, LiveKey},
    fault::{Fault, Issue},
    http::admission,
};

procedures! { GROUP;
    VERIFY = "verify", acts(Nothing), verify(VerifyBody, check) -> Verified:
        "Check whether a secret is valid, and what it permits";
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerifyBody {
    pub secret: Option<String>,
    /// Where the scopes have to hold: `global`, or `website:<id>`. Anywhere by default.
    pub resource: Option<String>,
    /// Scopes that it has to have.
    pub required_scopes: Option<Vec<Scope>>,
    /// Whether it has to have all of them, or one.
    #[serde(default)]
    pub mode: Mode,
    /// Whether this counts as a use of the key; true by default.
    pub track_usage: Option<bool>,
}

impl VerifyBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        if let Some(name) = &self.resource
            && ResourceScope::parse(name).is_none()
        {
            let wanted = "a resource is `global` or `website:<id>`";
            issues.push(Issue::new("invalid_value", "resource", wanted));
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Any,
    All,
}

/// Whether a secret is good, and if not, why.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyVerification")]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// The key's organization, or who made a key without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<String>,
    /// What the key may do there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// `MISSING_KEY`, `INVALID_KEY`, `DISABLED`, `REVOKED`, `EXPIRED` or `MISSING_SCOPES`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
    /// Required scopes that the key has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<Vec<Scope>>,
    /// Required scopes that it does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<Scope>>,
}

impl Verified {
    fn refused(error_code: &'static str, error: &'static str) -> Self {
        Self {
            error: Some(error),
            error_code: Some(error_code),
            ..Self::default()
        }
    }
}

pub(super) async fn verify(call: Call, body: VerifyBody) -> Result<Verified, Fault> {
    if matches!(call.caller, Principal::Key(_)) {
        return Err(authorize::no_keys());
    }
    let Some(secret) = body
        .secret
        .as_deref()
        .map(str::trim)
        .filter(|it| !it.is_empty())
    else {
        return Ok(Verified::refused("MISSING_KEY", "No API key was given"));
    };
    let now = call.shared.clock.now_ms();
    let key = match call.shared.keys.view().authenticate(secret, now) {
        Ok(key) => key,
        Err(KeyRejection::Unknown) => {
            admission::admit_guess(&call.shared, call.address).await?;
            return Ok(Verified::refused("INVALID_KEY", "The API key is invalid"));
        }
        Err(KeyRejection::Disabled) => {
            return Ok(Verified::refused("DISABLED", "The API key is switched off"));
        }
        Err(KeyRejection::Revoked) => {
            return Ok(Verified::refused("REVOKED", "The API key has been revoked"));
        }
        Err(KeyRejection::Expired) => {
            return Ok(Verified::refused("EXPIRED", "The API key has expired"));
        }
    };
    let organizations = call.shared.organizations.view();
    if key
        .organization()
        .is_some_and(|id| !organizations.is_live(id))
    {
        return Ok(Verified::refused("INVALID_KEY", "The API key is invalid"));
    }
    if body.track_usage.unwrap_or(true) && key.use_is_due(now) {
        let id = key.id().clone();
        // A dropped mark only makes the time of the last use older.
        let _ = call.shared.keys.tell(KeyUsed { id, at_ms: now });
    }
    Ok(judge(&key, &body))
}

fn judge(key: &LiveKey, body: &VerifyBody) -> Verified {
    let scopes = scopes_at(key, body.resource.as_deref());
    let wanted = body.required_scopes.as_deref().unwrap_or_default();
    let (matched, missing): (Vec<Scope>, Vec<Scope>) =
        wanted.iter().partition(|scope| scopes.contains(scope));
    let enough = match body.mode {
        Mode::Any => wanted.is_empty() || !matched.is_empty(),
        Mode::All => missing.is_empty(),
    };
    if !enough {
        return Verified {
            scopes: Some(scopes),
            matched: Some(matched),
            missing: Some(missing),
            ..Verified::refused("MISSING_SCOPES", "The API key lacks required scopes")
        };
    }
    let owner = key.organization().map(ToString::to_string);
    Verified {
        valid: true,
        key_id: Some(key.id().to_string()),
        owner_id: owner.or_else(|| key.created_by.as_ref().map(ToString::to_string)),
        scopes: Some(scopes),
        ..Verified::default()
    }
}

/// What the key may do with a resource, or anywhere at all.
fn scopes_at(key: &LiveKey, name: Option<&str>) -> Vec<Scope> {
    let grant = &key.grant;
    let place = name.and_then(ResourceScope::parse);
    let holds = |scope: &Scope| match &place {
        None => grant.holds_anywhere(*scope),
        Some(ResourceScope::Everywhere) => grant.holds(*scope),
        Some(ResourceScope::Website(website)) => grant.holds_for(*scope, website),
    };
    Scope::ALL.into_iter().filter(holds).collect()
}
