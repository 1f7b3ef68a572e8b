//! Table `former_hosts`, written by the domain `hosts`.

use sea_orm::entity::prelude::*;

/// Who was the last to have a host that was removed. Its DNS may lead here for long.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "former_hosts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub organization_id: String,
    pub removed_at: DateTimeUtc,
}
