//! A person's passkeys.

use schemars::JsonSchema;
use serde::Deserialize;

use super::shapes::{PasskeyOut, RenamedOut};
use crate::{
    access::SessionGrant,
    actors::organizations::{Passkey, RemovePasskey, RenamePasskey},
    fault::Fault,
    http::{
        Shared,
        people::shapes::StatusOut,
        routes::Route,
        session_routes::{self, NoQuery, SessionCall},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::get("/api/auth/passkey/list-user-passkeys", list)
            .says("List your passkeys", "The person's passkeys, oldest first."),
        session_routes::post("/api/auth/passkey/update-passkey", update).says(
            "Rename a passkey",
            "Passkeys of other people are 404, like ones that don't exist.",
        ),
        session_routes::post("/api/auth/passkey/delete-passkey", delete).says(
            "Remove a passkey",
            "Ends the other sessions that it opened. Needs the password, or a sign-in of the last ten minutes. The last way to sign \
             in stays (403).",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct UpdateBody {
    id: String,
    /// 1 to 100 characters.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteBody {
    id: String,
    /// Not needed within ten minutes of a sign-in.
    password: Option<String>,
}

async fn list(call: SessionCall, _: NoQuery) -> Result<Vec<PasskeyOut>, Fault> {
    let own = call.shared.records.passkeys(&call.caller.user).await?;
    Ok(own.into_iter().map(PasskeyOut::from).collect())
}

async fn update(call: SessionCall, body: UpdateBody) -> Result<RenamedOut, Fault> {
    let renamed = rename(&call.shared, &call.caller, (body.id, body.name)).await?;
    Ok(RenamedOut {
        passkey: renamed.into(),
    })
}

async fn delete(call: SessionCall, body: DeleteBody) -> Result<StatusOut, Fault> {
    remove(&call.shared, &call.caller, (body.id, body.password)).await?;
    Ok(StatusOut::DONE)
}

/// Gives a person's passkey another name.
pub(in crate::http) async fn rename(
    shared: &Shared,
    caller: &SessionGrant,
    (passkey, name): (String, String),
) -> Result<Passkey, Fault> {
    let user = caller.user.clone();
    let message = RenamePasskey {
        user,
        passkey,
        name,
    };
    Ok(shared.organizations.ask(message).await?)
}

/// Removes a person's passkey.
pub(in crate::http) async fn remove(
    shared: &Shared,
    caller: &SessionGrant,
    (passkey, password): (String, Option<String>),
) -> Result<(), Fault> {
    let message = RemovePasskey {
        session: caller.id.clone(),
        password: password.map(Into::into),
        passkey,
    };
    Ok(shared.organizations.ask(message).await?)
}
