//! `/api/auth/passkey/*`: adding passkeys, and signing in with one.
//!
//! What a browser was asked is kept in a sealed cookie of it, for five minutes: an answer that another browser brings is worth
//! nothing (threat T77). The domain takes each answer once.

pub(in crate::http) mod add;
mod manage;
mod shapes;
pub(in crate::http) mod sign_in;

use actix_web::{HttpRequest, HttpResponse, http::header::HeaderName};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(in crate::http) use manage::{remove, rename};

use super::{cookie::Cookie, post};
use crate::{
    actors::organizations::{Challenge, OrganizationError},
    fault::{Classify as _, Fault, Issue},
    http::{Shared, routes::Route},
    passkeys::{Authentication, Refusal, Registration},
};

/// What an authenticator was asked, sealed.
const PENDING: Cookie = Cookie {
    name: "pharos_passkey",
    guarded: "__Host-pharos_passkey",
};
/// Seconds for which an answer is waited for.
const PENDING_S: i64 = 5 * 60;

pub(super) fn routes() -> Vec<Route> {
    [add::routes(), sign_in::routes(), manage::routes()]
        .into_iter()
        .flatten()
        .collect()
}

/// What an authenticator was asked.
#[derive(Serialize, Deserialize)]
struct Pending {
    challenge: String,
    until_ms: i64,
    ceremony: Ceremony,
}

#[derive(Serialize, Deserialize)]
enum Ceremony {
    /// To make a passkey for the person of this session.
    Add {
        session: String,
        started: Registration,
    },
    /// To use one.
    SignIn(Authentication),
}

impl Pending {
    fn challenge(&self) -> Challenge {
        Challenge {
            text: self.challenge.clone(),
            until_ms: self.until_ms,
        }
    }
}

/// What the browser's API takes. Web Authentication Level 3 says what is in it.
fn options_schema() -> Value {
    json!({ "type": "object", "additionalProperties": {} })
}

/// A question for an authenticator.
pub(in crate::http) struct Question {
    /// What the browser's API takes.
    pub(in crate::http) options: Value,
    /// In which the browser keeps it.
    pub(in crate::http) cookie: (HeaderName, String),
}

impl Question {
    fn new(shared: &Shared, options: Value, ceremony: Ceremony) -> Result<Self, Fault> {
        let pending = Pending {
            challenge: options["challenge"].as_str().unwrap_or_default().to_owned(),
            until_ms: shared.clock.now_ms() + PENDING_S * 1_000,
            ceremony,
        };
        let sealed = shared.passkeys.pending.seal(&pending);
        let sealed = sealed.map_err(Fault::internal)?;
        Ok(Self {
            options,
            cookie: PENDING.set(shared, sealed.expose_secret(), PENDING_S),
        })
    }

    fn respond(self) -> HttpResponse {
        HttpResponse::Ok()
            .insert_header(self.cookie)
            .json(self.options)
    }
}

/// What the browser of a request was asked.
fn read_pending(shared: &Shared, request: &HttpRequest) -> Result<Pending, Fault> {
    let sealed = PENDING.read(shared, request);
    let pending = sealed.and_then(|sealed| shared.passkeys.pending.open::<Pending>(sealed));
    let now_ms = shared.clock.now_ms();
    let pending = pending.filter(|pending| now_ms < pending.until_ms);
    pending.ok_or_else(over)
}

fn over() -> Fault {
    OrganizationError::ChallengeOver.classify()
}

/// An answer of an authenticator that cannot be read.
fn unreadable(error: &serde_json::Error) -> Fault {
    let message = format!("The field `response` must be what the browser's API returned: {error}");
    let issue = Issue::new("invalid_type", "response", message.clone());
    Fault::issues(message, vec![issue])
}

fn log(refusal: &Refusal) {
    tracing::info!(%refusal, "the answer of a passkey does not count");
}
