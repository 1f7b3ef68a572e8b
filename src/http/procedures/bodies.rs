//! Inputs that many procedures take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
pub struct EmptyBody {}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub struct IdBody {
    pub id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebsiteIdBody {
    pub website_id: String,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationBody {
    /// The organization; by default the key's, or the session's active one.
    pub organization_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationIdBody {
    pub organization_id: String,
}
