//! Table `flag_changes`, written by the domain `flags`.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "flag_changes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: String,
    pub flag_id: String,
    /// What happened to it.
    pub kind: String,
    /// Who did it, as JSON.
    pub actor: String,
    /// What it was, as JSON.
    pub before: Option<String>,
    /// What it became, as JSON.
    pub after: Option<String>,
    pub at: DateTimeUtc,
}
