//! A person's own account.

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    cookie, post,
    shapes::{DeletedOut, SignedInOut, StatusOut},
};
use crate::{
    access::SessionGrant,
    actors::{
        keys::EraseMaker,
        organizations::{ChangePassword, DeleteAccount, LostAccess, Rename, SignedIn},
    },
    fault::Fault,
    http::{
        Shared,
        extract::{CurrentSession, JsonBody},
        routes::{Access, Route},
        schema::schema,
        session_routes::{self, SessionCall},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/update-user", update)
            .says("Change your account", "Changes what the person is called."),
        post("/api/auth/change-password", |route| {
            route.to(change_password)
        })
        .says(
            "Change your password",
            "Sets a new password. The session goes on under a new cookie, and all others end unless `revokeOtherSessions` \
             is false.",
        )
        .needs(Access::Session)
        .body(schema::<ChangePasswordBody>())
        .answers(schema::<SignedInOut>()),
        post("/api/auth/delete-user", |route| route.to(delete))
            .says(
                "Delete your account",
                "Removes the person with all sessions and memberships, and keeps what belongs to organizations. Refused \
                 (403) to the only owner of an organization. Open invitations that the person made are canceled and API keys \
                 that the person made end; the answer lists both.",
            )
            .needs(Access::Session)
            .body(schema::<DeleteBody>())
            .answers(schema::<DeletedOut>()),
    ]
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
struct UpdateBody {
    /// The new name, 1 to 100 characters.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangePasswordBody {
    /// The password as it is.
    current_password: String,
    /// At least 8 characters.
    new_password: String,
    /// Whether the person's other sessions end.
    #[serde(default = "yes")]
    revoke_other_sessions: bool,
}

#[derive(Deserialize, JsonSchema)]
struct DeleteBody {
    password: String,
}

async fn update(call: SessionCall, body: UpdateBody) -> Result<StatusOut, Fault> {
    rename_person(&call.shared, &call.caller, body.name).await?;
    Ok(StatusOut::DONE)
}

/// Changes what a person is called.
pub(in crate::http) async fn rename_person(
    shared: &Shared,
    caller: &SessionGrant,
    name: String,
) -> Result<(), Fault> {
    let user = caller.user.clone();
    shared.organizations.ask(Rename { user, name }).await?;
    Ok(())
}

async fn change_password(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<ChangePasswordBody>,
) -> Result<HttpResponse, Fault> {
    let (current, new) = (body.current_password, body.new_password);
    let others = body.revoke_other_sessions;
    let signed_in = set_password(&shared, &caller, current, new, others).await?;
    let mut answer = HttpResponse::Ok();
    cookie::sign_in(&mut answer, &shared, &signed_in, true);
    Ok(answer.json(SignedInOut::from(&signed_in)))
}

/// Sets a person's new password; the session goes on under a new cookie.
pub(in crate::http) async fn set_password(
    shared: &Shared,
    caller: &SessionGrant,
    current: String,
    new: String,
    end_others: bool,
) -> Result<SignedIn, Fault> {
    let message = ChangePassword {
        session: caller.id.clone(),
        user: caller.user.clone(),
        current: current.into(),
        new: new.into(),
        end_others,
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn delete(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<DeleteBody>,
) -> Result<HttpResponse, Fault> {
    let lost = delete_account(&shared, &caller, body.password).await?;
    Ok(HttpResponse::Ok()
        .insert_header(cookie::removed(&shared))
        .json(DeletedOut {
            success: true,
            message: "User deleted",
            lost: lost.into(),
        }))
}

pub(in crate::http) async fn delete_account(
    shared: &Shared,
    caller: &SessionGrant,
    password: String,
) -> Result<LostAccess, Fault> {
    let message = DeleteAccount {
        user: caller.user.clone(),
        password: password.into(),
    };
    let lost = shared.organizations.ask(message).await?;
    let user = caller.user.clone();
    shared.keys.ask(EraseMaker { user }).await?;
    Ok(lost)
}
