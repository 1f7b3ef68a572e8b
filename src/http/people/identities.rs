//! A person's linked accounts at providers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shapes::StatusOut;
use crate::{
    access::SessionGrant,
    actors::organizations::{LinkedIdentity, UnlinkIdentity},
    clock::iso_ms,
    fault::Fault,
    http::{
        Shared,
        routes::Route,
        session_routes::{self, NoQuery, SessionCall},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/list-accounts", list).says(
            "List your linked sign-ins",
            "The accounts at providers that sign the person in, oldest first.",
        ),
        session_routes::post("/api/auth/unlink-account", unlink).says(
            "Unlink a sign-in",
            "Ends the sessions that it opened. The last way to sign in stays (403).",
        ),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LinkedOut {
    id: String,
    /// The provider's name in `auth.oidc`.
    provider_id: String,
    created_at: String,
    /// When it last opened a session.
    last_used_at: String,
}

#[derive(Deserialize, JsonSchema)]
struct UnlinkBody {
    /// The ID from `list-accounts`.
    id: String,
}

impl From<LinkedIdentity> for LinkedOut {
    fn from(linked: LinkedIdentity) -> Self {
        Self {
            id: linked.id,
            provider_id: linked.provider,
            created_at: iso_ms(linked.created_ms),
            last_used_at: iso_ms(linked.last_used_ms),
        }
    }
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<LinkedOut>, Fault> {
    let linked = call.shared.records.identities(&call.caller.user).await?;
    Ok(linked.into_iter().map(LinkedOut::from).collect())
}

async fn unlink(call: SessionCall, body: UnlinkBody) -> Result<StatusOut, Fault> {
    unlink_identity(&call.shared, &call.caller, body.id).await?;
    Ok(StatusOut::DONE)
}

pub(in crate::http) async fn unlink_identity(
    shared: &Shared,
    caller: &SessionGrant,
    identity: String,
) -> Result<(), Fault> {
    let user = caller.user.clone();
    let message = UnlinkIdentity { user, identity };
    Ok(shared.organizations.ask(message).await?)
}
