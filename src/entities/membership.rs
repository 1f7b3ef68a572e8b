//! Table `memberships`, written by the domain `organizations`.

use sea_orm::entity::prelude::*;

use crate::ids::{OrganizationId, UserId};

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "memberships")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: String,
    /// `owner`, `admin`, `member` or `viewer`.
    pub role: String,
    /// The provider whose groups gave the role; null = a person did.
    pub provider: Option<String>,
    pub created_at: DateTimeUtc,
}

impl Entity {
    /// The stored role of a person in an organization, if they are a member.
    pub async fn find_role(
        db: &impl ConnectionTrait,
        organization: &OrganizationId,
        user: &UserId,
    ) -> Result<Option<String>, DbErr> {
        let row = Self::within(organization)
            .filter(COLUMN.user_id.eq(user.as_str()))
            .one(db)
            .await?;
        Ok(row.map(|row| row.role))
    }
}
