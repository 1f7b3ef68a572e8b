//! A person's own account.

use actix_web::{HttpResponse, web};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    cookie, post,
    shapes::{SignedInOut, StatusOut, SuccessOut},
};
use crate::{
    actors::{
        keys::EraseMaker,
        organizations::{ChangePassword, DeleteAccount, Rename},
    },
    fault::Fault,
    http::{
        Shared,
        given::{Given, Signed, schema},
        routes::{Access, Route},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/api/auth/update-user", |route| route.to(update))
            .says("Change my account", "Changes what the person is called.")
            .needs(Access::Session)
            .body(schema::<UpdateBody>())
            .answers(schema::<StatusOut>()),
        post("/api/auth/change-password", |route| {
            route.to(change_password)
        })
        .says(
            "Change my password",
            "Sets a new password. The session goes on under a new cookie, and all others end unless `revokeOtherSessions` \
             is false.",
        )
        .needs(Access::Session)
        .body(schema::<ChangePasswordBody>())
        .answers(schema::<SignedInOut>()),
        post("/api/auth/delete-user", |route| route.to(delete))
            .says(
                "Delete my account",
                "Removes the person with all sessions and memberships, and keeps what belongs to organizations. Refused \
                 (403) to the only owner of an organization.",
            )
            .needs(Access::Session)
            .body(schema::<DeleteBody>())
            .answers(schema::<SuccessOut>()),
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
    /// The account's password.
    password: String,
}

async fn update(
    Signed(caller): Signed,
    shared: web::Data<Shared>,
    Given(body): Given<UpdateBody>,
) -> Result<HttpResponse, Fault> {
    let message = Rename {
        user: caller.user.clone(),
        name: body.name,
    };
    shared.organizations.ask(message).await?;
    Ok(HttpResponse::Ok().json(StatusOut::DONE))
}

async fn change_password(
    Signed(caller): Signed,
    shared: web::Data<Shared>,
    Given(body): Given<ChangePasswordBody>,
) -> Result<HttpResponse, Fault> {
    let message = ChangePassword {
        session: caller.id.clone(),
        user: caller.user.clone(),
        current: body.current_password.into(),
        new: body.new_password.into(),
        end_others: body.revoke_other_sessions,
    };
    let signed_in = shared.organizations.ask(message).await?;
    Ok(HttpResponse::Ok()
        .insert_header(cookie::set(&shared, &signed_in, true))
        .json(SignedInOut::from(&signed_in)))
}

async fn delete(
    Signed(caller): Signed,
    shared: web::Data<Shared>,
    Given(body): Given<DeleteBody>,
) -> Result<HttpResponse, Fault> {
    let message = DeleteAccount {
        user: caller.user.clone(),
        password: body.password.into(),
    };
    shared.organizations.ask(message).await?;
    let user = caller.user.clone();
    shared.keys.ask(EraseMaker { user }).await?;
    Ok(HttpResponse::Ok()
        .insert_header(cookie::removed(&shared))
        .json(SuccessOut {
            success: true,
            message: Some("User deleted"),
        }))
}
