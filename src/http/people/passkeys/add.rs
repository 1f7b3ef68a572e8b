//! Adding a passkey.

use actix_web::{HttpRequest, HttpResponse, web};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Ceremony, PENDING, Question, log, options_schema, over, post, read_pending, shapes::AddedOut,
    unreadable,
};
use crate::{
    access::SessionGrant,
    actors::organizations::{AddPasskey, AddedPasskey, StartPasskey},
    fault::Fault,
    http::{
        Shared,
        extract::{CurrentSession, JsonBody},
        people::{get, two_factor::code_texts},
        routes::{Access, Route},
        schema::schema,
    },
    ids::SessionId,
    passkeys::{RegisterPublicKeyCredential, Registrant},
};

const OPTIONS: &str = "/api/auth/passkey/generate-register-options";

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(OPTIONS, |route| route.to(ask_fresh))
            .says(
                "Get options for a new passkey",
                "What `navigator.credentials.create` takes. What was asked is kept in a cookie for five minutes. Only within ten \
                 minutes of a sign-in (400); later, `POST` with the password. An account has up to 20 passkeys (403).",
            )
            .or(400)
            .needs(Access::Session)
            .answers(options_schema()),
        post(OPTIONS, |route| route.to(ask))
            .says(
                "Get options for a new passkey, with the password",
                "The same at any time after a sign-in.",
            )
            .needs(Access::Session)
            .body(schema::<PasswordBody>())
            .answers(options_schema()),
        post("/api/auth/passkey/verify-registration", |route| {
            route.to(verify)
        })
        .says(
            "Add a passkey",
            "Stores the passkey that the browser made. It signs in without a password, or as the second step after one. An \
            account without backup codes gets ten of them.",
        )
        .needs(Access::Session)
        .body(schema::<VerifyBody>())
        .or(409)
        .answers(schema::<AddedOut>()),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct PasswordBody {
    /// Not needed within ten minutes of a sign-in.
    password: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct VerifyBody {
    /// What `navigator.credentials.create` returned, as JSON.
    response: Value,
    /// What the person calls it, up to 100 characters.
    #[serde(default)]
    name: String,
}

/// Asks a person's authenticator for a passkey.
pub(in crate::http) async fn start(
    shared: &Shared,
    caller: &SessionGrant,
    password: Option<String>,
) -> Result<Question, Fault> {
    let site = shared.passkeys.site()?;
    let message = StartPasskey {
        session: caller.id.clone(),
        password: password.map(Into::into),
    };
    let applicant = shared.organizations.ask(message).await?;
    let registrant = Registrant {
        user: &applicant.user,
        email: &applicant.email,
        name: &applicant.name,
        credentials: &applicant.credentials,
    };
    let started = site.start_registration(&registrant);
    let (options, started) = started.map_err(Fault::internal)?;
    let ceremony = Ceremony::Add {
        session: caller.id.to_string(),
        started,
    };
    Question::new(shared, options, ceremony)
}

/// Stores the passkey that an authenticator made.
pub(in crate::http) async fn finish(
    shared: &Shared,
    request: &HttpRequest,
    caller: &SessionGrant,
    (mut answer, name): (Value, String),
) -> Result<AddedPasskey, Fault> {
    let pending = read_pending(shared, request)?;
    let challenge = pending.challenge();
    let Ceremony::Add { session, started } = pending.ceremony else {
        return Err(over());
    };
    // Meanwhile the person may have signed out, or signed in to another account.
    if session != caller.id.as_str() {
        return Err(over());
    }
    // They are only a hint, and browsers have new names for them.
    if let Some(response) = answer["response"].as_object_mut() {
        response.remove("transports");
    }
    let answer: RegisterPublicKeyCredential =
        serde_json::from_value(answer).map_err(|error| unreadable(&error))?;
    let made = shared
        .passkeys
        .site()?
        .finish_registration(&answer, &started);
    let credential = made.map_err(|refusal| {
        log(&refusal);
        Fault::invalid("The passkey wasn't created for this site. Try again.")
    })?;
    let message = AddPasskey {
        session: SessionId::from(session),
        name,
        credential,
        challenge,
    };
    Ok(shared.organizations.ask(message).await?)
}

async fn ask_fresh(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    Ok(start(&shared, &caller, None).await?.respond())
}

async fn ask(
    CurrentSession(caller): CurrentSession,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<PasswordBody>,
) -> Result<HttpResponse, Fault> {
    Ok(start(&shared, &caller, body.password).await?.respond())
}

async fn verify(
    CurrentSession(caller): CurrentSession,
    request: HttpRequest,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<VerifyBody>,
) -> Result<HttpResponse, Fault> {
    let answer = (body.response, body.name);
    let added = finish(&shared, &request, &caller, answer).await?;
    let out = AddedOut {
        backup_codes: code_texts(&added.codes),
        passkey: added.passkey.into(),
    };
    Ok(HttpResponse::Ok()
        .insert_header(PENDING.remove(&shared))
        .json(out))
}
