//! Table `profiles`, written by the domain `profiles`.

use sea_orm::entity::prelude::*;

use crate::ids::WebsiteKey;

/// A person that a website identified.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "profiles")]
pub struct Model {
    /// The website's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub website: i64,
    /// The website's own id of the person, as event rows carry it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub profile_id: String,
    /// The address of the person, sealed.
    pub email: Option<Vec<u8>>,
    /// Keyed hash of the address, by which it can be found.
    #[sea_orm(nullable)]
    pub email_hash: Option<String>,
    /// When the person was first identified.
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

impl Entity {
    /// The tenant door: the people of websites that the caller may read.
    pub fn within(websites: &[WebsiteKey]) -> Select<Self> {
        Self::find().filter(
            COLUMN
                .website
                .is_in(websites.iter().map(|website| website.0)),
        )
    }
}
