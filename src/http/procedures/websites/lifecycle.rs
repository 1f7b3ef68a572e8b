//! How websites go, come back and change their client id.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    super::{Call, bodies::IdBody, success::Success},
    GROUP, WebsiteOut, find,
};
use crate::{
    access::{Permission, authorize},
    actors::websites::{DeleteWebsite, FindDeleted, RestoreWebsite, RotateTracking},
    clock::iso_ms,
    fault::Fault,
    ids::WebsiteId,
};

procedures! { GROUP;
    GET_PUBLIC_SUMMARY = "getPublicSummary", reads(Nothing), get_public_summary(IdBody) -> SummaryOut:
        "Get the public summary of a website";
    DELETE = "delete", changes(WebsiteManage), delete(IdBody) -> Success:
        "Delete a website: it stops at once, and an owner can restore it";
    RESTORE = "restore", changes(OrganizationDelete), restore(IdBody) -> WebsiteOut:
        "Restore a deleted website; for owners";
    ROTATE_TRACKING = "rotateTracking", changes(WebsiteConfigure), rotate_tracking(IdBody) -> WebsiteOut:
        "Rotate the client id of a website; the old one stops at once";
}

/// The public summary of a website.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebsitePublicSummary")]
#[serde(rename_all = "camelCase")]
pub struct SummaryOut {
    pub id: String,
    pub domain: String,
    pub name: Option<String>,
    /// `ACTIVE`, `HEALTHY`, `UNHEALTHY`, `INACTIVE` or `PENDING`.
    pub status: &'static str,
    pub is_public: bool,
    pub created_at: String,
    pub updated_at: String,
}

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

async fn delete(call: Call, body: IdBody) -> Result<Success, Fault> {
    find(&call, Permission::WebsiteManage, &body.id)?;
    let id = WebsiteId::from(body.id);
    call.shared.websites.ask(DeleteWebsite { id }).await?;
    Ok(Success::YES)
}

async fn restore(call: Call, body: IdBody) -> Result<WebsiteOut, Fault> {
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
