//! Secrets of second factors and of providers, sealed and hashed under keys of the installation's secret: a copy of the database opens
//! nothing.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::{SignInMethod, SsoProvider, sessions::Origin};
use crate::{
    actors::{
        random::{self, NoRandomness},
        seal::{KeyedHasher, Sealer},
        sealed_tokens::SealedTokens,
    },
    ids::UserId,
    store::InstanceSecret,
};

const SEALING: &str = "pharos 2026-11 secrets of authenticator apps";
const WAITING: &str = "pharos 2026-11 sign-ins that wait for a code";
const CLIENTS: &str = "pharos 2026-11 client secrets of providers";
const HASHING: &str = "pharos 2026-11 backup codes";
/// A sign-in waits this long for its code, milliseconds.
pub(super) const WAITS_MS: i64 = 10 * 60 * 1000;

/// Characters that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of a backup code: 60 random bits.
const CODE: usize = 12;
/// Backup codes of a person.
const CODES: usize = 10;

#[derive(Debug, Clone)]
pub(crate) struct Vault {
    secrets: Sealer,
    clients: Sealer,
    waiting: SealedTokens,
    codes: KeyedHasher,
}

/// A sign-in whose password was right, or that a provider of an organization proved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingSignIn {
    user: String,
    /// When the password was set that was right, Unix milliseconds.
    pub(super) set_ms: i64,
    until_ms: i64,
    /// Where it began, if it wasn't with the password.
    pub(super) provider: Option<PendingProvider>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingProvider {
    pub(super) name: String,
    /// The provider's ID of its own session.
    pub(super) session: Option<String>,
}

impl PendingSignIn {
    /// How the session begins that follows.
    pub(super) fn origin(&self, user_agent: Option<String>) -> Origin {
        match self.provider.clone() {
            None => Origin::password(user_agent),
            Some(provider) => Origin {
                method: SignInMethod::Provider(provider.name),
                provider_session: provider.session,
                user_agent,
            },
        }
    }

    pub(super) fn user(&self) -> UserId {
        UserId::from(self.user.as_str())
    }
}

impl Vault {
    pub(crate) fn new(secret: &InstanceSecret) -> Self {
        Self {
            secrets: Sealer::new(secret, SEALING),
            clients: Sealer::new(secret, CLIENTS),
            waiting: SealedTokens::new(secret, WAITING),
            codes: KeyedHasher::new(secret, HASHING),
        }
    }

    /// The secret of a person's app, sealed: it opens for this person only.
    pub(super) fn close(&self, user: &UserId, secret: &[u8]) -> Result<Vec<u8>, NoRandomness> {
        self.secrets.close(user.as_str(), secret)
    }

    /// The secret; `None` when it was sealed with another key, for another person, or not at all.
    pub(super) fn open(&self, user: &UserId, sealed: &[u8]) -> Option<Vec<u8>> {
        self.secrets.open(user.as_str(), sealed)
    }

    /// The client's secret of a provider, sealed: it opens for this provider and issuer only.
    pub(super) fn close_client(
        &self,
        (provider, issuer): (&str, &str),
        secret: &str,
    ) -> Result<Vec<u8>, NoRandomness> {
        self.clients
            .close(format!("{provider} {issuer}"), secret.as_bytes())
    }

    /// The client's secret of a provider; `None` when it can't be read, as after another `instance.key`.
    pub(crate) fn open_client(&self, provider: &SsoProvider) -> Option<SecretString> {
        let Some(sealed) = &provider.sealed_secret else {
            return Some(SecretString::default());
        };
        let owner = format!("{} {}", provider.id, provider.fields.issuer);
        let secret = String::from_utf8(self.clients.open(owner, sealed)?);
        Some(secret.ok()?.into())
    }

    /// A token that finishes the sign-in together with a code.
    pub(crate) fn wait(
        &self,
        user: &UserId,
        set_ms: i64,
        now_ms: i64,
    ) -> Result<SecretString, NoRandomness> {
        self.wait_after(user, set_ms, None, now_ms)
    }

    /// The same for a sign-in that began at a provider of an organization.
    pub(super) fn wait_after(
        &self,
        user: &UserId,
        set_ms: i64,
        provider: Option<PendingProvider>,
        now_ms: i64,
    ) -> Result<SecretString, NoRandomness> {
        let waiting = PendingSignIn {
            user: user.to_string(),
            set_ms,
            until_ms: now_ms + WAITS_MS,
            provider,
        };
        self.waiting.seal(&waiting)
    }

    /// The sign-in of a token, unless it has waited for too long.
    pub(super) fn open_pending(&self, token: &str, now_ms: i64) -> Option<PendingSignIn> {
        let waiting: PendingSignIn = self.waiting.open(token)?;
        (now_ms < waiting.until_ms).then_some(waiting)
    }

    /// What is stored of a backup code, however it is typed.
    pub(super) fn hash(&self, user: &UserId, code: &str) -> String {
        let scope = [user.as_str().as_bytes(), &[0]].concat();
        self.codes.hash(&scope, &normalize(code))
    }
}

/// New backup codes, as people read them.
pub(super) fn codes() -> Result<Vec<SecretString>, NoRandomness> {
    (0..CODES).map(|_| Ok(backup_code()?.into())).collect()
}

fn backup_code() -> Result<String, NoRandomness> {
    let letters = random::bytes::<CODE>()?.map(|byte| ALPHABET[usize::from(byte % 32)]);
    let mut code = String::with_capacity(CODE + 2);
    for (at, letter) in letters.into_iter().enumerate() {
        if at > 0 && at % 4 == 0 {
            code.push('-');
        }
        code.push(char::from(letter));
    }
    Ok(code)
}

/// A code as it was meant: in any case, with or without hyphens and spaces, and with letters typed for the digits that
/// they look like.
fn normalize(code: &str) -> String {
    code.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn vault(key: u8) -> Vault {
        Vault::new(&InstanceSecret::from_bytes([key; 32]))
    }

    #[test]
    fn a_secret_opens_for_its_person_with_the_key_and_not_otherwise() {
        let (one, other) = (UserId::from("one"), UserId::from("other"));
        let sealed = vault(1).close(&one, b"secret").unwrap();
        assert_eq!(vault(1).open(&one, &sealed).unwrap(), b"secret");
        assert_eq!(vault(1).open(&other, &sealed), None);
        assert_eq!(vault(2).open(&one, &sealed), None);
        assert_eq!(vault(1).open(&one, &sealed[1..]), None);
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
    }

    #[test]
    fn a_sign_in_waits_ten_minutes_and_cannot_be_made_up() {
        let user = UserId::from("one");
        let token = vault(1).wait(&user, 7, 1_000).unwrap();
        let token = token.expose_secret();
        let waiting = vault(1).open_pending(token, 1_000 + WAITS_MS - 1).unwrap();
        assert_eq!((waiting.user(), waiting.set_ms), (user, 7));
        assert_eq!(vault(1).open_pending(token, 1_000 + WAITS_MS), None);
        assert_eq!(vault(2).open_pending(token, 1_000), None);
        let bent = token.replacen(
            &token[40..41],
            if &token[40..41] == "a" { "b" } else { "a" },
            1,
        );
        for made_up in ["", "a", "é", bent.as_str()] {
            assert_eq!(vault(1).open_pending(made_up, 1_000), None, "{made_up}");
        }
    }

    #[test]
    fn backup_codes_are_told_apart_by_person_and_not_by_how_they_are_typed() {
        let (one, other) = (UserId::from("one"), UserId::from("other"));
        let codes = codes().unwrap();
        assert_eq!(codes.len(), CODES);
        for code in &codes {
            let code = code.expose_secret();
            assert_eq!(code.len(), 14, "{code}");
            let hash = vault(1).hash(&one, code);
            let again = code.to_uppercase().replace('-', " ").replace('0', "O");
            assert_eq!(vault(1).hash(&one, &again), hash);
            assert_ne!(vault(1).hash(&other, code), hash);
            assert_ne!(vault(2).hash(&one, code), hash);
        }
    }
}
