//! `/apps/*`: the apps that an organization's members have connected.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::OrganizationBody, require_session, success::Success};
use crate::{
    access::{Permission, Scope},
    actors::oauth::{GrantsOf, ListedGrant, Resource},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group::new("apps", "Organizations");

procedures! { GROUP;
    LIST = "list", reads(KeysManage), list(OrganizationBody) -> Vec<ConnectedAppOut>:
        "List the apps that members have connected to the organization, newest first";
    REVOKE = "revoke", acts(KeysManage), revoke(RevokeBody) -> Success:
        "Revoke the access of an app that a member has connected; all of its tokens stop at once";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AppRevoke")]
pub struct RevokeBody {
    /// The ID from `list`.
    pub id: String,
}

/// An app that a person has connected.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectedApp")]
#[serde(rename_all = "camelCase")]
pub struct ConnectedAppOut {
    pub id: String,
    pub client_id: String,
    /// As the app calls itself.
    pub name: String,
    pub redirect_uris: Vec<String>,
    pub organization_id: String,
    /// The person it acts for.
    pub user_id: String,
    pub scopes: Vec<Scope>,
    /// `mcp` for the MCP endpoint, `api` for the API.
    pub resource: &'static str,
    pub created_at: String,
    /// Within five minutes.
    pub last_used_at: Option<String>,
    /// When access ends unless the app gets new tokens before.
    pub expires_at: String,
}

impl From<ListedGrant> for ConnectedAppOut {
    fn from(ListedGrant { grant, app }: ListedGrant) -> Self {
        Self {
            id: grant.id.into(),
            client_id: app.id.into(),
            name: app.name,
            redirect_uris: app.redirect_uris,
            organization_id: grant.organization.into(),
            user_id: grant.user.into(),
            scopes: grant.scopes,
            resource: Resource::as_str(grant.resource),
            created_at: iso_ms(grant.created_ms),
            last_used_at: grant.last_used_ms.map(iso_ms),
            expires_at: iso_ms(grant.expires_ms),
        }
    }
}

async fn list(call: Call, body: OrganizationBody) -> Result<Vec<ConnectedAppOut>, Fault> {
    let named = body.organization_id.as_deref();
    let access = call.authorize(Permission::KeysManage, named)?;
    let all = GrantsOf::Organization(access.organization());
    let listed = call.shared.oauth.list(all).await?;
    Ok(listed.into_iter().map(ConnectedAppOut::from).collect())
}

async fn revoke(call: Call, body: RevokeBody) -> Result<Success, Fault> {
    let by = &require_session(&call)?.user;
    let found = call.shared.oauth.find_grant(&body.id).await?;
    let meant = ("connected app", body.id.as_str());
    let grant = call.authorize_found(Permission::KeysManage, meant, found, |grant| {
        &grant.organization
    })?;
    call.shared.oauth.end_of_member(by, &grant).await?;
    Ok(Success::YES)
}
