//! Table `sso_providers`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

/// A provider that an organization added.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_providers")]
pub struct Model {
    /// Also its name in addresses, links and sessions.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub label: String,
    pub issuer: String,
    pub client_id: String,
    /// Sealed with a key of the installation; null = the client has none.
    pub sealed_secret: Option<Vec<u8>>,
    pub scopes: String,
    pub groups_claim: String,
    /// Which group gives which role, as JSON.
    pub roles: String,
    /// The role of people who join at their first sign-in; null = they don't join.
    pub join_role: Option<String>,
    pub is_enabled: bool,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
