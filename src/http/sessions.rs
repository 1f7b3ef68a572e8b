//! `/api/auth/*`: a person's session and its cookie.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{SET_COOKIE, USER_AGENT},
    },
    web,
};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Host, Shared,
    auth::{Caller, cookie, is_same_site, session_cookie},
    edge::ClientAddress,
    routes::{Access, Route},
};
use crate::{
    access::Principal,
    actors::organizations::{LiveSession, OrganizationError, Person, SignIn, SignOut},
    clock::iso_ms,
    fault::{Classify, Fault},
    store::limits::{Demand, Limits},
};

pub(super) fn routes() -> Vec<Route> {
    let credentials = json!({
        "type": "object", "required": ["email", "password"],
        "properties": { "email": { "type": "string" }, "password": { "type": "string", "format": "password" } },
    });
    let session = json!({
        "type": ["object", "null"],
        "properties": { "session": { "type": "object" }, "user": { "type": "object" } },
    });
    vec![
        Route::new(
            Method::POST,
            Host::Base,
            "/api/auth/sign-in/email",
            |route| route.to(sign_in),
        )
        .says("Sign in", "Opens a session and sets its cookie.")
        .body(credentials)
        .answers(session.clone()),
        Route::new(Method::POST, Host::Base, "/api/auth/sign-out", |route| {
            route.to(sign_out)
        })
        .says("Sign out", "Ends the session of the cookie and removes it.")
        .needs(Access::Public),
        Route::new(Method::GET, Host::Base, "/api/auth/get-session", |route| {
            route.to(get_session)
        })
        .says(
            "Who am I",
            "The session of the cookie and its person, or null.",
        )
        .answers(session),
    ]
}

#[derive(Deserialize)]
struct Credentials {
    email: String,
    password: String,
}

async fn sign_in(
    request: HttpRequest,
    shared: web::Data<Shared>,
    body: web::Json<Credentials>,
) -> Result<HttpResponse, Fault> {
    if !is_same_site(&shared.cors(Host::Base), request.headers()) {
        return Err(Fault::forbidden(
            "Cross-site request refused: the Origin is not ours",
        ));
    }
    let failures = failures(&shared, &request);
    let _ = shared.admission.peek(failures.clone()).await?;
    let Credentials { email, password } = body.into_inner();
    let password = SecretString::from(password);
    let browser = request
        .headers()
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok());
    let user_agent = browser.map(|text| text.chars().take(512).collect());
    let signed_in = match shared
        .organizations
        .ask(SignIn {
            email,
            password,
            user_agent,
        })
        .await
    {
        Ok(signed_in) => signed_in,
        Err(error) => {
            if matches!(error, OrganizationError::WrongCredentials) {
                let _ = shared.admission.admit(failures).await?;
            }
            return Err(error.classify());
        }
    };
    let token = signed_in.token.expose_secret();
    let seconds = (signed_in.session.expires_ms - shared.clock.now_ms()) / 1_000;
    Ok(HttpResponse::Ok()
        .insert_header((
            SET_COOKIE,
            set_cookie(shared.urls.is_https(), token, seconds),
        ))
        .json(described(&signed_in.session, &signed_in.person)))
}

/// The window of failed sign-ins from the client's address; an account's own is kept by its domain.
fn failures(shared: &Shared, request: &HttpRequest) -> Demand {
    use actix_web::HttpMessage as _;
    let address = request.extensions().get::<ClientAddress>().copied();
    let identity = address.map_or_else(
        || crate::store::limits::Identity::of("address", ""),
        |address| address.identity(&shared.secret, "sign-in"),
    );
    Demand::new(identity).rate(Limits::sign_in())
}

async fn sign_out(caller: Caller, shared: web::Data<Shared>) -> Result<HttpResponse, Fault> {
    if let Principal::Session(session) = caller.principal {
        let session = session.id.clone();
        shared.organizations.ask(SignOut { session }).await?;
    }
    Ok(HttpResponse::Ok()
        .insert_header((SET_COOKIE, set_cookie(shared.urls.is_https(), "", 0)))
        .json(json!({ "success": true })))
}

async fn get_session(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let view = shared.organizations.view();
    let described = match caller.principal {
        Principal::Session(_) => cookie(request.headers(), session_cookie(shared.urls.is_https()))
            .and_then(|token| view.live_session(token, shared.clock.now_ms()))
            .and_then(|session| Some(described(session, view.person(&session.grant.user)?))),
        Principal::Key(_) | Principal::Anonymous => None,
    };
    HttpResponse::Ok().json(described)
}

fn described(session: &LiveSession, person: &Person) -> Value {
    json!({
        "session": {
            "id": session.grant.id,
            "userId": session.grant.user,
            "expiresAt": iso_ms(session.expires_ms),
            "createdAt": iso_ms(session.created_ms),
            "updatedAt": iso_ms(session.last_seen_ms()),
            "userAgent": session.user_agent,
            "activeOrganizationId": session.grant.active_organization,
        },
        "user": {
            "id": person.id,
            "email": person.email,
            "name": person.name,
            "createdAt": iso_ms(person.created_ms),
            "updatedAt": iso_ms(person.updated_ms),
        },
    })
}

/// The session cookie: never for scripts, never on cross-site posts; with an empty value it is removed.
fn set_cookie(https: bool, value: &str, seconds: i64) -> String {
    let name = session_cookie(https);
    let secure = if https { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_locked_down() {
        let plain = set_cookie(false, "t", 60);
        assert_eq!(
            plain,
            "pharos_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"
        );
        let secure = set_cookie(true, "t", 60);
        assert_eq!(
            secure,
            "__Host-pharos_session=t; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
