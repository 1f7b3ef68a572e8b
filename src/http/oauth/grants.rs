//! What a person has allowed apps, and ending it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    access::SessionGrant,
    actors::oauth::GrantsOf,
    fault::Fault,
    http::{
        Shared,
        people::shapes::StatusOut,
        procedures::apps::ConnectedAppOut,
        routes::Route,
        session_routes::{self, NoQuery, SessionCall},
    },
    ids::GrantId,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/list-apps", list).says(
            "List your connected apps",
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

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RevokeAppBody")]
struct RevokeBody {
    /// The ID from `list-apps`.
    id: String,
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<ConnectedAppOut>, Fault> {
    let listed = call
        .shared
        .oauth
        .list(GrantsOf::User(&call.caller.user))
        .await?;
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
