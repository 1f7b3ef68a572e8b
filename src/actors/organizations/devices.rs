//! Devices on which a person has signed in before.
//!
//! Wrong passwords from a known device have a count of their own: strangers cannot lock an account's owner out by
//! guessing. A device is known by a signed token that its browser keeps. The token holds no secret, opens nothing, and
//! is worth nothing for another account or after the password has changed.

use secrecy::{ExposeSecret as _, SecretString};

use super::Person;
use crate::{
    actors::{
        random::{self, NoRandomness},
        seal::opaque_debug,
    },
    store::InstanceSecret,
};

/// What the key of tokens is derived for.
const PURPOSE: &str = "pharos 2026-11-23 known devices";
/// Characters of a device's name: 95 random bits.
const NAME: usize = 16;

/// Issues and recognizes the tokens of devices.
#[derive(Clone)]
pub struct Devices {
    key: [u8; 32],
}

opaque_debug!(Devices);

impl Devices {
    pub fn new(secret: &InstanceSecret) -> Self {
        Self {
            key: secret.key_for(PURPOSE),
        }
    }

    /// A token for the device on which a person has just signed in.
    pub fn issue(&self, person: &Person) -> Result<SecretString, NoRandomness> {
        let name = random::base62(NAME)?;
        let signature = self.sign(person, &name).to_hex();
        Ok(format!("{name}.{signature}").into())
    }

    /// The name of the device, if the token is this person's.
    pub(super) fn recognize(&self, person: &Person, token: &SecretString) -> Option<String> {
        let (name, signature) = token.expose_secret().split_once('.')?;
        let signature = blake3::Hash::from_hex(signature).ok()?;
        // Compared in a time that says nothing.
        (self.sign(person, name) == signature).then(|| name.to_owned())
    }

    fn sign(&self, person: &Person, name: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&person.password_set_ms.to_be_bytes())
            .update(person.id.as_str().as_bytes())
            .update(&[0])
            .update(name.as_bytes());
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{actors::organizations::SecondFactors, ids::UserId};

    fn person(id: &str, password_set_ms: i64) -> Person {
        Person {
            id: UserId::from(id),
            email: format!("{id}@b"),
            email_verified: true,
            name: id.to_owned(),
            language: None,
            created_ms: 0,
            updated_ms: 0,
            password_set_ms,
            second_factors: SecondFactors::default(),
            break_glass: false,
            memberships: Vec::new(),
        }
    }

    #[test]
    fn a_device_is_known_to_one_account_until_its_password_changes() {
        let devices = Devices::new(&InstanceSecret::from_bytes([7; 32]));
        let token = devices.issue(&person("a", 1)).unwrap();
        let name = devices.recognize(&person("a", 1), &token).unwrap();
        assert!(token.expose_secret().starts_with(&name));
        for stranger in [person("b", 1), person("a", 2)] {
            assert_eq!(devices.recognize(&stranger, &token), None);
        }
        let other = Devices::new(&InstanceSecret::from_bytes([8; 32]));
        assert_eq!(other.recognize(&person("a", 1), &token), None);
        for forged in ["", ".", "x", &format!("x{}", token.expose_secret())] {
            let forged = SecretString::from(forged.to_owned());
            assert_eq!(devices.recognize(&person("a", 1), &forged), None);
        }
    }
}
