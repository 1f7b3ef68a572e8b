//! Domains and providers of an organization on the wire.

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    access::Role,
    actors::organizations::{
        DomainOutcome, GroupRole, MISSING_MS, SsoDomain, SsoProvider, SsoProviderFields,
    },
    clock::iso_ms,
    http::{Shared, people::oidc::return_address, procedures::fields::Fields},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoDomainCreate")]
#[serde(rename_all = "camelCase")]
pub struct DomainBody {
    /// By default the session's active organization.
    pub organization_id: Option<String>,
    /// Such as `example.com`. Addresses below it, such as `eu.example.com`, are domains of their own.
    pub domain: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoDomainId")]
pub struct DomainIdBody {
    /// The domain's ID.
    pub id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoProviderId")]
pub struct ProviderIdBody {
    /// The provider's ID.
    pub id: String,
}

/// A domain of an organization.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SsoDomain")]
#[serde(rename_all = "camelCase")]
pub struct DomainOut {
    pub id: String,
    pub domain: String,
    pub verified: bool,
    /// The name of the TXT record.
    pub record_name: String,
    /// What the TXT record has to hold.
    pub record_text: String,
    /// What the last check found: `found`, `missing`, or `unknown` if the name servers gave no answer; null = not checked.
    pub outcome: Option<&'static str>,
    /// The TXT records that were there instead of a missing one.
    pub found_records: Vec<String>,
    /// Why there was no answer.
    pub problem: Option<String>,
    pub checked_at: Option<String>,
    /// When a verified domain is lost unless the record is found before.
    pub lost_at: Option<String>,
}

impl From<SsoDomain> for DomainOut {
    fn from(domain: SsoDomain) -> Self {
        let missing_ms = domain.missing_since_ms.filter(|_| domain.is_verified);
        let (record_name, record_text) = (domain.record_name(), domain.record_text());
        let (outcome, found_records, problem) = match domain.outcome {
            None => (None, Vec::new(), None),
            Some(DomainOutcome::Found) => (Some("found"), Vec::new(), None),
            Some(DomainOutcome::Missing(texts)) => (Some("missing"), texts, None),
            Some(DomainOutcome::Unknown(why)) => (Some("unknown"), Vec::new(), Some(why)),
        };
        Self {
            id: domain.id.into(),
            domain: domain.name,
            verified: domain.is_verified,
            record_name,
            record_text,
            outcome,
            found_records,
            problem,
            checked_at: domain.checked_ms.map(iso_ms),
            lost_at: missing_ms.map(|since_ms| iso_ms(since_ms + MISSING_MS)),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoProviderCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateProviderBody {
    /// By default the session's active organization.
    pub organization_id: Option<String>,
    #[serde(flatten)]
    pub provider: Fields<ProviderBody>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoProviderUpdate")]
pub struct UpdateProviderBody {
    pub id: String,
    /// What is not named gets its default; only the client secret stays.
    #[serde(flatten)]
    pub provider: Fields<ProviderBody>,
}

fn read_secret<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SecretString>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    Ok(text.map(SecretString::from))
}

fn usual_scopes() -> String {
    "openid email profile".to_owned()
}

fn usual_claim() -> String {
    "groups".to_owned()
}

const fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "SsoProviderFields")]
#[serde(rename_all = "camelCase")]
pub struct ProviderBody {
    /// What people call it, 1 to 100 characters.
    pub label: String,
    /// The provider's issuer, exactly as its description writes it.
    pub issuer: String,
    pub client_id: String,
    /// Never shown again. Empty for a client without one; left out = it stays.
    #[serde(default, deserialize_with = "read_secret")]
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<SecretString>,
    /// Separated by spaces.
    #[serde(default = "usual_scopes")]
    pub scopes: String,
    /// The claim with groups. Dots lead into objects.
    #[serde(default = "usual_claim")]
    pub groups_claim: String,
    /// The roles that groups give in the organization.
    #[serde(default)]
    pub roles: Vec<GroupRoleBody>,
    /// The role of people who join at their first sign-in; null = only members and invited people come in.
    #[schemars(with = "Option<String>")]
    pub join_role: Option<Role>,
    /// Whether it signs people in.
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// A group and the role that it gives.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SsoGroupRole")]
pub struct GroupRoleBody {
    pub group: String,
    /// `viewer`, `member`, `admin` or `owner`.
    #[schemars(with = "String")]
    pub role: Role,
}

impl ProviderBody {
    /// What is stored, and the secret.
    pub(super) fn split(self) -> (SsoProviderFields, Option<SecretString>) {
        let roles = self.roles.into_iter();
        let roles = roles.map(|GroupRoleBody { group, role }| GroupRole { group, role });
        let fields = SsoProviderFields {
            label: self.label,
            issuer: self.issuer,
            client_id: self.client_id,
            scopes: self.scopes,
            groups_claim: self.groups_claim,
            roles: roles.collect(),
            join_role: self.join_role,
            is_enabled: self.enabled,
        };
        (fields, self.client_secret)
    }
}

/// A provider of an organization, without its client secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SsoProvider")]
#[serde(rename_all = "camelCase")]
pub struct ProviderOut {
    /// Also its name in addresses and in `require-provider`.
    pub id: String,
    pub label: String,
    pub issuer: String,
    pub client_id: String,
    pub has_client_secret: bool,
    pub scopes: String,
    pub groups_claim: String,
    pub roles: Vec<GroupRoleBody>,
    pub join_role: Option<&'static str>,
    pub enabled: bool,
    /// The address to enter at the provider.
    pub redirect_uri: String,
    pub created_at: String,
    pub updated_at: String,
}

impl ProviderOut {
    pub(super) fn new(shared: &Shared, provider: SsoProvider) -> Self {
        let has_client_secret = provider.has_secret();
        let SsoProvider { id, fields, .. } = provider;
        let roles = fields.roles.into_iter();
        let roles = roles.map(|GroupRole { group, role }| GroupRoleBody { group, role });
        Self {
            redirect_uri: return_address(shared, &id),
            id,
            label: fields.label,
            issuer: fields.issuer,
            client_id: fields.client_id,
            has_client_secret,
            scopes: fields.scopes,
            groups_claim: fields.groups_claim,
            roles: roles.collect(),
            join_role: fields.join_role.map(Role::as_str),
            enabled: fields.is_enabled,
            created_at: iso_ms(provider.created_ms),
            updated_at: iso_ms(provider.updated_ms),
        }
    }
}

/// What a test of a provider found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SsoProviderTest")]
pub struct TestOut {
    pub success: bool,
    /// What went wrong, and what to do.
    pub problem: Option<String>,
}
