//! `POST /oauth/token`: codes and refresh tokens become tokens.

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    http::{Method, header::PRAGMA},
    web,
};
use bytes::Bytes;
use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    parameters::Parameters,
    read_scopes,
    refusal::{Refusal, Stopped},
};
use crate::{
    access::Scope,
    actors::oauth::{ACCESS_TOKEN_S, CodeExchange, Refresh, Resource, Tokens},
    fault::Fault,
    http::{
        Host, Shared, admission, audience,
        routes::{ErrorFormat, Route},
        schema::schema,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, Host::Base, super::TOKEN, |route| route.to(token))
            .says(
                "Get tokens",
                "For a code with its verifier (PKCE), or for a refresh token, which is worthless from then on. Either is good once; a \
                 second use ends what the person allowed.",
            )
            .or_form(form())
            .answers(schema::<TokensOut>())
            .error_format(ErrorFormat::As("OAuthError")),
    ]
}

/// The fields of the form.
fn form() -> Value {
    let text = |says: &str| json!({ "type": "string", "description": says });
    json!({
        "type": "object", "required": ["grant_type", "client_id"],
        "properties": {
            "grant_type": { "type": "string", "description": "`authorization_code` or `refresh_token`" },
            "client_id": text("The same as before"),
            "code": text("From the answer to the redirect URI; it is good for a minute"),
            "code_verifier": text("43 to 128 characters, whose SHA-256 was the challenge"),
            "redirect_uri": text("Where the code was sent"),
            "refresh_token": text("The last one"),
            "scope": text("Not more than was granted"),
            "resource": text("The same as before (RFC 8707)"),
        },
    })
}

/// Fresh tokens.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OAuthTokens")]
struct TokensOut {
    access_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds.
    expires_in: i64,
    refresh_token: String,
    /// What the person allowed, which may be less than was asked for.
    scope: String,
}

impl From<Tokens> for TokensOut {
    fn from(tokens: Tokens) -> Self {
        let scopes: Vec<_> = tokens.scopes.into_iter().map(Scope::as_str).collect();
        Self {
            access_token: tokens.access.expose_secret().to_owned(),
            token_type: "Bearer",
            expires_in: ACCESS_TOKEN_S,
            refresh_token: tokens.refresh.expose_secret().to_owned(),
            scope: scopes.join(" "),
        }
    }
}

async fn token(
    request: HttpRequest,
    body: Bytes,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    match issued(&request, &body, &shared).await {
        Ok(tokens) => Ok(HttpResponse::Ok()
            .insert_header((PRAGMA, "no-cache"))
            .json(TokensOut::from(tokens))),
        Err(Stopped::Refused(refusal)) => {
            // It may be a guess.
            let address = request.extensions().get().copied();
            admission::admit_guess(&shared, address).await?;
            Ok(refusal.answer())
        }
        Err(Stopped::Fault(fault)) => Err(fault),
    }
}

async fn issued(request: &HttpRequest, body: &[u8], shared: &Shared) -> Result<Tokens, Stopped> {
    let form = Parameters::from_form(request.headers(), body)?;
    let kind = form.require("grant_type")?;
    let app = form.require("client_id").map(str::to_owned);
    match kind {
        "authorization_code" => {
            let exchange = CodeExchange {
                app: app?,
                code: form.require("code")?.into(),
                verifier: form.require("code_verifier")?.into(),
                redirect_uri: form.get("redirect_uri").map(str::to_owned),
                resource: asked_resource(shared, &form)?,
            };
            Ok(shared.oauth.exchange(exchange).await?)
        }
        "refresh_token" => {
            let unknown = || Refusal::new("invalid_scope", "The scope is unknown");
            let scopes = form
                .get("scope")
                .map(|text| read_scopes(text).ok_or_else(unknown));
            let refresh = Refresh {
                app: app?,
                token: form.require("refresh_token")?.into(),
                scopes: scopes.transpose()?,
                resource: asked_resource(shared, &form)?,
            };
            Ok(shared.oauth.refresh(refresh).await?)
        }
        _ => {
            let why = "grant_type is authorization_code or refresh_token";
            Err(Refusal::new("unsupported_grant_type", why).into())
        }
    }
}

fn asked_resource(shared: &Shared, form: &Parameters) -> Result<Option<Resource>, Refusal> {
    let Some(text) = form.get("resource") else {
        return Ok(None);
    };
    let known = audience::from_address(&shared.urls, text);
    let unknown = || Refusal::new("invalid_target", "The resource isn't one of this server");
    known.map(Some).ok_or_else(unknown)
}
