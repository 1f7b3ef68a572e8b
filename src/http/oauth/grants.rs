//! What a person has allowed apps, and ending it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    access::{Scope, SessionGrant},
    actors::oauth::{ListedGrant, Resource},
    clock::iso_ms,
    fault::Fault,
    http::{
        Shared,
        people::shapes::StatusOut,
        routes::Route,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::GrantId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/list-apps", list).says(
            "My connected apps",
            "The apps that the person has connected, newest first.",
        ),
        session_routes::post("/api/auth/revoke-app", revoke)
            .says(
                "Revoke an app's access",
                "All of its tokens stop working at once. Another person's app is 404, like one that doesn't exist.",
            )
            .or(403)
            .or(415),
    ]
}

/// An app that a person has connected.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectedApp")]
#[serde(rename_all = "camelCase")]
struct ConnectedAppOut {
    id: String,
    client_id: String,
    /// As the app calls itself.
    name: String,
    redirect_uris: Vec<String>,
    organization_id: String,
    scopes: Vec<Scope>,
    /// `mcp` for the MCP endpoint, `api` for the API.
    resource: &'static str,
    created_at: String,
    /// Within five minutes.
    last_used_at: Option<String>,
    /// When access ends unless the app gets new tokens before.
    expires_at: String,
}

impl From<ListedGrant> for ConnectedAppOut {
    fn from(ListedGrant { grant, app }: ListedGrant) -> Self {
        Self {
            id: grant.id.into(),
            client_id: app.id.into(),
            name: app.name,
            redirect_uris: app.redirect_uris,
            organization_id: grant.organization.into(),
            scopes: grant.scopes,
            resource: Resource::as_str(grant.resource),
            created_at: iso_ms(grant.created_ms),
            last_used_at: grant.last_used_ms.map(iso_ms),
            expires_at: iso_ms(grant.expires_ms),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RevokeAppBody")]
struct RevokeBody {
    /// The ID from `list-apps`.
    id: String,
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<ConnectedAppOut>, Fault> {
    let listed = call.shared.oauth.list(&call.caller.user).await?;
    Ok(listed.into_iter().map(ConnectedAppOut::from).collect())
}

async fn revoke(call: SessionCall, body: RevokeBody) -> Result<StatusOut, Fault> {
    end(&call.shared, &call.caller, body.id).await?;
    Ok(StatusOut::DONE)
}

/// Ends what a person has allowed an app.
pub(in crate::http) async fn end(
    shared: &Shared,
    caller: &SessionGrant,
    id: String,
) -> Result<(), Fault> {
    Ok(shared.oauth.end(&caller.user, &GrantId::from(id)).await?)
}
