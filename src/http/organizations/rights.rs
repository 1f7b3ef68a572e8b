//! What a person may do in an organization, in the words of the published clients.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::own_organization;
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        routes::Route,
        session_routes::{self, SessionCall},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/has-permission", has_permission).says(
            "Check permissions",
            "Whether your role has all of these permissions: actions by resource, such as `{\"website\": [\"update\"]}`. Unknown \
             permissions are denied.",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RightsBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// Actions by resource.
    #[serde(alias = "permission")]
    permissions: HashMap<String, Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct RightsOut {
    /// Always null.
    error: Option<String>,
    /// Whether the role has all of them.
    success: bool,
}

async fn has_permission(call: SessionCall, body: RightsBody) -> Result<RightsOut, Fault> {
    let (_, role) = own_organization(&call.shared, &call.caller, body.organization_id.as_deref())?;
    let mut asked = body.permissions.iter().flat_map(|(resource, actions)| {
        let actions = actions.iter();
        actions.map(move |action| permission(resource, action))
    });
    let success = asked.all(|permission| permission.is_some_and(|one| role.may(one)));
    Ok(RightsOut {
        error: None,
        success,
    })
}

/// The permission of an action on a resource.
fn permission(resource: &str, action: &str) -> Option<Permission> {
    use Permission as P;
    Some(match (resource, action) {
        ("website", "read" | "view_analytics") => P::WebsiteRead,
        ("website", "configure" | "manage_tracking") => P::WebsiteConfigure,
        ("website", "create" | "update" | "delete" | "transfer") => P::WebsiteManage,
        ("organization", "read") => P::OrganizationRead,
        ("organization", "update" | "manage_logo" | "manage_settings")
        | ("subscription", "read" | "view_usage") => P::OrganizationUpdate,
        ("organization", "delete") => P::OrganizationDelete,
        ("subscription", "update" | "cancel" | "manage_billing") => P::OwnersManage,
        ("invitation", "create" | "cancel") | ("member", "create" | "update" | "delete") => {
            P::MembersManage
        }
        ("member", "read") => P::MembersRead,
        ("apikey", "create" | "read" | "update" | "delete") => P::KeysManage,
        ("link", "read" | "view_analytics") => P::LinkRead,
        ("link", "create" | "update" | "delete") => P::LinkWrite,
        ("flag", "read") => P::FlagRead,
        ("flag", "create" | "update" | "delete") => P::FlagWrite,
        ("monitor", "read") => P::MonitorRead,
        ("monitor", "create" | "update" | "delete") => P::MonitorWrite,
        ("status_page", "read") => P::StatusPageRead,
        ("status_page", "create" | "update" | "delete") => P::StatusPageWrite,
        _ => return None,
    })
}
