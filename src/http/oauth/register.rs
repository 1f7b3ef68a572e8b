//! `POST /oauth/register`: an app introduces itself. Anybody may, so it counts against the address (threat T73).

use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
            .body(schema::<Metadata>())
            .answers(schema::<RegisteredApp>())
            .created()
            .or(403)
            .error_format(ErrorFormat::As("OAuthError")),
    ]
}

/// What an app says of itself. More is ignored.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "OAuthAppMetadata")]
struct Metadata {
    /// Where codes are sent: `https`, `http` on the person's own machine, or a scheme of the app's own. 1 to 10.
    #[serde(default)]
    #[schemars(required)]
    redirect_uris: Vec<String>,
    /// As people see it, at most 100 characters.
    client_name: Option<String>,
    /// `authorization_code`, and `refresh_token` if the app likes.
    grant_types: Option<Vec<String>>,
    /// `code`.
    response_types: Option<Vec<String>>,
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
    let metadata: Metadata = serde_json::from_slice(body).map_err(|error| {
        Refusal::new(
            "invalid_client_metadata",
            format!("The body isn't the metadata of an app: {error}"),
        )
    })?;
    let lacks = |list: &Option<Vec<String>>, needed: &str| {
        let list = list.as_ref();
        list.is_some_and(|list| !list.iter().any(|one| one == needed))
    };
    if lacks(&metadata.grant_types, "authorization_code") || lacks(&metadata.response_types, "code")
    {
        let why = "Only the grant type authorization_code with the response type code is supported";
        return Err(Refusal::new("invalid_client_metadata", why).into());
    }
    let app = NewApp {
        name: metadata.client_name,
        redirect_uris: metadata.redirect_uris,
    };
    Ok(shared.oauth.register(app).await?)
}
