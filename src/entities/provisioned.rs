//! Table `provisioned`, written by `actors::provisioned`.

use sea_orm::entity::prelude::*;

/// Something that was made because a file declares it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "provisioned")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: String,
    /// What kind of thing, as files call it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// What its declaration is called.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Its id; absent while it is being made.
    #[sea_orm(nullable)]
    pub resource_id: Option<String>,
    /// Prints of what was declared, by field, as JSON.
    pub declared: String,
    /// Prints of what it was like afterwards, by field, as JSON; absent while it is being changed.
    #[sea_orm(nullable)]
    pub applied: Option<String>,
    /// When that was.
    pub applied_at: DateTimeUtc,
}
