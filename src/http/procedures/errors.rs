//! `/errors/*`: which JavaScript errors of a website are resolved or ignored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Group, bodies::WebsiteIdBody, websites};
use crate::{
    access::Permission,
    actors::error_statuses::{ErrorStatus, Status},
    clock::iso_ms,
    fault::Fault,
};

const GROUP: Group = Group::new("errors", "Websites");

procedures! { GROUP;
    LIST_STATUSES = "listStatuses", reads(WebsiteRead), list(WebsiteIdBody) -> Vec<ErrorStatusOut>:
        "List the errors of a website that are resolved or ignored, the latest change first";
    SET_STATUS = "setStatus", changes(WebsiteConfigure), set(SetStatusBody) -> ErrorStatusOut:
        "Resolve, ignore or reopen an error";
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ErrorStatusSet")]
pub struct SetStatusBody {
    pub website_id: String,
    /// The first 32 hexadecimal digits, in small letters, of the SHA-256 of the error's message.
    pub error_id: String,
    pub status: Status,
}

/// What a team thinks of the errors with one message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ErrorStatus")]
pub struct ErrorStatusOut {
    /// The first 32 hexadecimal digits, in small letters, of the SHA-256 of the error's message.
    pub error_id: String,
    /// A resolved error is unresolved again if it occurs later than `changedAt`.
    pub status: Status,
    pub changed_at: String,
    /// The person, unless a program did it.
    pub changed_by: Option<String>,
}

impl From<ErrorStatus> for ErrorStatusOut {
    fn from(error: ErrorStatus) -> Self {
        Self {
            error_id: error.id,
            status: error.status,
            changed_at: iso_ms(error.changed_ms),
            changed_by: error.changed_by,
        }
    }
}

async fn list(call: Call, body: WebsiteIdBody) -> Result<Vec<ErrorStatusOut>, Fault> {
    let (website, _) = websites::find(&call, Permission::WebsiteRead, &body.website_id)?;
    let listed = call.shared.error_statuses.list(&website.id).await?;
    Ok(listed.into_iter().map(ErrorStatusOut::from).collect())
}

async fn set(call: Call, body: SetStatusBody) -> Result<ErrorStatusOut, Fault> {
    let (website, proof) = websites::find(&call, Permission::WebsiteConfigure, &body.website_id)?;
    let by = call.maker(proof.organization()).map(String::from);
    let set = call
        .shared
        .error_statuses
        .set(&website.id, body.error_id, body.status, by);
    Ok(set.await?.into())
}
