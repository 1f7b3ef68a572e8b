//! What a token has to say, beside being signed.

use serde_json::{Map, Value};

use super::Failure;

/// How far clocks may differ, seconds.
const SKEW_S: i64 = 60;
/// Logout tokens are taken for so long, seconds.
const LOGOUT_S: i64 = 300;
/// Characters of a subject or the ID of a session.
const MAX_ID: usize = 255;
/// The event that a logout token is about.
const LOGOUT: &str = "http://schemas.openid.net/event/backchannel-logout";

pub(super) type Claims = Map<String, Value>;

/// Whose tokens are taken, and for whom they have to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) audience: &'a str,
    pub(super) now_ms: i64,
}

/// A message of a provider that a person has signed out there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logout {
    pub subject: Option<String>,
    /// The provider's session; `None` = all of the subject's.
    pub session: Option<String>,
}

impl Expected<'_> {
    /// Checks what is the same for every token.
    fn check(&self, claims: &Claims) -> Result<(), Failure> {
        if text(claims, "iss") != Some(self.issuer) {
            return Err(Failure::WrongClaim("iss"));
        }
        let audiences: Vec<&str> = match claims.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !audiences.contains(&self.audience) {
            return Err(Failure::WrongClaim("aud"));
        }
        let party = text(claims, "azp");
        if party.is_some_and(|party| party != self.audience)
            || (party.is_none() && audiences.len() > 1)
        {
            return Err(Failure::WrongClaim("azp"));
        }
        let (now, at) = (self.now_ms / 1000, |name| time(claims, name));
        let ahead = |name| at(name).is_some_and(|at| at > now + SKEW_S);
        if ahead("iat") || ahead("nbf") || at("exp").is_some_and(|at| at <= now - SKEW_S) {
            return Err(Failure::Clock);
        }
        Ok(())
    }

    /// Checks the token of a sign-in; whose it is.
    pub(super) fn id_token(&self, claims: &Claims, nonce: &str) -> Result<String, Failure> {
        self.check(claims)?;
        if time(claims, "exp").is_none() {
            return Err(Failure::WrongClaim("exp"));
        }
        if text(claims, "nonce") != Some(nonce) {
            return Err(Failure::WrongClaim("nonce"));
        }
        id(claims, "sub").ok_or(Failure::WrongClaim("sub"))
    }

    /// Checks an assertion of a proxy.
    pub(super) fn assertion(&self, claims: &Claims) -> Result<(), Failure> {
        self.check(claims)?;
        time(claims, "exp").ok_or(Failure::WrongClaim("exp"))?;
        Ok(())
    }

    /// Checks a logout token.
    pub(super) fn logout(&self, claims: &Claims) -> Result<Logout, Failure> {
        self.check(claims)?;
        let issued = time(claims, "iat").ok_or(Failure::WrongClaim("iat"))?;
        if issued < self.now_ms / 1000 - LOGOUT_S {
            return Err(Failure::Clock);
        }
        let is_logout = claims
            .get("events")
            .is_some_and(|all| all[LOGOUT].is_object());
        if !is_logout {
            return Err(Failure::WrongClaim("events"));
        }
        // So that the token of a sign-in is never taken for one.
        if claims.contains_key("nonce") {
            return Err(Failure::WrongClaim("nonce"));
        }
        let (subject, session) = (id(claims, "sub"), id(claims, "sid"));
        if subject.is_none() && session.is_none() {
            return Err(Failure::WrongClaim("sub"));
        }
        Ok(Logout { subject, session })
    }
}

pub(super) fn text<'a>(claims: &'a Claims, name: &str) -> Option<&'a str> {
    claims.get(name)?.as_str()
}

/// An ID of the provider's, if it is one.
pub(super) fn id(claims: &Claims, name: &str) -> Option<String> {
    let id = text(claims, name)?;
    let fits = (1..=MAX_ID).contains(&id.len()) && !id.chars().any(char::is_control);
    fits.then(|| id.to_owned())
}

/// A time in seconds; one that is no number is as if long over.
fn time(claims: &Claims, name: &str) -> Option<i64> {
    let value = claims.get(name)?;
    let whole = value.as_i64();
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of a second")]
    let rounded = || value.as_f64().map(|seconds| seconds as i64);
    Some(whole.or_else(rounded).unwrap_or(i64::MIN))
}
