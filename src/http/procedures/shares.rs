//! `/shares/*`: links under which others see a website's dashboard or a board.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Group,
    bodies::IdBody,
    dashboards::{self, DashboardBody, Rights},
    fields::{Fields, Patch, require_change},
    success::Success,
};
use crate::{
    access::OrganizationAccess,
    actors::{
        audit::Actor,
        networks::Networks,
        shares::{NewShare, Share, ShareFields},
    },
    clock::iso_ms,
    fault::{Fault, Issue},
};

const GROUP: Group = Group::new("shares", "Websites");

procedures! { GROUP;
    LIST = "list", reads(WebsiteRead), list(DashboardBody) -> Vec<ShareOut>:
        "List the share links of a website or a board, newest first";
    GET_BY_ID = "getById", reads(WebsiteRead), get_by_id(IdBody) -> ShareOut: "Get a share link";
    CREATE = "create", acts(WebsiteManage), create(CreateBody) -> ShareOut: "Create a share link";
    UPDATE = "update", acts(WebsiteManage), update(UpdateBody, check) -> ShareOut: "Change a share link";
    DELETE = "delete", acts(WebsiteManage), delete(IdBody) -> Success:
        "Revoke a share link; it stops at once";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ShareCreate")]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    #[serde(flatten)]
    pub dashboard: DashboardBody,
    #[serde(flatten)]
    pub fields: Fields<ShareFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ShareUpdate", extend("minProperties" = 2))]
pub struct UpdateBody {
    pub id: String,
    /// What changes. `password: null` removes the password. What is not named stays.
    #[serde(flatten)]
    pub fields: Patch<ShareFields>,
}

impl UpdateBody {
    fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "a field");
    }
}

/// A link under which others see what is public of a website's dashboard, or a board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Share")]
#[serde(rename_all = "camelCase")]
pub struct ShareOut {
    pub id: String,
    /// Null for a board.
    pub website_id: Option<String>,
    /// Null for a website.
    pub board_id: Option<String>,
    pub name: String,
    /// Where the dashboard is. It can't be guessed.
    pub url: String,
    /// Whether visitors have to enter a password.
    pub has_password: bool,
    /// Whether only members of the organization see it, signed in.
    pub members_only: bool,
    /// IP addresses and networks that see it; none for everyone.
    pub allowed_ips: Networks,
    /// When it stops working; null for never.
    pub expires_at: Option<String>,
    /// Whether it has stopped working.
    pub has_expired: bool,
    /// Origins whose pages may embed the dashboard.
    pub embed_origins: Vec<String>,
    pub created_by: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

impl ShareOut {
    fn new(call: &Call, share: Share) -> Self {
        Self {
            url: call.shared.share_url(&share),
            has_password: share.access().has_password,
            members_only: share.fields.members_only,
            has_expired: share.has_expired(call.shared.clock.now_ms()),
            id: share.id.to_string(),
            website_id: share.dashboard.website().map(ToString::to_string),
            board_id: share.dashboard.board().map(ToString::to_string),
            name: share.fields.name,
            expires_at: share.fields.expires_at,
            embed_origins: share.fields.embed_origins,
            allowed_ips: share.fields.allowed_ips,
            created_by: share.created_by.map(String::from),
            created_at: iso_ms(share.created_ms),
            updated_at: iso_ms(share.updated_ms),
        }
    }
}

/// Whether the caller may see what a share link shows by its organization's leave: who is signed in, or a key.
pub(in crate::http) async fn is_member(call: &Call, share: &Share) -> Result<bool, Fault> {
    let about = ("share link", share.id.as_str());
    let found = Some(share);
    let found = dashboards::authorize_found(call, dashboards::READ, about, found, |share| {
        &share.dashboard
    });
    match found.await {
        Ok(_) => Ok(true),
        Err(fault) if fault.is_refusal() => Ok(false),
        Err(fault) => Err(fault),
    }
}

async fn list(call: Call, body: DashboardBody) -> Result<Vec<ShareOut>, Fault> {
    let found = body.find(&call, dashboards::READ).await?;
    let shares = call.shared.shares.list(&found.dashboard).await?;
    let shares = shares.into_iter().map(|share| ShareOut::new(&call, share));
    Ok(shares.collect())
}

async fn get_by_id(call: Call, body: IdBody) -> Result<ShareOut, Fault> {
    let (share, _) = find(&call, dashboards::READ, &body.id).await?;
    Ok(ShareOut::new(&call, share))
}

async fn create(call: Call, body: CreateBody) -> Result<ShareOut, Fault> {
    let found = body.dashboard.find(&call, dashboards::SHARE).await?;
    let organization = found.proof.organization();
    let new = NewShare {
        organization: organization.clone(),
        by: Actor::from(&call.caller),
        created_by: call.maker(organization),
        dashboard: found.dashboard,
        fields: body.fields.read()?,
    };
    let share = call.shared.shares.create(new).await?;
    Ok(ShareOut::new(&call, share))
}

async fn update(call: Call, body: UpdateBody) -> Result<ShareOut, Fault> {
    let (share, proof) = find(&call, dashboards::SHARE, &body.id).await?;
    let by = (proof.organization(), Actor::from(&call.caller));
    let share = call.shared.shares.update(&share.id, by, body.fields.0);
    Ok(ShareOut::new(&call, share.await?))
}

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    let (share, proof) = find(&call, dashboards::SHARE, &body.id).await?;
    let by = (proof.organization(), Actor::from(&call.caller));
    call.shared.shares.delete(&share.id, by).await?;
    Ok(Success::YES)
}

/// A share link, if the caller may do this with its dashboard.
async fn find(call: &Call, rights: Rights, id: &str) -> Result<(Share, OrganizationAccess), Fault> {
    let found = call.shared.shares.get(id).await?;
    let about = ("share link", id);
    dashboards::authorize_found(call, rights, about, found, |share| &share.dashboard).await
}
