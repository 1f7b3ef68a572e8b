//! Signed tokens (RFC 7515) and the keys that they are checked with (RFC 7517). Only algorithms with public keys.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Failure;

/// Keys of a set that are looked at.
const MAX_KEYS: usize = 64;
/// Bytes of a token.
const MAX_TOKEN: usize = 64 << 10;

/// The public keys of an issuer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys(Vec<Key>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    id: Option<String>,
    /// The only algorithm it is for, if it says so.
    algorithm: Option<String>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa {
        n: Vec<u8>,
        e: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A key as it is written.
#[derive(Deserialize)]
struct Written {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that have to be understood; there are none.
    crit: Option<Value>,
}

/// Why a token does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// No key of this ID: it may be a new one.
    UnknownKey,
    Other(Failure),
}

impl Keys {
    /// Reads a set of keys. Keys of other kinds are left out; `None` for what is no set.
    pub fn parse(text: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Set {
            keys: Vec<Value>,
        }
        let set: Set = serde_json::from_slice(text).ok()?;
        let keys = set.keys.into_iter().take(MAX_KEYS).filter_map(Key::read);
        Some(Self(keys.collect()))
    }

    /// The claims of a token that one of the keys has signed.
    ///
    /// # Errors
    /// None of them has, or it is no token.
    pub fn verify(&self, token: &str) -> Result<Map<String, Value>, Rejection> {
        let malformed = || Rejection::Other(Failure::BadSignature);
        if token.len() > MAX_TOKEN {
            return Err(malformed());
        }
        let mut parts = token.split('.');
        let (Some(head), Some(payload), Some(sealed), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed());
        };
        let header: Header = decode(head)
            .and_then(|json| serde_json::from_slice(&json).ok())
            .ok_or_else(malformed)?;
        if header.crit.is_some() {
            return Err(malformed());
        }
        if !ALGORITHMS.contains(&header.alg.as_str()) {
            let algorithm = Failure::code(&header.alg);
            return Err(Rejection::Other(Failure::Algorithm(algorithm)));
        }
        let signature = decode(sealed).ok_or_else(malformed)?;
        let signed = &token.as_bytes()[..head.len() + 1 + payload.len()];
        let fits = |key: &&Key| {
            let named = header.kid.is_none() || key.id.is_none() || key.id == header.kid;
            let usable = key.algorithm.is_none() || key.algorithm.as_ref() == Some(&header.alg);
            named && usable
        };
        let mut candidates = self.0.iter().filter(fits).peekable();
        if candidates.peek().is_none() {
            return Err(Rejection::UnknownKey);
        }
        let mut own = candidates;
        if !own.any(|key| key.material.verifies(&header.alg, signed, &signature)) {
            // A token without an ID of its key may be by a new one.
            return Err(match header.kid {
                None => Rejection::UnknownKey,
                Some(_) => malformed(),
            });
        }
        let claims = decode(payload).and_then(|json| serde_json::from_slice(&json).ok());
        claims.ok_or_else(malformed)
    }
}

/// What may sign a token.
const ALGORITHMS: [&str; 9] = [
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
];

impl Key {
    fn read(written: Value) -> Option<Self> {
        let written: Written = serde_json::from_value(written).ok()?;
        if written.purpose.is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |text: &Option<String>| decode(text.as_deref()?);
        let point = |length| {
            let (x, y) = (bytes(&written.x)?, bytes(&written.y)?);
            let whole = x.len() == length && y.len() == length;
            whole.then(|| [&[4], x.as_slice(), &y].concat())
        };
        let material = match (written.kty.as_str(), written.crv.as_deref()) {
            ("RSA", _) => Material::Rsa {
                n: bytes(&written.n)?,
                e: bytes(&written.e)?,
            },
            ("EC", Some("P-256")) => Material::P256(point(32)?),
            ("EC", Some("P-384")) => Material::P384(point(48)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&written.x)?),
            _ => return None,
        };
        Some(Self {
            id: written.kid,
            algorithm: written.alg,
            material,
        })
    }
}

impl Material {
    /// Whether a message was signed with the key, under this algorithm.
    fn verifies(&self, algorithm: &str, message: &[u8], sealed: &[u8]) -> bool {
        let rsa = |parameters: &RsaParameters, n: &[u8], e: &[u8]| {
            let key = RsaPublicKeyComponents { n, e };
            key.verify(parameters, message, sealed).is_ok()
        };
        let curve = |kind: &'static dyn VerificationAlgorithm, key: &[u8]| {
            let key = UnparsedPublicKey::new(kind, key);
            key.verify(message, sealed).is_ok()
        };
        match (self, algorithm) {
            (Self::Rsa { n, e }, "RS256") => rsa(&signature::RSA_PKCS1_2048_8192_SHA256, n, e),
            (Self::Rsa { n, e }, "RS384") => rsa(&signature::RSA_PKCS1_2048_8192_SHA384, n, e),
            (Self::Rsa { n, e }, "RS512") => rsa(&signature::RSA_PKCS1_2048_8192_SHA512, n, e),
            (Self::Rsa { n, e }, "PS256") => rsa(&signature::RSA_PSS_2048_8192_SHA256, n, e),
            (Self::Rsa { n, e }, "PS384") => rsa(&signature::RSA_PSS_2048_8192_SHA384, n, e),
            (Self::Rsa { n, e }, "PS512") => rsa(&signature::RSA_PSS_2048_8192_SHA512, n, e),
            (Self::P256(point), "ES256") => curve(&signature::ECDSA_P256_SHA256_FIXED, point),
            (Self::P384(point), "ES384") => curve(&signature::ECDSA_P384_SHA384_FIXED, point),
            (Self::Ed25519(key), "EdDSA") => curve(&signature::ED25519, key),
            _ => false,
        }
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}
