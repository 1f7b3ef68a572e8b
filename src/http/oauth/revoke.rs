//! `POST /oauth/revoke`: an app gives a token back (RFC 7009). Nothing is answered with its tokens from then on.

use actix_web::{HttpRequest, HttpResponse, http::Method, web};
use bytes::Bytes;
use serde_json::json;

use super::{parameters::Parameters, refusal::Stopped};
use crate::{
    actors::oauth::Revocation,
    fault::Fault,
    http::{
        Host, Shared,
        routes::{ErrorFormat, Route},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let form = json!({
        "type": "object", "required": ["token"],
        "properties": {
            "token": { "type": "string", "description": "An access or refresh token" },
            "token_type_hint": { "type": "string", "description": "Ignored" },
            "client_id": { "type": "string", "description": "From the registration" },
        },
    });
    vec![
        Route::new(Method::POST, Host::Base, super::REVOKE, |route| route.to(revoke))
            .says(
                "Revoke a token",
                "Ends what the person allowed, with all of its tokens, at once (RFC 7009). An unknown token is success, too.",
            )
            .or_form(form)
            .empty()
            .error_format(ErrorFormat::As("OAuthError")),
    ]
}

async fn revoke(
    request: HttpRequest,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    match revoked(&request, &body, &shared).await {
        Ok(()) => Ok(HttpResponse::Ok().finish()),
        Err(Stopped::Refused(refusal)) => Ok(refusal.answer()),
        Err(Stopped::Fault(fault)) => Err(fault),
    }
}

async fn revoked(request: &HttpRequest, body: &[u8], shared: &Shared) -> Result<(), Stopped> {
    let form = Parameters::from_form(request.headers(), body)?;
    let revocation = Revocation {
        token: form.require("token")?.into(),
        app: form.get("client_id").map(str::to_owned),
    };
    Ok(shared.oauth.revoke(revocation).await?)
}
