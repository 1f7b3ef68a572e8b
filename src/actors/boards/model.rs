//! A board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PanelFields;
use crate::{
    access::Principal,
    ids::{BoardId, OrganizationId, UserId},
};

/// What people set of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardFields {
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    #[serde(default)]
    pub description: Option<String>,
    /// The range that it opens with, such as `last_30d`. Default: `last_7d`.
    #[serde(default = "usual_range")]
    pub range: String,
    /// The panels in their order, at most 24.
    #[serde(default)]
    pub panels: Vec<PanelFields>,
}

fn usual_range() -> String {
    "last_7d".to_owned()
}

#[derive(Debug, Clone)]
pub struct Board {
    pub id: BoardId,
    pub organization: OrganizationId,
    pub fields: BoardFields,
    pub created_by: Option<UserId>,
    pub created_ms: i64,
    pub updated_ms: i64,
}

/// A board to create.
#[derive(Debug)]
pub struct NewBoard {
    pub organization: OrganizationId,
    /// Who creates it, and can read what its panels show.
    pub author: Principal,
    pub created_by: Option<UserId>,
    pub fields: BoardFields,
}
