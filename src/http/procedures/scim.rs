//! `/scim/*`: tokens of an organization's identity provider, and which roles its groups give. SCIM itself is under `/scim/v2/`.

use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::OrganizationBody, require_session, success::Success};
use crate::{
    access::{Permission, Role},
    actors::{
        organizations::{ScimGroup, SetScimGroupRole},
        scim::ScimToken,
    },
    clock::iso_ms,
    fault::Fault,
    http::scim::address,
    ids::OrganizationId,
};

const GROUP: Group = Group::new("scim", "Organizations");

procedures! { GROUP;
    CREATE_TOKEN = "createToken", acts(MembersManage), create_token(CreateTokenBody) -> NewTokenOut:
        "Create a token for the organization's identity provider; it is shown once";
    LIST_TOKENS = "listTokens", reads(MembersManage), list_tokens(OrganizationBody) -> Vec<TokenOut>:
        "List the tokens of the organization's identity provider, newest first";
    REVOKE_TOKEN = "revokeToken", acts(MembersManage), revoke_token(RevokeTokenBody) -> Success:
        "Revoke a token of the organization's identity provider; it stops at once";
    LIST_GROUPS = "listGroups", reads(MembersManage), list_groups(OrganizationBody) -> Vec<GroupOut>:
        "List the groups that the organization's identity provider sent";
    SET_GROUP_ROLE = "setGroupRole", acts(MembersManage), set_group_role(GroupRoleBody) -> GroupOut:
        "Choose the role that the members of a group get";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScimTokenCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateTokenBody {
    /// By default the session's active organization.
    pub organization_id: Option<String>,
    /// 1 to 100 characters, such as the provider's name.
    pub name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScimTokenRevoke")]
#[serde(rename_all = "camelCase")]
pub struct RevokeTokenBody {
    pub id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScimGroupRole")]
#[serde(rename_all = "camelCase")]
pub struct GroupRoleBody {
    /// The group's ID.
    pub id: String,
    /// `viewer`, `member`, `admin` or `owner`; null = the group gives none. Only owners choose `owner`.
    #[schemars(with = "Option<String>")]
    pub role: Option<Role>,
}

/// A token of an identity provider, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScimToken")]
#[serde(rename_all = "camelCase")]
pub struct TokenOut {
    pub id: String,
    pub name: String,
    /// The member with whose rights it acts. It stops when they may no longer manage members.
    pub created_by: String,
    pub created_at: String,
    /// Within five minutes; null = never.
    pub last_used_at: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewScimToken")]
#[serde(rename_all = "camelCase")]
pub struct NewTokenOut {
    #[serde(flatten)]
    pub token: TokenOut,
    /// The secret, which is shown this once.
    pub secret: String,
    /// The address for the identity provider.
    pub url: String,
}

/// A group that an identity provider sent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScimGroup")]
#[serde(rename_all = "camelCase")]
pub struct GroupOut {
    pub id: String,
    pub name: String,
    pub members: usize,
    /// The role that its members get; null = none.
    pub role: Option<&'static str>,
}

impl From<ScimToken> for TokenOut {
    fn from(token: ScimToken) -> Self {
        Self {
            id: token.id.into(),
            name: token.name,
            created_by: token.maker.into(),
            created_at: iso_ms(token.created_ms),
            last_used_at: token.last_used_ms.map(iso_ms),
        }
    }
}

impl From<&ScimGroup> for GroupOut {
    fn from(group: &ScimGroup) -> Self {
        Self {
            id: group.id.to_string(),
            name: group.name.clone(),
            members: group.members.len(),
            role: group.role.map(Role::as_str),
        }
    }
}

/// The organization, if the caller may manage its members.
fn authorize(call: &Call, named: Option<&str>) -> Result<OrganizationId, Fault> {
    let access = call.authorize(Permission::MembersManage, named)?;
    Ok(access.organization().clone())
}

async fn create_token(call: Call, body: CreateTokenBody) -> Result<NewTokenOut, Fault> {
    let organization = authorize(&call, body.organization_id.as_deref())?;
    let by = &require_session(&call)?.user;
    let new = call
        .shared
        .scim
        .create(by, &organization, &body.name)
        .await?;
    Ok(NewTokenOut {
        token: new.token.into(),
        secret: new.secret.expose_secret().to_owned(),
        url: address(&call.shared),
    })
}

async fn list_tokens(call: Call, body: OrganizationBody) -> Result<Vec<TokenOut>, Fault> {
    let organization = authorize(&call, body.organization_id.as_deref())?;
    let tokens = call.shared.scim.list(&organization).await?;
    Ok(tokens.into_iter().map(TokenOut::from).collect())
}

async fn revoke_token(call: Call, body: RevokeTokenBody) -> Result<Success, Fault> {
    let by = &require_session(&call)?.user;
    let found = call.shared.scim.find(&body.id).await?;
    let meant = ("SCIM token", body.id.as_str());
    let token = call.authorize_found(Permission::MembersManage, meant, found, |token| {
        &token.organization
    })?;
    call.shared.scim.revoke(by, &token).await?;
    Ok(Success::YES)
}

async fn list_groups(call: Call, body: OrganizationBody) -> Result<Vec<GroupOut>, Fault> {
    let organization = authorize(&call, body.organization_id.as_deref())?;
    let groups = call.shared.records.scim_groups(&organization).await?;
    Ok(groups.iter().map(GroupOut::from).collect())
}

async fn set_group_role(call: Call, body: GroupRoleBody) -> Result<GroupOut, Fault> {
    let by = require_session(&call)?.user.clone();
    let found = call.shared.records.scim_group(&body.id).await?;
    let meant = ("SCIM group", body.id.as_str());
    let group = call.authorize_found(Permission::MembersManage, meant, found, |group| {
        &group.organization
    })?;
    let message = SetScimGroupRole {
        by,
        organization: group.organization,
        group: group.id,
        role: body.role,
    };
    let group = call.shared.organizations.ask(message).await?;
    Ok(GroupOut::from(&*group))
}
