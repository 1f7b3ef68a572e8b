//! SCRAM-SHA-256 (RFC 7677), the client's side without channel binding.

use std::num::NonZeroU32;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{digest, hmac, pbkdf2};

use super::{Credentials, random_bytes, refused_credentials};
use crate::egress::{Class, Failure};

pub(super) const MECHANISM: &str = "SCRAM-SHA-256";
/// The server chooses how often is hashed, and all of it is our work.
const MAX_ITERATIONS: u32 = 100_000;

/// A sign-in in progress.
pub(super) struct Scram<'c> {
    password: &'c str,
    nonce: String,
    /// The first message without its header.
    first: String,
    /// What the server has to prove that it knows the password with.
    signature: Option<hmac::Tag>,
}

impl<'c> Scram<'c> {
    pub(super) fn new(credentials: Credentials<'c>) -> Result<Self, Failure> {
        let nonce = STANDARD.encode(random_bytes::<18>()?);
        Ok(Self::with_nonce(credentials, nonce))
    }

    pub(super) fn with_nonce(credentials: Credentials<'c>, nonce: String) -> Self {
        let name = credentials.username.replace('=', "=3D").replace(',', "=2C");
        Self {
            password: credentials.password,
            first: format!("n={name},r={nonce}"),
            nonce,
            signature: None,
        }
    }

    pub(super) fn first_message(&self) -> String {
        format!("n,,{}", self.first)
    }

    /// The answer to the server's first message.
    pub(super) fn final_message(&mut self, challenge: &[u8]) -> Result<String, Failure> {
        let challenge = std::str::from_utf8(challenge).map_err(|_| broken())?;
        let field = |name: &str| {
            let fields = challenge.split(',');
            let mut own = fields.filter_map(|field| field.strip_prefix(name));
            own.next().ok_or_else(broken)
        };
        let nonce = field("r=")?;
        let salt = STANDARD.decode(field("s=")?).map_err(|_| broken())?;
        let iterations: NonZeroU32 = field("i=")?.parse().map_err(|_| broken())?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(broken());
        }
        if iterations.get() > MAX_ITERATIONS {
            let message = "the server wants more rounds of hashing than are allowed";
            return Err(Failure::new(Class::Protocol, message));
        }
        let mut salted = [0; digest::SHA256_OUTPUT_LEN];
        let password = self.password.as_bytes();
        pbkdf2::derive(
            pbkdf2::PBKDF2_HMAC_SHA256,
            iterations,
            &salt,
            password,
            &mut salted,
        );
        let bare = format!("c=biws,r={nonce}");
        let all = format!("{},{challenge},{bare}", self.first);
        let client_key = sign(&salted, b"Client Key");
        let stored_key = digest::digest(&digest::SHA256, client_key.as_ref());
        let signature = sign(stored_key.as_ref(), all.as_bytes());
        let both = client_key.as_ref().iter().zip(signature.as_ref());
        let proof: Vec<u8> = both.map(|(key, signed)| key ^ signed).collect();
        let server_key = sign(&salted, b"Server Key");
        self.signature = Some(sign(server_key.as_ref(), all.as_bytes()));
        Ok(format!("{bare},p={}", STANDARD.encode(proof)))
    }

    /// Whether the server knows the password as well.
    pub(super) fn verify(&self, answer: &[u8]) -> Result<(), Failure> {
        let answer = std::str::from_utf8(answer).map_err(|_| broken())?;
        if answer.starts_with("e=") {
            return Err(refused_credentials());
        }
        let proof = answer.split(',').next().unwrap_or_default();
        let proof = proof.strip_prefix("v=").ok_or_else(broken)?;
        let signature = self.signature.as_ref().ok_or_else(broken)?;
        if STANDARD.encode(signature) == proof {
            return Ok(());
        }
        let message = "the server doesn't prove that it knows the password";
        Err(Failure::new(Class::Credentials, message))
    }
}

fn sign(key: &[u8], text: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text)
}

fn broken() -> Failure {
    super::reader::broken("SCRAM-SHA-256")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677.
    fn example() -> Scram<'static> {
        let (username, password) = ("user", "pencil");
        let credentials = Credentials { username, password };
        Scram::with_nonce(credentials, "rOprNGfwEbeRWgbNEkqO".to_owned())
    }

    const NONCE: &str = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

    #[test]
    fn the_example_of_the_standard_is_spoken() {
        let mut scram = example();
        assert_eq!(scram.first_message(), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        let challenge = format!("r={NONCE},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        let answer = scram.final_message(challenge.as_bytes()).unwrap();
        let proof = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
        assert_eq!(answer, format!("c=biws,r={NONCE},p={proof}"));
        let good = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
        assert!(scram.verify(good).is_ok());
        for wrong in [&b"v=AAAA"[..], b"e=invalid-proof"] {
            let failure = scram.verify(wrong).unwrap_err();
            assert_eq!(failure.class, Class::Credentials);
        }
    }

    #[test]
    fn challenges_that_break_the_rules_are_refused() {
        for challenge in [
            String::new(),
            "r=x,s=AAAA,i=1".to_owned(),
            "r=rOprNGfwEbeRWgbNEkqO,s=AAAA,i=1".to_owned(),
            format!("r={NONCE},s=?,i=1"),
            format!("r={NONCE},s=AAAA,i=0"),
            format!("r={NONCE},s=AAAA,i=4000000000"),
            format!("r={NONCE},s=AAAA"),
        ] {
            let failure = example().final_message(challenge.as_bytes()).unwrap_err();
            assert_eq!(failure.class, Class::Protocol, "{challenge}");
        }
        assert!(example().final_message(b"\xff").is_err());
        assert!(example().verify(b"v=AAAA").is_err(), "it was not asked");
    }

    #[test]
    fn names_are_escaped() {
        let (username, password) = ("a=b,c", "");
        let scram = Scram::with_nonce(Credentials { username, password }, "x".to_owned());
        assert_eq!(scram.first_message(), "n,,n=a=3Db=2Cc,r=x");
    }
}
