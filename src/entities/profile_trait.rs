//! Table `profile_traits`, written by the domain `profiles`.

use sea_orm::entity::prelude::*;

use crate::ids::WebsiteKey;

/// One thing that a website says about a person.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "profile_traits")]
pub struct Model {
    /// The website's number.
    #[sea_orm(primary_key, auto_increment = false)]
    pub website: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub profile_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// The value as JSON.
    pub value: String,
}

impl Entity {
    /// The tenant door: the traits that websites which the caller may read have given.
    pub fn within(websites: &[WebsiteKey]) -> Select<Self> {
        Self::find().filter(
            COLUMN
                .website
                .is_in(websites.iter().map(|website| website.0)),
        )
    }
}
