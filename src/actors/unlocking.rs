//! What is behind a password: a visitor who knows it gets a pass, and the pass opens the thing for a while.
//!
//! A pass is signed with a key that is derived from the installation's secret. It holds no secret itself, and ends when the
//! password changes.

use std::{borrow::Cow, ops::RangeInclusive};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{
    change::Change,
    issues::Issues,
    password::{Hasher, PasswordError},
    seal::opaque_debug,
};
use crate::{fault::Issue, store::InstanceSecret};

/// How long a pass is good, milliseconds.
const PASS_MS: u64 = 60 * 60 * 1_000;
/// Characters of a password.
const LENGTH: RangeInclusive<usize> = 4..=128;

/// A new password; never shown, never written.
#[derive(Debug, Clone)]
pub struct Password(SecretString);

impl Password {
    /// Whether it has as many characters as one may have.
    pub(super) fn fits(&self) -> bool {
        LENGTH.contains(&self.0.expose_secret().chars().count())
    }
}

impl Eq for Password {}

impl PartialEq for Password {
    fn eq(&self, other: &Self) -> bool {
        self.0.expose_secret() == other.0.expose_secret()
    }
}

impl<'de> Deserialize<'de> for Password {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(text.into()))
    }
}

impl JsonSchema for Password {
    fn schema_name() -> Cow<'static, str> {
        "Password".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 4, "maxLength": 128, "writeOnly": true })
    }
}

/// Opens what is behind a password for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    pub text: String,
    /// How long it is good.
    pub seconds: u64,
}

/// What a pass opens: the id of the thing, and its lock, which is another one after every change of the password.
#[derive(Debug, Clone, Copy)]
pub(super) struct Locked<'a> {
    pub(super) id: &'a str,
    pub(super) lock: u64,
}

impl<'a> Locked<'a> {
    /// What has a password with this hash; `None` without one.
    pub(super) fn by_hash(id: &'a str, password_hash: Option<&str>) -> Option<Self> {
        let lock = lock(password_hash?);
        Some(Self { id, lock })
    }
}

/// Identifies a password by its salted hash, which differs every time a password is set.
pub(super) fn lock(password_hash: &str) -> u64 {
    let hash = Sha256::digest(password_hash);
    let mut head = [0; 8];
    head.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(head)
}

opaque_debug!(Unlocker);

/// Hashes passwords of one kind of things, and signs passes.
#[derive(Clone)]
pub(super) struct Unlocker {
    key: [u8; 32],
    /// Hashes new and changed passwords.
    setting: Hasher,
    /// Checks what visitors enter. Separate, because an import of many must not delay visitors.
    checking: Hasher,
}

impl Unlocker {
    /// `purpose` names the key that signs passes.
    pub(super) fn new(secret: &InstanceSecret, purpose: &'static str) -> Self {
        Self {
            key: secret.key_for(purpose),
            setting: Hasher::new(),
            checking: Hasher::new(),
        }
    }

    /// Hashes a new password; `prefix` is put before the name of its field. Fails while too many are being hashed.
    pub(super) async fn hash<E>(&self, password: Password, prefix: String) -> Result<String, E>
    where
        E: From<Vec<Issue>> + From<PasswordError>,
    {
        if !password.fits() {
            let message = "`password` has 4 to 128 characters";
            return Err(invalid_password("invalid", prefix, message).into());
        }
        Ok(self.setting.hash(password.0).await?)
    }

    /// The same of something new, which may have none.
    pub(super) async fn hash_new<E>(
        &self,
        password: Option<Password>,
        prefix: String,
    ) -> Result<Option<String>, E>
    where
        E: From<Vec<Issue>> + From<PasswordError>,
    {
        match password {
            Some(password) => self.hash(password, prefix).await.map(Some),
            None => Ok(None),
        }
    }

    /// Takes the password out of the fields of a change, and hashes it.
    pub(super) async fn hash_patched<E>(
        &self,
        fields: &mut Map<String, Value>,
        prefix: String,
    ) -> Result<Change<String>, E>
    where
        E: From<Vec<Issue>> + From<PasswordError>,
    {
        Ok(match fields.remove("password") {
            None => Change::Keep,
            Some(Value::Null) => Change::Clear,
            Some(Value::String(text)) => {
                Change::Set(self.hash::<E>(Password(text.into()), prefix).await?)
            }
            Some(_) => {
                let message = "`password` is a text, or null to take it away";
                return Err(invalid_password("invalid_type", prefix, message).into());
            }
        })
    }

    /// A pass, if the password belongs to the stored hash.
    pub(super) async fn issue(
        &self,
        locked: Locked<'_>,
        password: SecretString,
        stored: Option<String>,
        now_ms: i64,
    ) -> Result<Option<Pass>, PasswordError> {
        let verdict = self.checking.verify(password, stored).await?;
        let until_ms = u64::try_from(now_ms).unwrap_or(0) + PASS_MS;
        let signed = self.sign(locked, until_ms);
        Ok(verdict.right.then(|| Pass {
            text: format!("{until_ms:x}.{}", signed.to_hex()),
            seconds: PASS_MS / 1_000,
        }))
    }

    /// Whether a pass is good for this.
    pub(super) fn accepts(&self, locked: Locked<'_>, pass: &str, now_ms: i64) -> bool {
        let parts = pass.split_once('.');
        let parts = parts.and_then(|(until, signed)| {
            let until_ms = u64::from_str_radix(until, 16).ok()?;
            Some((until_ms, blake3::Hash::from_hex(signed).ok()?))
        });
        let Some((until_ms, signed)) = parts else {
            return false;
        };
        // Hashes are compared in constant time.
        let right = self.sign(locked, until_ms) == signed;
        right && u64::try_from(now_ms).is_ok_and(|now_ms| now_ms < until_ms)
    }

    fn sign(&self, locked: Locked<'_>, until_ms: u64) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&locked.lock.to_be_bytes())
            .update(&until_ms.to_be_bytes());
        hasher.update(locked.id.as_bytes());
        hasher.finalize()
    }
}

fn invalid_password(code: &'static str, prefix: String, message: &str) -> Vec<Issue> {
    let mut issues = Issues::with_prefix(prefix);
    issues.refuse(code, "password", message);
    issues.into_list()
}
