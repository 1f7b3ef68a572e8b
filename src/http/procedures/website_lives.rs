//! How websites go, come back and change their client id.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Input, Needs, Procedure,
    websites::{GROUP, IdBody, WebsiteOut, find},
};
use crate::{
    access::{Permission, authorize},
    actors::websites::{DeleteWebsite, FindDeleted, RestoreWebsite, RotateTracking},
    clock::iso_ms,
    fault::Fault,
    ids::WebsiteId,
};

pub(super) fn procedures() -> Vec<Procedure> {
    use Permission::{OrganizationDelete, WebsiteConfigure, WebsiteManage};
    let needs = Needs::Permission;
    vec![
        GROUP
            .procedure(
                "getPublicSummary",
                Needs::Nothing,
                "What anybody may know of a public website",
                get_public_summary,
            )
            .reading(),
        GROUP.procedure(
            "delete",
            needs(WebsiteManage),
            "Delete a website: it stops at once, and an owner can restore it",
            delete,
        ),
        GROUP.procedure(
            "restore",
            needs(OrganizationDelete),
            "Bring a deleted website back; for owners",
            restore,
        ),
        GROUP.procedure(
            "rotateTracking",
            needs(WebsiteConfigure),
            "Give a website a new client id; the old one stops at once",
            rotate_tracking,
        ),
    ]
}

/// What anybody may know of a public website.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsitePublicSummary")]
#[serde(rename_all = "camelCase")]
struct SummaryOut {
    id: String,
    domain: String,
    name: Option<String>,
    /// `ACTIVE`, `HEALTHY`, `UNHEALTHY`, `INACTIVE` or `PENDING`.
    status: &'static str,
    is_public: bool,
    created_at: String,
    updated_at: String,
}

/// `{"success": true}`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsiteDeleted")]
struct DeletedOut {
    success: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteRestoreBody")]
struct RestoreBody {
    /// The website's id.
    id: String,
}

impl Input for RestoreBody {}

async fn get_public_summary(call: Call, body: IdBody) -> Result<SummaryOut, Fault> {
    let known = call.shared.websites.view().by_id(&body.id).cloned();
    let website = match known.filter(|website| website.is_public) {
        Some(website) => website,
        None => find(&call, Permission::WebsiteRead, &body.id)?.0,
    };
    Ok(SummaryOut {
        id: website.id.to_string(),
        domain: website.domain.clone(),
        name: Some(website.name.clone()),
        status: website.status.as_str(),
        is_public: website.is_public,
        created_at: iso_ms(website.created_ms),
        updated_at: iso_ms(website.updated_ms),
    })
}

async fn delete(call: Call, body: IdBody) -> Result<DeletedOut, Fault> {
    find(&call, Permission::WebsiteManage, &body.id)?;
    let id = WebsiteId::from(body.id);
    call.shared.websites.ask(DeleteWebsite { id }).await?;
    Ok(DeletedOut { success: true })
}

async fn restore(call: Call, body: RestoreBody) -> Result<WebsiteOut, Fault> {
    let live = call.shared.websites.view().by_id(&body.id).cloned();
    let id = WebsiteId::from(body.id.as_str());
    let owner = match &live {
        Some(website) => Some(website.organization.clone()),
        None => {
            call.shared
                .websites
                .ask(FindDeleted { id: id.clone() })
                .await?
        }
    };
    let about = ("website", body.id.as_str());
    authorize::owned(
        &call.caller,
        Permission::OrganizationDelete,
        about,
        owner.as_ref(),
    )?;
    if live.is_some() {
        return Err(Fault::invalid("This website is not deleted"));
    }
    let website = call.shared.websites.ask(RestoreWebsite { id }).await?;
    Ok(WebsiteOut::from(&*website))
}

async fn rotate_tracking(call: Call, body: IdBody) -> Result<WebsiteOut, Fault> {
    find(&call, Permission::WebsiteConfigure, &body.id)?;
    let id = WebsiteId::from(body.id);
    let website = call.shared.websites.ask(RotateTracking { id }).await?;
    Ok(WebsiteOut::from(&*website))
}
