//! Table `links`, written by the domain `links`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its number in event rows: random, positive, never reused.
    #[sea_orm(unique)]
    pub key: i64,
    pub organization_id: String,
    pub created_by: Option<String>,
    pub folder_id: Option<String>,
    /// The organization's host that it is on; `None` = the usual one.
    pub host_id: Option<String>,
    /// Its path on the usual host, or `//<host id>/<path>` on another one; unique.
    #[sea_orm(unique)]
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// Where it leads, in canonical form.
    pub target_url: String,
    /// Host of the target, or what the maker says instead.
    pub target_domain: Option<String>,
    /// Kind of what it was made for.
    pub source_type: Option<String>,
    /// Id of what it was made for.
    pub source_id: Option<String>,
    /// Owner of what it was made for.
    pub source_owner_id: Option<String>,
    /// The maker's own id for it.
    pub external_id: Option<String>,
    /// The app that it opens.
    pub deep_link_app: Option<String>,
    pub watches_target: bool,
    pub expires_at: Option<DateTimeUtc>,
    /// Everything that no query filters by, as JSON.
    pub details: String,
    /// Words to find it by, in lower case, with a line break before and after each.
    pub tags: Option<String>,
    /// The password that visitors have to know, as an Argon2id hash.
    pub password_hash: Option<String>,
    /// What redirects need, packed.
    pub record: Vec<u8>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}
