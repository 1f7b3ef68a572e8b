//! A sign-in on its way to the provider and back.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

/// An attempt counts this long, milliseconds.
const LASTS_MS: i64 = 10 * 60 * 1000;
/// Bytes of a path that is led back to; a longer one is forgotten.
const MAX_NEXT: usize = 1024;

/// What the browser keeps, sealed, until the provider sends it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The provider's name.
    pub provider: String,
    /// What the provider gives back in the address.
    pub state: String,
    /// What the provider's token has to hold.
    pub nonce: String,
    /// The secret of PKCE.
    pub verifier: String,
    /// The path that it leads to.
    pub next: String,
    /// The session whose person links an account instead of signing in.
    pub link: Option<String>,
    /// Until when it counts, Unix milliseconds.
    pub until_ms: i64,
}

impl Attempt {
    /// A sign-in that begins now.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn new(
        provider: &str,
        next: &str,
        link: Option<String>,
        now_ms: i64,
    ) -> Result<Self, getrandom::Error> {
        Ok(Self {
            provider: provider.to_owned(),
            state: random()?,
            nonce: random()?,
            verifier: random()?,
            next: if next.len() > MAX_NEXT { "/" } else { next }.to_owned(),
            link,
            until_ms: now_ms + LASTS_MS,
        })
    }

    /// Whether an answer with this state, to this provider, is the one that is waited for.
    pub fn is_answered(&self, provider: &str, state: &str, now_ms: i64) -> bool {
        let same: bool = self.state.as_bytes().ct_eq(state.as_bytes()).into();
        same && self.provider == provider && now_ms < self.until_ms
    }
}

/// 256 random bits as text.
fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
