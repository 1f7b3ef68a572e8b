//! A new password for people who have forgotten theirs.

use actix_web::{HttpRequest, HttpResponse, web};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Budget, post, shapes::StatusOut};
use crate::{
    actors::organizations::{ForgotPassword, OrganizationError, ResetPassword},
    fault::{Classify, Fault},
    http::{Shared, extract::JsonBody, language::browsers_language, routes::Route, schema::schema},
};

pub(super) fn routes() -> Vec<Route> {
    let forgot = |path: &'static str| {
        post(path, |route| route.to(forgot))
            .says(
                "Request a password reset",
                "Sends a link for a new password to the account's address, good for an hour. The answer is the same whether \
                 there is such an account or not. Without mail (`mail.smtp_url`) it is 400: the operator runs `pharos user \
                 reset-password`.",
            )
            .body(schema::<ForgotBody>())
            .answers(schema::<StatusOut>())
    };
    vec![
        forgot("/api/auth/forget-password"),
        forgot("/api/auth/request-password-reset"),
        post("/api/auth/reset-password", |route| route.to(reset))
            .says(
                "Set a new password",
                "Sets a new password with the token of an emailed link. The token works once; all sessions of the account end.",
            )
            .body(schema::<ResetBody>())
            .answers(schema::<StatusOut>()),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct ForgotBody {
    /// The account's address.
    email: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResetBody {
    /// What the link ends in.
    token: String,
    /// At least 8 characters.
    new_password: String,
}

/// Sends a link for a new password, if there is an account with this address.
pub(in crate::http) async fn send(
    shared: &Shared,
    request: &HttpRequest,
    email: String,
) -> Result<(), Fault> {
    Budget::FORGOT.take(shared, request).await?;
    let message = ForgotPassword {
        email,
        base_url: shared.urls.base.clone(),
        language: browsers_language(request.headers()),
    };
    Ok(shared.organizations.ask(message).await?)
}

/// Sets a new password for the person who has the link with this token.
pub(in crate::http) async fn set(
    shared: &Shared,
    request: &HttpRequest,
    token: String,
    password: String,
) -> Result<(), Fault> {
    Budget::RESET.take(shared, request).await?;
    let message = ResetPassword {
        token: token.into(),
        password: password.into(),
    };
    let set = shared.organizations.ask(message).await;
    if !matches!(set, Err(OrganizationError::BadLink)) {
        Budget::RESET.give_back(shared, request).await?;
    }
    set.map_err(Classify::classify)
}

async fn forgot(
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<ForgotBody>,
) -> Result<HttpResponse, Fault> {
    send(&shared, &request, body.email).await?;
    Ok(HttpResponse::Ok().json(StatusOut::DONE))
}

async fn reset(
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<ResetBody>,
) -> Result<HttpResponse, Fault> {
    set(&shared, &request, body.token, body.new_password).await?;
    Ok(HttpResponse::Ok().json(StatusOut::DONE))
}
