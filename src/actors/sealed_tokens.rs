//! Values that browsers keep for us, sealed.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::SecretString;
use serde::{Serialize, de::DeserializeOwned};

use super::{random::NoRandomness, seal::Sealer};
use crate::store::InstanceSecret;

/// Makes and reads tokens of one purpose; cheap to clone. Nobody else can make one, or read what is in it.
#[derive(Debug, Clone)]
pub struct SealedTokens(Sealer);

impl SealedTokens {
    /// Tokens whose key follows from the installation's secret and the purpose.
    pub fn new(secret: &InstanceSecret, purpose: &'static str) -> Self {
        Self(Sealer::new(secret, purpose))
    }

    /// # Errors
    /// The operating system gives no random bytes.
    pub fn seal(&self, value: &impl Serialize) -> Result<SecretString, NoRandomness> {
        let plain = serde_json::to_vec(value).map_err(|_| NoRandomness)?;
        let sealed = self.0.close("", &plain)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed).into())
    }

    /// What a token holds; `None` for what is no token of this purpose.
    pub fn open<T: DeserializeOwned>(&self, token: &str) -> Option<T> {
        let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
        let plain = self.0.open("", &sealed)?;
        serde_json::from_slice(&plain).ok()
    }
}
