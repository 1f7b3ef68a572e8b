//! `GET /oauth/authorize`: what an app asks a person. The page that asks them is in `pages`.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{LOCATION, REFERRER_POLICY},
    },
};

use super::{parameters::Parameters, read_scopes};
use crate::{
    access::Scope,
    actors::oauth::{App, OAuthError, OFFERED, RedirectUri, Resource, is_address, is_challenge},
    fault::Fault,
    http::{Host, Shared, Urls, audience, people::Budget, routes::Route},
};

/// The consent page.
pub(in crate::http) const CONSENT: &str = "/console/oauth/authorize";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, Host::Base, super::AUTHORIZE, |route| route.to(authorize))
            .says(
                "Authorize an app",
                "Leads the person's browser to the page that asks them, which leads it back to the app with `code`, `state` and \
                 `iss` (RFC 9207), or with `error`. The page explains a wrong request and never redirects to \
                 an address that the person hasn't agreed to.",
            )
            .takes("client_id", "From the registration, or the address of the app's metadata")
            .takes("redirect_uri", "One of those that were registered; on the person's own machine the port may differ")
            .takes("response_type", "`code`")
            .takes("code_challenge", "SHA-256 of the verifier, in base64url")
            .takes("code_challenge_method", "`S256`")
            .takes("scope", "Separated by spaces. Default: all that apps may have. The person chooses among them")
            .takes("resource", "What the token is for (RFC 8707): `{base_url}/v1/mcp`, which is the default, or `{base_url}` for the API")
            .takes("state", "Returned unchanged")
            .redirects(),
    ]
}

async fn authorize(request: HttpRequest) -> HttpResponse {
    let page = format!("{CONSENT}?{}", request.query_string());
    HttpResponse::SeeOther()
        .insert_header((LOCATION, page))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .finish()
}

/// What an app asks a person.
#[derive(Debug, Clone)]
pub(in crate::http) struct Question {
    pub(in crate::http) app: App,
    /// As it was asked; an app registered it.
    pub(in crate::http) redirect_uri: String,
    pub(in crate::http) state: Option<String>,
    pub(in crate::http) scopes: Vec<Scope>,
    pub(in crate::http) resource: Resource,
    pub(in crate::http) challenge: String,
}

/// Why a person is asked nothing.
#[derive(Debug)]
pub(in crate::http) enum Objection {
    /// The app or its address is unknown, so nothing is sent anywhere (threat T69).
    Unknown(Cow<'static, str>),
    /// The app asks for what there isn't.
    Wrong {
        app: App,
        /// The app's own address with the error behind it.
        answer: String,
        description: &'static str,
    },
}

/// Reads what an app asks.
pub(in crate::http) async fn read(
    shared: &Shared,
    request: &HttpRequest,
) -> Result<Result<Question, Objection>, Fault> {
    let unknown = |why: &'static str| Ok(Err(Objection::Unknown(why.into())));
    let parameters = match Parameters::from_query(request.query_string()) {
        Ok(parameters) => parameters,
        Err(why) => return unknown(why),
    };
    let id = parameters.get("client_id").unwrap_or_default();
    if is_address(id) {
        // It makes this server ask another.
        Budget::REGISTER.take(shared, request).await?;
    }
    let app = match shared.oauth.find_asking_app(id).await {
        Ok(Some(app)) => app,
        Ok(None) => {
            return unknown(
                "The app isn't registered here, or no longer (client_id). Connect it again.",
            );
        }
        Err(wrong @ OAuthError::Document { .. }) => {
            return Ok(Err(Objection::Unknown(wrong.to_string().into())));
        }
        Err(error) => return Err(error.into()),
    };
    let asked = parameters.get("redirect_uri").unwrap_or_default();
    let mut registered = app.redirect_uris.iter();
    if !registered.any(|own| RedirectUri::allows(own, asked)) {
        return unknown(
            "The app asks to be answered at an address that it didn't register (redirect_uri).",
        );
    }
    let redirect_uri = asked.to_owned();
    let state = parameters.get("state").map(str::to_owned);
    Ok(match check(&shared.urls, &parameters) {
        Ok((scopes, resource, challenge)) => Ok(Question {
            app,
            redirect_uri,
            state,
            scopes,
            resource,
            challenge,
        }),
        Err((error, description)) => {
            let said = [("error", error), ("error_description", description)];
            let answer = answer(&shared.urls, &redirect_uri, state.as_deref(), &said);
            Err(Objection::Wrong {
                app,
                answer: answer?,
                description,
            })
        }
    })
}

/// The parameters that an app may get wrong, or which error that is.
fn check(
    urls: &Urls,
    parameters: &Parameters,
) -> Result<(Vec<Scope>, Resource, String), (&'static str, &'static str)> {
    if parameters.get("response_type") != Some("code") {
        return Err(("unsupported_response_type", "response_type has to be code"));
    }
    if parameters.get("code_challenge_method") != Some("S256") {
        let why = "code_challenge_method has to be S256 (PKCE)";
        return Err(("invalid_request", why));
    }
    let challenge = parameters.get("code_challenge").unwrap_or_default();
    if !is_challenge(challenge) {
        let why = "code_challenge has to be a SHA-256 in base64url (PKCE)";
        return Err(("invalid_request", why));
    }
    let scopes = match parameters.get("scope") {
        None => OFFERED.to_vec(),
        Some(text) => {
            let why = "scope has an unknown word";
            let scopes = read_scopes(text).filter(|scopes| !scopes.is_empty());
            scopes.ok_or(("invalid_scope", why))?
        }
    };
    let asked = match parameters.get("resource") {
        None => Some(Resource::Mcp),
        Some(text) => audience::from_address(urls, text),
    };
    let why = "resource isn't one of this server";
    let asked = asked.ok_or(("invalid_target", why))?;
    Ok((scopes, asked, challenge.to_owned()))
}

/// The address that leads back to an app, with whose answer it is (RFC 9207, threat T72).
pub(in crate::http) fn answer(
    urls: &Urls,
    redirect_uri: &str,
    state: Option<&str>,
    said: &[(&str, &str)],
) -> Result<String, Fault> {
    let uri = RedirectUri::parse(redirect_uri);
    let uri = uri.map_err(|why| Fault::internal(anyhow::anyhow!(why)))?;
    let mut all = said.to_vec();
    all.extend(state.map(|state| ("state", state)));
    all.push(("iss", urls.base.as_str()));
    Ok(uri.with(&all))
}
