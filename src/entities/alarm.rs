//! Table `alarms`, written by the domain `alarms`.

use sea_orm::entity::prelude::*;

/// An alarm as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "alarms")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    /// The website that it is about.
    pub website_id: Option<String>,
    /// The person who made it.
    pub created_by: Option<String>,
    /// Everything that people say of it, as JSON.
    pub fields: String,
    /// Whether it is on.
    pub enabled: bool,
    pub created_at: DateTimeUtc,
    /// When it was last changed.
    pub updated_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
