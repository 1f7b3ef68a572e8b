//! Table `organizations`, written by the domain `organizations`.

use sea_orm::{QuerySelect, entity::prelude::*};

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organizations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its number in event rows: random, positive, never reused.
    #[sea_orm(unique)]
    pub key: i64,
    pub name: String,
    /// Its name in URLs.
    #[sea_orm(unique)]
    pub slug: String,
    /// The plan that its limits come from.
    pub plan: String,
    /// Address of its picture.
    pub logo: Option<String>,
    /// What its generated picture is drawn from.
    pub avatar_seed: Option<String>,
    /// Which mails its people get, as JSON; `None` = as usual.
    pub notifications: Option<String>,
    /// The provider that members have to sign in with; null = any way.
    pub required_provider: Option<String>,
    pub created_at: DateTimeUtc,
    /// When it was deleted; its rows are erased later.
    pub deleted_at: Option<DateTimeUtc>,
}

impl Entity {
    /// Locks an organization's row until the transaction ends. Transactions that count what it has before they add to it
    /// then run one at a time.
    pub async fn lock(db: &impl ConnectionTrait, id: &OrganizationId) -> Result<(), DbErr> {
        let row = Self::find_by_id(id.as_str())
            .lock_exclusive()
            .one(db)
            .await?;
        drop(row);
        Ok(())
    }
}
