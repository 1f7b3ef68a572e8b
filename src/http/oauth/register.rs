//! `POST /oauth/register`: an app introduces itself. Anybody may, so it counts against the address (threat T73).

use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use super::refusal::{Refusal, Stopped};
use crate::{
    actors::oauth::{App, NewApp},
    fault::Fault,
    http::{
        Host, Shared,
        people::Budget,
        routes::{ErrorFormat, Route},
        schema::schema,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, Host::Base, super::REGISTER, |route| route.to(register))
            .says(
                "Register an app",
                "Dynamic client registration (RFC 7591). An app has no secret. An app that gets no access is forgotten after \
                 24 hours.",
            )
            .body(schema::<NewApp>())
            .answers(schema::<RegisteredApp>())
            .created()
            .or(403)
            .error_format(ErrorFormat::As("OAuthError")),
    ]
}

/// An app that is registered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OAuthApp")]
struct RegisteredApp {
    client_id: String,
    /// Unix seconds.
    client_id_issued_at: i64,
    client_name: String,
    redirect_uris: Vec<String>,
    grant_types: [&'static str; 2],
    response_types: [&'static str; 1],
    /// Always `none`.
    token_endpoint_auth_method: &'static str,
}

impl From<App> for RegisteredApp {
    fn from(app: App) -> Self {
        Self {
            client_id: app.id.into(),
            client_id_issued_at: app.created_ms / 1000,
            client_name: app.name,
            redirect_uris: app.redirect_uris,
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
            token_endpoint_auth_method: "none",
        }
    }
}

async fn register(
    request: HttpRequest,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    Budget::REGISTER.take(&shared, &request).await?;
    match registered(&shared, &body).await {
        Ok(app) => Ok(HttpResponse::Created().json(RegisteredApp::from(app))),
        Err(Stopped::Refused(refusal)) => Ok(refusal.answer()),
        Err(Stopped::Fault(fault)) => Err(fault),
    }
}

async fn registered(shared: &Shared, body: &[u8]) -> Result<App, Stopped> {
    let app: NewApp = serde_json::from_slice(body).map_err(|error| {
        Refusal::new(
            "invalid_client_metadata",
            format!("The body isn't the metadata of an app: {error}"),
        )
    })?;
    Ok(shared.oauth.register(app).await?)
}
