//! How members of an organization may sign in.

use schemars::JsonSchema;
use serde::Deserialize;

use super::named;
use crate::{
    access::SessionGrant,
    actors::organizations::RequireProvider,
    fault::Fault,
    http::{
        Shared,
        people::shapes::StatusOut,
        routes::Route,
        session_routes::{self, SessionCall},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/organization/require-provider", require).says(
            "Require a sign-in provider",
            "For owners whose session began at that provider. Sessions that began in another way have no access to the organization \
             from then on. The operator can let an account in with its password (`pharos user break-glass`).",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RequireBody {
    /// By default the one that the session works in.
    organization_id: Option<String>,
    /// The provider's name in `auth.oidc`; null = any way to sign in.
    provider: Option<String>,
}

async fn require(call: SessionCall, body: RequireBody) -> Result<StatusOut, Fault> {
    let organization = body.organization_id.as_deref();
    require_provider(&call.shared, &call.caller, organization, body.provider).await?;
    Ok(StatusOut::DONE)
}

pub(in crate::http) async fn require_provider(
    shared: &Shared,
    caller: &SessionGrant,
    organization: Option<&str>,
    provider: Option<String>,
) -> Result<(), Fault> {
    let message = RequireProvider {
        by: caller.user.clone(),
        session: caller.id.clone(),
        organization: named(caller, organization)?,
        provider,
    };
    Ok(shared.organizations.ask(message).await?)
}
