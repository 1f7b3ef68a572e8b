//! Signing in and out, and making accounts.

use actix_web::{HttpRequest, HttpResponse, web};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Budget, browser, cookie, get, post,
    shapes::{SignedInOut, SuccessOut, WhoOut},
    two_factor,
};
use crate::{
    access::Principal,
    actors::organizations::{OrganizationError, SignIn, SignInOutcome, SignOut, SignUp, SignedIn},
    fault::{Classify, Fault},
    http::{
        Shared,
        auth::{self, Caller, session_cookie},
        extract::JsonBody,
        language::requested_language,
        routes::Route,
        schema::schema,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        post("/api/auth/sign-in/email", |route| route.to(sign_in))
            .says(
                "Sign in",
                "Opens a session and sets its cookie. Ten wrong passwords for an account, or thirty from an address, in 15 \
                 minutes, and it is 429 until the first of them is 15 minutes old. A browser that has signed in to the account \
                 before has a cookie that says so, and its wrong passwords are counted apart from all others. A new password \
                 (`reset-password`) ends the wait. With two-factor authentication the answer is \
                 `twoFactorRedirect` in place of a session, and `two-factor/verify-totp`, `two-factor/verify-backup-code` or \
                 `passkey/verify-authentication` goes on with it.",
            )
            .body(schema::<SignInBody>())
            .answers(schema::<SignInOut>()),
        post("/api/auth/sign-up/email", |route| route.to(sign_up))
            .says(
                "Sign up",
                "Makes an account and signs it in. Refused (403) unless the operator has opened sign-up (`signup.open`), or \
                 the person is invited: then with `invitation`, which is accepted.",
            )
            .body(schema::<SignUpBody>())
            .or(402)
            .or(404)
            .or(409)
            .answers(schema::<SignedInOut>()),
        post("/api/auth/sign-out", |route| route.to(sign_out))
            .says("Sign out", "Ends the session of the cookie and removes it.")
            .answers(schema::<SuccessOut>()),
        get("/api/auth/get-session", |route| route.to(get_session))
            .says(
                "Get your session",
                "The session of the cookie and its person, or null.",
            )
            .answers(schema::<Option<WhoOut>>()),
    ]
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SignInBody {
    /// The account's address; case does not matter.
    email: String,
    /// Its password.
    password: String,
    /// Whether the cookie outlives the browser.
    #[serde(default = "yes")]
    remember_me: bool,
}

#[derive(Deserialize, JsonSchema)]
struct SignUpBody {
    /// What the person is called, 1 to 100 characters.
    name: String,
    /// The address to sign in with.
    email: String,
    /// At least 8 characters.
    password: String,
    /// The token that an invitation's link ends in.
    invitation: Option<String>,
}

/// What signing in answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "says in the schema what two places write")]
enum SignInOut {
    CurrentSession(Box<SignedInOut>),
    Waits(two_factor::WaitsOut),
}

/// Opens a session for the person who knows the password of an account, or says that a second factor is due.
pub(in crate::http) async fn open(
    shared: &Shared,
    request: &HttpRequest,
    email: String,
    password: String,
) -> Result<SignInOutcome, Fault> {
    // Taken before anything is known: a burst cannot try more than what is left.
    Budget::SIGN_IN.take(shared, request).await?;
    let message = SignIn {
        email,
        password: password.into(),
        user_agent: browser(request),
        device: cookie::device(shared, request),
    };
    let opened = shared.organizations.ask(message).await;
    if !matches!(opened, Err(OrganizationError::WrongCredentials)) {
        Budget::SIGN_IN.give_back(shared, request).await?;
    }
    opened.map_err(Classify::classify)
}

/// Who wants an account.
pub(in crate::http) struct Newcomer {
    pub(in crate::http) name: String,
    pub(in crate::http) email: String,
    pub(in crate::http) password: String,
    /// The token of the invitation that is accepted on the way.
    pub(in crate::http) invitation: Option<String>,
}

/// Makes an account and opens a session for it.
pub(in crate::http) async fn join(
    shared: &Shared,
    request: &HttpRequest,
    newcomer: Newcomer,
) -> Result<SignedIn, Fault> {
    Budget::SIGN_UP.take(shared, request).await?;
    let message = SignUp {
        name: newcomer.name,
        email: newcomer.email,
        password: newcomer.password.into(),
        language: requested_language(request.headers()),
        invitation: newcomer.invitation.map(Into::into),
        user_agent: browser(request),
    };
    Ok(shared.organizations.ask(message).await?)
}

/// Ends the session of a caller who has one.
pub(in crate::http) async fn leave(shared: &Shared, caller: &Principal) -> Result<(), Fault> {
    if let Principal::Session(session) = caller {
        let session = session.id.clone();
        shared.organizations.ask(SignOut { session }).await?;
    }
    Ok(())
}

async fn sign_in(
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<SignInBody>,
) -> Result<HttpResponse, Fault> {
    let opened = open(&shared, &request, body.email, body.password).await?;
    let signed_in = match opened {
        SignInOutcome::Session(signed_in) => signed_in,
        SignInOutcome::Waits { token, factors } => {
            return Ok(two_factor::waits(
                &shared,
                (&token, factors),
                body.remember_me,
            ));
        }
    };
    let mut answer = HttpResponse::Ok();
    cookie::sign_in(&mut answer, &shared, &signed_in, body.remember_me);
    Ok(answer.json(SignedInOut::from(&signed_in)))
}

async fn sign_up(
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<SignUpBody>,
) -> Result<HttpResponse, Fault> {
    let newcomer = Newcomer {
        name: body.name,
        email: body.email,
        password: body.password,
        invitation: body.invitation,
    };
    let signed_in = join(&shared, &request, newcomer).await?;
    let mut answer = HttpResponse::Ok();
    cookie::sign_in(&mut answer, &shared, &signed_in, true);
    Ok(answer.json(SignedInOut::from(&signed_in)))
}

async fn sign_out(caller: Caller, shared: web::Data<Shared>) -> Result<HttpResponse, Fault> {
    leave(&shared, &caller.principal).await?;
    Ok(HttpResponse::Ok()
        .insert_header(cookie::removed(&shared))
        .json(SuccessOut {
            success: true,
            message: None,
        }))
}

async fn get_session(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let view = shared.organizations.view();
    let name = session_cookie(shared.urls.is_https());
    let who = match caller.principal {
        Principal::Session(_) => auth::cookie(request.headers(), name)
            .and_then(|token| view.live_session(token, shared.clock.now_ms()))
            .and_then(|session| {
                let person = view.person(&session.grant.user)?;
                Some(WhoOut {
                    session: (&**session).into(),
                    user: (&**person).into(),
                })
            }),
        Principal::Key(_) | Principal::Anonymous => None,
    };
    HttpResponse::Ok().json(who)
}
