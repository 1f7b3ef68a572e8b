//! A person has signed out at the provider.

use actix_web::{HttpRequest, HttpResponse, http::header::CONTENT_TYPE, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refuse;
use crate::{
    actors::organizations::EndProviderSessions,
    fault::Fault,
    http::{Shared, people::Budget},
    oidc::{Failure, Logout, Provider},
};

#[derive(Deserialize, JsonSchema)]
pub(super) struct LogoutBody {
    /// The provider's signed token.
    logout_token: String,
}

#[derive(Deserialize)]
pub(super) struct LogoutQuery {
    #[serde(default)]
    iss: String,
    sid: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LogoutOut {
    /// Always true, also where no session was open.
    success: bool,
}

pub(super) async fn back_channel(
    request: HttpRequest,
    shared: web::Data<Shared>,
    path: web::Path<String>,
    body: web::Bytes,
) -> Result<HttpResponse, Fault> {
    let provider = shared.federation.provider(&shared.records, &path).await?;
    let token = token(&request, &body);
    let token = token.ok_or_else(|| Fault::invalid("Send the form field `logout_token`"))?;
    Budget::PROVIDER.take(&shared, &request).await?;
    let logout = provider.logout(&token).await;
    let logout = logout.map_err(|failure| refuse(&path, &failure))?;
    Budget::PROVIDER.give_back(&shared, &request).await?;
    end_sessions(&shared, &provider, logout).await
}

fn token(request: &HttpRequest, body: &[u8]) -> Option<String> {
    let kind = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    if kind.starts_with("application/json") {
        let body: LogoutBody = serde_json::from_slice(body).ok()?;
        return Some(body.logout_token);
    }
    let mut pairs = url::form_urlencoded::parse(body);
    let (_, token) = pairs.find(|(name, _)| name == "logout_token")?;
    Some(token.into_owned())
}

pub(super) async fn front_channel(
    shared: web::Data<Shared>,
    path: web::Path<String>,
    query: web::Query<LogoutQuery>,
) -> Result<HttpResponse, Fault> {
    let provider = shared.federation.provider(&shared.records, &path).await?;
    if query.iss != provider.options.issuer {
        return Err(refuse(&path, &Failure::OtherIssuer));
    }
    // Without it anybody's sessions would be meant.
    let session = query.into_inner().sid;
    let session = session.ok_or_else(|| Fault::invalid("Name the session: `sid`"))?;
    let logout = Logout {
        subject: None,
        session: Some(session),
    };
    end_sessions(&shared, &provider, logout).await
}

async fn end_sessions(
    shared: &Shared,
    provider: &Provider,
    logout: Logout,
) -> Result<HttpResponse, Fault> {
    let message = EndProviderSessions {
        provider: provider.options.name.clone(),
        issuer: provider.options.issuer.clone(),
        subject: logout.subject,
        session: logout.session,
    };
    shared.organizations.ask(message).await?;
    Ok(HttpResponse::Ok().json(LogoutOut { success: true }))
}
