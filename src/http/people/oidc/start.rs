//! To the provider.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION, web};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use super::{ATTEMPT, ATTEMPT_S, refuse, return_address};
use crate::{
    access::{Principal, SessionGrant},
    actors::organizations::is_sso_provider,
    fault::Fault,
    http::{Shared, auth::Caller, next, people::Budget},
    oidc::Attempt,
};

/// A link of the account page counts this long, milliseconds.
const LINK_MS: i64 = 60 * 60 * 1000;

#[derive(Deserialize)]
pub(super) struct StartQuery {
    #[serde(default)]
    next: String,
    link: Option<String>,
}

/// What a link of the account page says. Only that page can make one, so no other site can make a browser link an account.
#[derive(Serialize, Deserialize)]
struct LinkToken {
    session: String,
    until_ms: i64,
}

/// The address that links an account at a provider to the one of a session.
pub(in crate::http) fn link_path(
    shared: &Shared,
    session: &SessionGrant,
    provider: &str,
) -> Result<String, Fault> {
    let token = LinkToken {
        session: session.id.to_string(),
        until_ms: shared.clock.now_ms() + LINK_MS,
    };
    let token = shared
        .federation
        .attempts
        .seal(&token)
        .map_err(Fault::internal)?;
    Ok(format!(
        "/api/auth/oidc/{provider}?link={}",
        token.expose_secret()
    ))
}

pub(super) async fn start(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    path: web::Path<String>,
    query: web::Query<StartQuery>,
) -> Result<HttpResponse, Fault> {
    let provider = shared.federation.provider(&shared.records, &path).await?;
    let now_ms = shared.clock.now_ms();
    let link = match &query.link {
        None => None,
        Some(_) if is_sso_provider(&path) => {
            return Err(Fault::invalid(
                "This provider can't be linked. Sign in with it under Use single sign-on.",
            ));
        }
        Some(token) => Some(linking_session(&shared, &caller.principal, token, now_ms)?),
    };
    // Every address has to be asked for at the provider where it fails.
    Budget::PROVIDER.take(&shared, &request).await?;
    let attempt = Attempt::new(&path, next::safe(&query.next), link, now_ms);
    let attempt = attempt.map_err(Fault::internal)?;
    let back = return_address(&shared, &path);
    let url = provider.start(&attempt, &back).await;
    let url = url.map_err(|failure| refuse(&path, &failure))?;
    Budget::PROVIDER.give_back(&shared, &request).await?;
    let sealed = shared
        .federation
        .attempts
        .seal(&attempt)
        .map_err(Fault::internal)?;
    Ok(HttpResponse::SeeOther()
        .insert_header((LOCATION, url.as_str()))
        .insert_header(ATTEMPT.set(&shared, sealed.expose_secret(), ATTEMPT_S))
        .finish())
}

/// The session that a link of the account page was made for, which has to be the caller's.
fn linking_session(
    shared: &Shared,
    caller: &Principal,
    token: &str,
    now_ms: i64,
) -> Result<String, Fault> {
    let token = shared.federation.attempts.open::<LinkToken>(token);
    let token = token.filter(|token| now_ms < token.until_ms);
    match (token, caller) {
        (Some(token), Principal::Session(session)) if session.id.as_str() == token.session => {
            Ok(token.session)
        }
        _ => Err(Fault::invalid(
            "This link expired. Go back to Your account and link the sign-in again.",
        )),
    }
}
