//! How websites change hands.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{super::Call, GROUP, WebsiteOut, find};
use crate::{
    access::{Permission, authorize, plans::PlanResource},
    actors::{audit::Actor, websites::TransferWebsite},
    fault::Fault,
    ids::{OrganizationId, WebsiteId},
};

procedures! { GROUP;
    TRANSFER = "transfer", acts(WebsiteManage), transfer(TransferBody) -> WebsiteOut:
        "Transfer a website to another organization, with all its data";
    TRANSFER_TO_ORGANIZATION = "transferToOrganization", acts(WebsiteManage),
        transfer_to(TransferToBody) -> WebsiteOut:
        "The same as `transfer`, under another name";
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteTransfer")]
#[serde(rename_all = "camelCase")]
pub struct TransferBody {
    pub website_id: String,
    /// The new owner, where the caller may make websites.
    pub organization_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebsiteTransferTo")]
#[serde(rename_all = "camelCase")]
pub struct TransferToBody {
    pub website_id: String,
    /// The new owner, where the caller may make websites.
    pub target_organization_id: String,
}

async fn transfer(call: Call, body: TransferBody) -> Result<WebsiteOut, Fault> {
    find(&call, Permission::WebsiteManage, &body.website_id)?;
    let to = OrganizationId::from(body.organization_id);
    let proof = authorize::organization(&call.caller, Permission::WebsiteManage, &to)?;
    let message = TransferWebsite {
        by: Actor::from(&call.caller),
        id: WebsiteId::from(body.website_id),
        to: proof.organization().clone(),
        allowance: call
            .shared
            .allowance(proof.organization(), PlanResource::Websites),
    };
    let website = call.shared.websites.ask(message).await?;
    Ok(WebsiteOut::from(&*website))
}

async fn transfer_to(call: Call, body: TransferToBody) -> Result<WebsiteOut, Fault> {
    let body = TransferBody {
        website_id: body.website_id,
        organization_id: body.target_organization_id,
    };
    transfer(call, body).await
}
