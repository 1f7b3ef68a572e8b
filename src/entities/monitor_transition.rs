//! Table `monitor_transitions`, written by the domain `monitors`: when a monitor came to stand otherwise.

use sea_orm::entity::prelude::*;

/// A change of how a monitor stands, as stored.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_transitions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub monitor_id: String,
    pub at: DateTimeUtc,
    /// How it stood.
    pub from_state: String,
    /// How it stands.
    pub to_state: String,
    /// The class of what is wrong.
    pub error_class: Option<String>,
    /// What is wrong.
    pub error: Option<String>,
    /// The monitor that it depends on and that was down, because of which nobody was told.
    pub because_of: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
