//! The second factor: `/api/auth/two-factor/*`.

use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, http::header::HeaderName, web};
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::{
    Budget, browser,
    cookie::{self, Cookie},
    post,
    shapes::{SignedInOut, StatusOut},
};
use crate::{
    access::{Principal, SessionGrant},
    actors::organizations::{
        Claim, Code, FactorChange, FactorSecrets, ManageFactor, OrganizationError, ProveFactor,
        SecondFactors, SignedIn,
    },
    fault::{Classify, Fault},
    http::{
        Shared,
        auth::Caller,
        extract::JsonBody,
        routes::Route,
        schema::schema,
        session_routes::{self, SessionCall},
    },
};

/// Ends the cookie of a sign-in whose session shall end with the browser.
const BRIEF: &str = ".brief";
/// A sign-in that waits for its second factor.
pub(super) const WAITING: Cookie = Cookie {
    name: "pharos_two_factor",
    guarded: "__Host-pharos_two_factor",
};
/// Seconds that a sign-in waits for its code.
const WAITS_S: i64 = 10 * 60;

pub(super) fn routes() -> Vec<Route> {
    vec![
        session_routes::post("/api/auth/two-factor/enable", enable)
            .says(
                "Set up two-factor authentication",
                "Returns the URI for an authenticator app and ten backup codes, shown only once. Codes are required after the \
                 first `verify-totp`. 409 if two-factor authentication is on already.",
            )
            .or(409),
        session_routes::post("/api/auth/two-factor/disable", disable)
            .says(
                "Turn off two-factor authentication",
                "From now on the password is enough, unless the person has passkeys. The backup codes go with the last of both.",
            ),
        session_routes::post("/api/auth/two-factor/get-totp-uri", reveal)
        .says(
            "Get the URI for another authenticator app",
            "Gives what a further authenticator app reads.",
        ),
        session_routes::post("/api/auth/two-factor/generate-backup-codes", new_codes)
        .says(
            "Generate new backup codes",
            "Gives ten new backup codes, shown this once. Those from before are worth nothing.",
        ),
    ]
}

/// The routes that take a code.
pub(super) fn proofs() -> Vec<Route> {
    let verify = |path: &'static str,
                  service: fn(actix_web::Route) -> actix_web::Route,
                  what: &'static str| {
        post(path, service)
            .says(
                what,
                "Completes a sign-in that was answered with `twoFactorRedirect`, and sets the session cookie. In a session it \
                 turns on two-factor authentication that you have set up. A code works once. After ten wrong codes for an \
                 account in 15 minutes the answer is 429.",
            )
            .body(schema::<CodeBody>())
            .answers(schema::<SignedInOut>())
    };
    vec![
        verify(
            "/api/auth/two-factor/verify-totp",
            |route| route.to(verify_totp),
            "Verify a code of an authenticator app",
        ),
        verify(
            "/api/auth/two-factor/verify-backup-code",
            |route| route.to(verify_backup_code),
            "Verify a backup code",
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct PasswordBody {
    password: String,
}

#[derive(Deserialize, JsonSchema)]
struct CodeBody {
    /// The code; spaces and hyphens do not matter.
    code: String,
}

/// The answer to a sign-in that needs two-factor authentication. A cookie keeps the sign-in for ten minutes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WaitsOut {
    /// Always true: one of the methods is due, or a backup code at `two-factor/verify-backup-code`.
    two_factor_redirect: bool,
    /// With what it goes on: `totp` at `two-factor/verify-totp`, `passkey` at `passkey/verify-authentication`.
    two_factor_methods: Vec<&'static str>,
}

/// The answer to setting up two-factor authentication.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EnabledOut {
    /// `otpauth://totp/…`, to be drawn as a QR code.
    #[serde(rename = "totpURI")]
    totp_uri: String,
    backup_codes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UriOut {
    /// `otpauth://totp/…`, to be drawn as a QR code.
    #[serde(rename = "totpURI")]
    totp_uri: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CodesOut {
    status: bool,
    backup_codes: Vec<String>,
}

/// The answer to a password that was right, where a second factor is due.
pub(super) fn waits(
    shared: &Shared,
    (token, factors): (&SecretString, SecondFactors),
    remember: bool,
) -> HttpResponse {
    let methods = [("totp", factors.app), ("passkey", factors.passkey)];
    let due = methods.into_iter().filter(|(_, is_due)| *is_due);
    let [session, waiting] = waiting_cookies(shared, token, remember);
    HttpResponse::Ok()
        .insert_header(session)
        .append_header(waiting)
        .json(WaitsOut {
            two_factor_redirect: true,
            two_factor_methods: due.map(|(name, _)| name).collect(),
        })
}

/// What the browser of a sign-in that waits for a code gets: no session any more, and the sign-in's own cookie.
pub(in crate::http) fn waiting_cookies(
    shared: &Shared,
    token: &SecretString,
    remember: bool,
) -> [(HeaderName, String); 2] {
    let end = if remember { "" } else { BRIEF };
    let value = format!("{}{end}", token.expose_secret());
    [
        cookie::removed(shared),
        WAITING.set(shared, &value, WAITS_S),
    ]
}

/// The sign-in that waits in a browser, and whether its session outlives the browser.
pub(super) fn waiting(shared: &Shared, request: &HttpRequest) -> Option<(SecretString, bool)> {
    let value = WAITING.read(shared, request)?;
    let token = value.strip_suffix(BRIEF).unwrap_or(value);
    Some((token.into(), token.len() == value.len()))
}

/// Changes a person's second factor, or shows it.
pub(in crate::http) async fn manage(
    caller: &SessionGrant,
    shared: &Shared,
    password: String,
    change: FactorChange,
) -> Result<FactorSecrets, Fault> {
    let host = url::Url::parse(&shared.urls.base).ok();
    let host = host.as_ref().and_then(url::Url::host_str);
    let message = ManageFactor {
        user: caller.user.clone(),
        password: password.into(),
        issuer: host.map_or_else(|| "pharos".to_owned(), |host| format!("pharos ({host})")),
        change,
    };
    Ok(shared.organizations.ask(message).await?)
}

/// What a person is shown once, as text.
pub(in crate::http) fn texts(shown: &FactorSecrets) -> (String, Vec<String>) {
    let uri = shown.uri.as_ref().map(text).unwrap_or_default();
    (uri, code_texts(&shown.codes))
}

/// Backup codes, which a person is shown once.
pub(in crate::http) fn code_texts(codes: &[SecretString]) -> Vec<String> {
    codes.iter().map(text).collect()
}

fn text(secret: &SecretString) -> String {
    secret.expose_secret().to_owned()
}

/// Changes the caller's second factor; its address and its backup codes, where they are shown.
async fn change(
    call: &SessionCall,
    body: PasswordBody,
    change: FactorChange,
) -> Result<(String, Vec<String>), Fault> {
    let shown = manage(&call.caller, &call.shared, body.password, change).await?;
    Ok(texts(&shown))
}

async fn enable(call: SessionCall, body: PasswordBody) -> Result<EnabledOut, Fault> {
    let (totp_uri, backup_codes) = change(&call, body, FactorChange::Enable).await?;
    Ok(EnabledOut {
        totp_uri,
        backup_codes,
    })
}

async fn disable(call: SessionCall, body: PasswordBody) -> Result<StatusOut, Fault> {
    change(&call, body, FactorChange::Disable).await?;
    Ok(StatusOut::DONE)
}

async fn reveal(call: SessionCall, body: PasswordBody) -> Result<UriOut, Fault> {
    let (totp_uri, _) = change(&call, body, FactorChange::Reveal).await?;
    Ok(UriOut { totp_uri })
}

async fn new_codes(call: SessionCall, body: PasswordBody) -> Result<CodesOut, Fault> {
    let (_, backup_codes) = change(&call, body, FactorChange::NewCodes).await?;
    Ok(CodesOut {
        status: true,
        backup_codes,
    })
}

async fn verify_totp(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<CodeBody>,
) -> Result<HttpResponse, Fault> {
    verify(&request, caller, &shared, Code::App(body.code.into())).await
}

async fn verify_backup_code(
    request: HttpRequest,
    caller: Caller,
    shared: web::Data<Shared>,
    JsonBody(body): JsonBody<CodeBody>,
) -> Result<HttpResponse, Fault> {
    verify(&request, caller, &shared, Code::Backup(body.code.into())).await
}

async fn verify(
    request: &HttpRequest,
    caller: Caller,
    shared: &Shared,
    code: Code,
) -> Result<HttpResponse, Fault> {
    let mut answer = HttpResponse::Ok();
    let signed_in = prove(request, &caller.principal, shared, code, &mut answer).await?;
    Ok(answer.json(SignedInOut::from(&signed_in)))
}

/// Goes on with a sign-in that waits for a code, or turns a new second factor on; the answer gets the cookies that say so.
pub(in crate::http) async fn prove(
    request: &HttpRequest,
    caller: &Principal,
    shared: &Shared,
    code: Code,
    answer: &mut HttpResponseBuilder,
) -> Result<SignedIn, Fault> {
    let (claim, remember) = match (waiting(shared, request), caller) {
        // A key decides, and no key signs anybody in.
        (_, Principal::Key(_)) | (None, Principal::Anonymous) => {
            return Err(OrganizationError::NotWaiting.classify());
        }
        // Who has just shown a password means that sign-in, whatever else the browser remembers.
        (Some((token, remember)), _) => (Claim::Waiting(token), remember),
        (None, Principal::Session(session)) => (Claim::Session(session.id.clone()), true),
    };
    Budget::SIGN_IN.take(shared, request).await?;
    let message = ProveFactor {
        claim,
        code,
        user_agent: browser(request),
    };
    let proven = shared.organizations.ask(message).await;
    if !matches!(proven, Err(OrganizationError::WrongCode)) {
        Budget::SIGN_IN.give_back(shared, request).await?;
    }
    let signed_in = proven?;
    cookie::sign_in(answer, shared, &signed_in, remember).append_header(WAITING.remove(shared));
    Ok(signed_in)
}
