//! Signing in with a passkey.

use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Ceremony, PENDING, Question, log, options_schema, over, post, read_pending, unreadable,
};
use crate::{
    access::Principal,
    actors::organizations::{Challenge, OrganizationError, SignInWithPasskey, SignedIn},
    fault::{Classify as _, Fault},
    http::{
        Shared,
        auth::Caller,
        extract::JsonBody,
        people::{Budget, browser, cookie, get, shapes::SignedInOut, two_factor},
        routes::Route,
        schema::schema,
    },
    passkeys::{Authentication, PublicKeyCredential, credential_id},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/api/auth/passkey/generate-authenticate-options", |route| {
            route.to(ask)
        })
        .says(
            "Get options to sign in with a passkey",
            "The options for `navigator.credentials.get`. They name no account: the authenticator knows whose passkey it is. A \
             cookie keeps the challenge for five minutes.",
        )
        .or(400)
        .answers(options_schema()),
        post("/api/auth/passkey/verify-authentication", |route| {
            route.to(verify)
        })
        .says(
            "Sign in with a passkey",
            "Opens a session and sets its cookie. Where the browser has a sign-in of the same person that was answered with \
             `twoFactorRedirect`, that one is completed. An answer is good once. Thirty that are refused from an address in 15 \
             minutes, and it is 429.",
        )
        .body(schema::<VerifyBody>())
        .answers(schema::<SignedInOut>()),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct VerifyBody {
    /// What `navigator.credentials.get` returned, as JSON.
    response: Value,
}

async fn ask(shared: web::Data<Shared>) -> Result<HttpResponse, Fault> {
    let started = shared.passkeys.site()?.start_authentication();
    let (options, started) = started.map_err(Fault::internal)?;
    Ok(Question::new(&shared, options, Ceremony::SignIn(started))?.respond())
}

async fn verify(
    caller: Caller,
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<VerifyBody>,
) -> Result<HttpResponse, Fault> {
    let mut answer = HttpResponse::Ok();
    let signed_in = finish(
        &request,
        &caller.principal,
        &shared,
        body.response,
        &mut answer,
    )
    .await?;
    Ok(answer.json(SignedInOut::from(&signed_in)))
}

/// Opens a session for the person who used a passkey; the answer gets the cookies that say so.
pub(in crate::http) async fn finish(
    request: &HttpRequest,
    caller: &Principal,
    shared: &Shared,
    given: Value,
    answer: &mut HttpResponseBuilder,
) -> Result<SignedIn, Fault> {
    // A key decides, and no key signs anybody in.
    if matches!(caller, Principal::Key(_)) {
        return Err(OrganizationError::PasskeyRefused.classify());
    }
    let pending = read_pending(shared, request)?;
    let challenge = pending.challenge();
    let Ceremony::SignIn(started) = pending.ceremony else {
        return Err(over());
    };
    let given: PublicKeyCredential =
        serde_json::from_value(given).map_err(|error| unreadable(&error))?;
    Budget::SIGN_IN.take(shared, request).await?;
    let opened = open(shared, request, (given, started), challenge).await;
    if !matches!(opened, Err(OrganizationError::PasskeyRefused)) {
        Budget::SIGN_IN.give_back(shared, request).await?;
    }
    let signed_in = opened?;
    let waiting = two_factor::waiting(shared, request);
    let remember = waiting.is_none_or(|(_, remember)| remember);
    cookie::sign_in(answer, shared, &signed_in, remember)
        .append_header(two_factor::WAITING.remove(shared))
        .append_header(PENDING.remove(shared));
    Ok(signed_in)
}

async fn open(
    shared: &Shared,
    request: &HttpRequest,
    (given, started): (PublicKeyCredential, Authentication),
    challenge: Challenge,
) -> Result<SignedIn, OrganizationError> {
    let id = credential_id(given.get_credential_id());
    let passkey = shared.records.passkey_by_credential(&id).await?;
    let passkey = passkey.ok_or(OrganizationError::PasskeyRefused)?;
    let site = shared.passkeys.site();
    let site = site.map_err(|_| OrganizationError::PasskeyRefused)?;
    let stored = (&passkey.user, passkey.credential.as_str());
    let used = site.finish_authentication(&given, started, stored);
    let used = used.map_err(|refusal| {
        log(&refusal);
        OrganizationError::PasskeyRefused
    })?;
    let message = SignInWithPasskey {
        passkey,
        used,
        challenge,
        waiting: two_factor::waiting(shared, request).map(|(token, _)| token),
        user_agent: browser(request),
    };
    shared.organizations.ask(message).await
}
