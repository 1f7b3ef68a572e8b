//! Unlocks a link by its password.
//!
//! The right one is answered with a pass, a cookie for this link alone, and the way back to it; browsers follow that and are
//! led on. Wrong passwords are counted by link and address and by link, each before it is hashed, and hashing happens on threads
//! of its own, a few at a time (threats T23, T29).

use std::time::Duration;

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE},
    },
    web::Payload,
};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;

use super::{
    Answering, COOKIE, NEVER,
    pages::{UnlockOutcome, asks},
};
use crate::{
    actors::{links::Record, unlocking::Pass},
    fault::{Classify as _, Kind},
    http::guesses::{Guess, Guessed},
    store::limits::{LimitError, Limits},
};

/// Bytes of a body: a password of 128 characters, each of them spelled out.
const MAX: usize = 4_096;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Body {
    password: String,
}

/// Answers a request with a password.
pub(super) async fn answer(
    answering: &Answering<'_>,
    record: &Record<'_>,
    body: Payload,
) -> HttpResponse {
    let Some(password) = read(answering, body).await else {
        return asks(answering, UnlockOutcome::Nonsense);
    };
    let shared = &answering.redirects.shared;
    let (id, limits) = (record.id(), Limits::link_password());
    let guessed = Guessed {
        kinds: ["link password", "first link passwords"],
        id: id.as_str(),
    };
    let guess = match Guess::count(shared, answering.address, guessed, limits).await {
        Ok(guess) => guess,
        Err(LimitError::Window(window) | LimitError::InFlight(window)) => {
            return asks(answering, UnlockOutcome::TooMany(window));
        }
        Err(LimitError::Unavailable(_)) => {
            return asks(answering, UnlockOutcome::Busy(Duration::from_secs(5)));
        }
    };
    let view = shared.links.view();
    let opening = view
        .issue_pass(record, password, shared.clock.now_ms())
        .await;
    if !matches!(opening, Ok(None)) {
        // Only wrong passwords count.
        guess.give_back().await;
    }
    match opening {
        Ok(Some(pass)) => opened(answering, record, &pass),
        Ok(None) => asks(answering, UnlockOutcome::Wrong),
        Err(error) => {
            let fault = error.classify();
            tracing::warn!(error = %fault, cause = ?fault.cause, "a password of a link cannot be looked at");
            let wait = match fault.kind {
                Kind::Unavailable { retry_after } => retry_after,
                _ => PATIENCE,
            };
            asks(answering, UnlockOutcome::Busy(wait))
        }
    }
}

/// The password of a form or of JSON.
async fn read(answering: &Answering<'_>, body: Payload) -> Option<SecretString> {
    let bytes = tokio::time::timeout(PATIENCE, body.to_bytes_limited(MAX)).await;
    let bytes = bytes.ok()?.ok()?.ok()?;
    let media = answering.text(&CONTENT_TYPE);
    if media.starts_with("application/json") {
        let body: Body = serde_json::from_slice(&bytes).ok()?;
        return Some(body.password.into());
    }
    let mut fields = url::form_urlencoded::parse(&bytes);
    let password = fields.find(|(name, _)| name == "password")?.1;
    Some(password.into_owned().into())
}

/// Hands out the pass, which is good for this link alone, and leads back to it.
fn opened(answering: &Answering<'_>, record: &Record<'_>, pass: &Pass) -> HttpResponse {
    let path = format!("/{}", record.path());
    let secure = if answering.redirects.https {
        "; Secure"
    } else {
        ""
    };
    let cookie = format!(
        "{COOKIE}={}; Path={path}; Max-Age={}; HttpOnly; SameSite=Lax{secure}",
        pass.text, pass.seconds
    );
    let mut response = HttpResponse::build(StatusCode::SEE_OTHER);
    response.insert_header((SET_COOKIE, cookie));
    response.insert_header((CACHE_CONTROL, NEVER));
    if answering.wants_json() {
        let shared = &answering.redirects.shared;
        response.status(StatusCode::OK);
        let address = shared.short_url(record.host(), record.path());
        return response.json(json!({ "success": true, "shortUrl": address }));
    }
    // With what the visitor came with.
    let query = answering.request.uri().query();
    let back = query.map_or(path.clone(), |query| format!("{path}?{query}"));
    let back = HeaderValue::from_str(&back).or_else(|_| HeaderValue::from_str(&path));
    if let Ok(back) = back {
        response.insert_header((LOCATION, back));
    }
    response.finish()
}
