//! What a proxy says of a person, signed.

use url::Url;

use super::{
    Failure,
    claims::{self, Expected},
    source::Source,
};
use crate::{clock::Clock, egress::Egress};

/// What signs in people with assertions that it signs: a proxy in front of this program.
#[derive(Debug)]
pub struct Assertions {
    issuer: String,
    audience: String,
    keys: Url,
    source: Source,
}

impl Assertions {
    /// Takes assertions that are signed with the keys at an address. Their issuer is the origin of it.
    pub fn new(keys: Url, audience: String, egress: Egress, clock: Clock) -> Self {
        Self {
            issuer: keys.origin().ascii_serialization(),
            audience,
            keys,
            source: Source::new(egress, clock),
        }
    }

    /// The address that an assertion is about.
    ///
    /// # Errors
    /// It is none of this proxy's for this program.
    pub async fn email(&self, assertion: &str) -> Result<String, Failure> {
        let claims = self.source.verify(&self.keys, assertion).await?;
        let expected = Expected {
            issuer: &self.issuer,
            audience: &self.audience,
            now_ms: self.source.now_ms(),
        };
        expected.assertion(&claims)?;
        let email = claims::text(&claims, "email").map(str::to_owned);
        email.ok_or(Failure::WrongClaim("email"))
    }
}
