//! Keys as they are asked for and shown.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use crate::{
    access::Scope,
    actors::{
        change::Change,
        keys::{
            CreateKey, KeyChange, KeyKind, KeyQuota, LiveKey, NewSecret, QuotaChange, Resources,
            secret,
        },
    },
    clock::iso_ms,
    fault::Issue,
    http::procedures::fields::{self, Moment},
    ids::WebsiteId,
    store::limits::Limits,
};

/// What a key without a word about its scopes may do.
const USUAL: [Scope; 1] = [Scope::ReadData];
/// How a website is named among the resources.
const WEBSITE: &str = "website:";

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKeyList")]
#[serde(rename_all = "camelCase")]
pub struct ListBody {
    /// The organization. Without it the session's active one is meant, and the caller's own keys without an organization
    /// are listed too.
    pub organization_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKeyCreate")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateBody {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// The owner; a key without one can be made and does nothing.
    pub organization_id: Option<String>,
    /// What uses it: `user` unless said otherwise.
    #[serde(rename = "type")]
    pub kind: Option<KeyKind>,
    /// What it may do, wherever it has access; by default `read:data`, and nothing when `resources` are given. At most what
    /// the caller's own role may do.
    pub scopes: Option<Vec<Scope>>,
    /// Where: `{"global": […]}` for all websites of the organization, `{"website:<id>": […]}` for single ones, with scopes
    /// that hold there beside `scopes`. Without it `scopes` hold everywhere.
    pub resources: Option<ResourcesBody>,
    /// At most 10, each of 1 to 50 characters.
    pub tags: Option<Vec<String>>,
    /// When it stops working; never by default.
    pub expires_at: Option<Moment>,
    /// A quota of its own.
    pub rate_limit: Option<RateLimitBody>,
}

impl CreateBody {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        fields::text(issues, "name", &self.name, 1..=100);
        check(issues, self.resources.as_ref(), self.rate_limit.as_ref());
    }

    /// The key that is wanted; owner and maker are still to be said.
    pub(super) fn draft(self) -> CreateKey {
        let scopes = match (self.scopes, &self.resources) {
            (Some(scopes), _) => scopes,
            (None, Some(_)) => Vec::new(),
            (None, None) => USUAL.to_vec(),
        };
        let limited = self.rate_limit.is_some();
        let quota = self.rate_limit.unwrap_or_default();
        CreateKey {
            description: self.description,
            kind: self.kind.unwrap_or(KeyKind::User),
            scopes,
            resources: self.resources.map(Into::into),
            tags: self.tags.unwrap_or_default(),
            quota: KeyQuota {
                enabled: quota.enabled.unwrap_or(limited),
                max: quota.max.unwrap_or(0),
                window_seconds: quota.window.unwrap_or(0),
            },
            expires_ms: self.expires_at.map(|at| at.0),
            ..CreateKey::named(self.name)
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKeyUpdate")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateBody {
    pub id: String,
    /// 1 to 100 characters.
    pub name: Option<String>,
    /// At most 500 characters; null takes it away.
    #[serde(default)]
    pub description: Change<String>,
    /// What uses it.
    #[serde(rename = "type")]
    pub kind: Option<KeyKind>,
    /// What it may do.
    pub scopes: Option<Vec<Scope>>,
    /// Where; null: wherever the organization is.
    #[serde(default)]
    pub resources: Change<ResourcesBody>,
    /// At most 10, each of 1 to 50 characters.
    pub tags: Option<Vec<String>>,
    /// When it stops working; null: never.
    #[serde(default)]
    pub expires_at: Change<Moment>,
    /// What changes of its own quota.
    pub rate_limit: Option<RateLimitBody>,
    /// Whether it is switched on.
    pub enabled: Option<bool>,
}

impl UpdateBody {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        if let Some(name) = &self.name {
            fields::text(issues, "name", name, 1..=100);
        }
        check(issues, self.resources.set(), self.rate_limit.as_ref());
    }
}

impl From<UpdateBody> for KeyChange {
    fn from(body: UpdateBody) -> Self {
        let quota = body.rate_limit.unwrap_or_default();
        Self {
            name: body.name,
            description: body.description,
            kind: body.kind,
            scopes: body.scopes,
            resources: body.resources.map(Into::into),
            tags: body.tags,
            quota: QuotaChange {
                enabled: quota.enabled,
                max: quota.max,
                window_seconds: quota.window,
            },
            expires_ms: body.expires_at.map(|at| at.0),
            enabled: body.enabled,
        }
    }
}

fn check(
    issues: &mut Vec<Issue>,
    resources: Option<&ResourcesBody>,
    rate_limit: Option<&RateLimitBody>,
) {
    for name in resources.iter().flat_map(|given| given.0.keys()) {
        if ResourceScope::parse(name).is_none() {
            let wanted = "a resource is `global` or `website:<id>`";
            issues.push(Issue::new(
                "invalid_key",
                format!("resources.{name}"),
                wanted,
            ));
        }
    }
    let numbers = rate_limit.map(|limit| [("max", limit.max), ("window", limit.window)]);
    for (name, number) in numbers.into_iter().flatten() {
        if number == Some(0) {
            let field = format!("rateLimit.{name}");
            issues.push(Issue::new("too_small", field, "must be 1 or more"));
        }
    }
}

/// Scopes by resource: `global`, or `website:<id>`.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyResources")]
pub struct ResourcesBody(pub BTreeMap<String, Vec<Scope>>);

/// Where scopes of a key hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResourceScope {
    /// All websites of the organization, and the organization itself.
    Everywhere,
    /// One website.
    Website(WebsiteId),
}

impl ResourceScope {
    /// Reads `global` or `website:<id>`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        if name == "global" {
            return Some(Self::Everywhere);
        }
        let website = name.strip_prefix(WEBSITE).filter(|id| !id.is_empty());
        website.map(|id| Self::Website(id.into()))
    }
}

impl From<ResourcesBody> for Resources {
    fn from(body: ResourcesBody) -> Self {
        let mut resources = Self::default();
        for (name, scopes) in body.0 {
            match ResourceScope::parse(&name) {
                Some(ResourceScope::Website(website)) => {
                    resources.websites.insert(website, scopes);
                }
                Some(ResourceScope::Everywhere) => resources.global = scopes,
                // Refused by `check`.
                None => {}
            }
        }
        resources
    }
}

impl From<&Resources> for ResourcesBody {
    fn from(resources: &Resources) -> Self {
        let global = Some(("global".to_owned(), resources.global.clone()));
        let global = global.filter(|(_, scopes)| !scopes.is_empty());
        let websites = resources.websites.iter();
        let websites = websites.map(|(id, scopes)| (format!("{WEBSITE}{id}"), scopes.clone()));
        Self(global.into_iter().chain(websites).collect())
    }
}

/// A key's own quota, in addition to the limits of the endpoints.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "ApiKeyRateLimitChange")]
#[serde(deny_unknown_fields)]
pub struct RateLimitBody {
    /// Whether it counts; true for a new key when the object is there.
    pub enabled: Option<bool>,
    /// Requests in any window, 1 to 1,000,000; as many as the installation says (300) by default.
    pub max: Option<u32>,
    /// The window's length in seconds, 1 to 86,400; 60 by default.
    pub window: Option<u32>,
}

/// An API key without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
#[serde(rename_all = "camelCase")]
pub struct KeyOut {
    pub id: String,
    pub name: String,
    /// The text that every secret begins with: `svc_`.
    pub prefix: &'static str,
    /// The secret's first eight characters.
    pub start: String,
    #[serde(rename = "type")]
    pub kind: KeyKind,
    pub enabled: bool,
    pub scopes: Vec<Scope>,
    pub tags: Vec<String>,
    pub organization_id: Option<String>,
    pub expires_at: Option<String>,
    pub revoked_at: Option<String>,
    /// Within five minutes.
    pub last_used_at: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl From<&LiveKey> for KeyOut {
    fn from(key: &LiveKey) -> Self {
        Self {
            id: key.id().to_string(),
            name: key.name.clone(),
            prefix: secret::PREFIX,
            start: key.start.clone(),
            kind: key.kind,
            enabled: key.enabled,
            scopes: key.scopes.clone(),
            tags: key.tags.clone(),
            organization_id: key.organization().map(ToString::to_string),
            expires_at: key.expires_ms.map(iso_ms),
            revoked_at: key.revoked_ms.map(iso_ms),
            last_used_at: key.last_used_ms().map(iso_ms),
            created_at: iso_ms(key.created_ms),
            updated_at: iso_ms(key.updated_ms),
        }
    }
}

/// An API key with everything that is known of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyDetails")]
#[serde(rename_all = "camelCase")]
pub struct KeyDetails {
    #[serde(flatten)]
    pub key: KeyOut,
    pub description: Option<String>,
    /// Where its scopes hold; null: everywhere in the organization.
    pub resources: Option<ResourcesBody>,
    pub rate_limit: RateLimitOut,
    /// The person whose key it is: who made it, or rotated it last. Null when an owner kept it after that person lost rights.
    pub created_by: Option<String>,
}

/// A key's own quota, with the numbers that count now.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiKeyRateLimit")]
pub struct RateLimitOut {
    pub enabled: bool,
    /// Requests in any window.
    pub max: u32,
    /// The window's length in seconds.
    pub window: u32,
}

impl KeyDetails {
    pub(super) fn new(key: &LiveKey, limits: &Limits) -> Self {
        let (max, window) = limits.quota(key.rate_limit.max, key.rate_limit.window_seconds);
        Self {
            key: KeyOut::from(key),
            description: key.description.clone(),
            resources: key.resources.as_ref().map(Into::into),
            rate_limit: RateLimitOut {
                enabled: key.rate_limit.enabled,
                max,
                window,
            },
            created_by: key.created_by.as_ref().map(ToString::to_string),
        }
    }
}

/// A secret, shown this once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKeySecret")]
pub struct SecretOut {
    pub id: String,
    /// The whole secret. It cannot be found out later.
    pub secret: String,
    /// The text that every secret begins with: `svc_`.
    pub prefix: &'static str,
    /// Its first eight characters.
    pub start: String,
}

impl From<NewSecret> for SecretOut {
    fn from(new: NewSecret) -> Self {
        Self {
            id: new.key.id().to_string(),
            secret: new.secret.expose_secret().to_owned(),
            prefix: secret::PREFIX,
            start: new.key.start.clone(),
        }
    }
}

/// The key at its end.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RevokedApiKey")]
pub struct Revoked {
    pub success: bool,
    #[serde(flatten)]
    pub key: KeyOut,
}

impl From<KeyOut> for Revoked {
    fn from(key: KeyOut) -> Self {
        Self { success: true, key }
    }
}
