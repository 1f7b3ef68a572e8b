//! A member's lost second factor.

use schemars::JsonSchema;
use serde::Deserialize;

use super::named;
use crate::{
    access::SessionGrant,
    actors::organizations::RemoveSecondFactors,
    fault::Fault,
    http::{
        Shared,
        people::shapes::StatusOut,
        routes::Route,
        session_routes::{self, SessionCall},
    },
    ids::OrganizationId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/remove-second-factor", remove).says(
            "Remove a member's second factor",
            "For owners, for a member who has lost it: removes the authenticator app, the passkeys and the backup codes, and ends \
             the member's sessions. They sign in with the password alone then. 403 if the member is in another organization, too.",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RemoveSecondFactorBody")]
#[serde(rename_all = "camelCase")]
struct RemoveBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// The member's id, or address.
    member_id: String,
}

async fn remove(call: SessionCall, body: RemoveBody) -> Result<StatusOut, Fault> {
    let organization = named(&call.caller, body.organization_id.as_deref())?;
    let member = (organization, body.member_id);
    remove_second_factors(&call.shared, &call.caller, member).await?;
    Ok(StatusOut::DONE)
}

pub(in crate::http) async fn remove_second_factors(
    shared: &Shared,
    caller: &SessionGrant,
    (organization, member): (OrganizationId, String),
) -> Result<(), Fault> {
    let message = RemoveSecondFactors {
        by: caller.user.clone(),
        organization,
        member,
    };
    Ok(shared.organizations.ask(message).await?)
}
