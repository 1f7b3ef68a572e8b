//! Argon2id, a few at a time.
//!
//! Every hash takes 19 MiB and tens of milliseconds, so at most four run and sixteen wait; the next one is refused.

use std::sync::Arc;

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fault::{Classify, Fault};

const RUNNING: usize = 4;
const WAITING: usize = 16;

/// The cost of a hash (OWASP's minimum): KiB of memory, passes, lanes.
const COST: (u32, u32, u32) = (19_456, 2, 1);

/// Compared with when the account does not exist, because the answer has to take as long. Of no known password.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5bm9ibw$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Why a password was neither hashed nor checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// As many as may wait are waiting.
    #[error("too many passwords are being checked at this moment")]
    Busy,
    /// It could not be hashed, or a stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Hashing(String),
}

impl Classify for PasswordError {
    fn classify(self) -> Fault {
        match self {
            Self::Busy => {
                Fault::unavailable("Too many passwords are being checked. Try again in a moment.")
            }
            Self::Hashing(_) => Fault::internal(self),
        }
    }
}

#[derive(Debug)]
pub(in crate::actors) struct Verdict {
    /// Whether the password belongs to the stored hash.
    pub(in crate::actors) right: bool,
    /// The same password under today's cost, when it is right and was stored under another one.
    pub(in crate::actors) rehashed: Option<String>,
}

/// The only place that hashes passwords; cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::actors) struct Hasher {
    running: Arc<Semaphore>,
    slots: Arc<Semaphore>,
}

impl Hasher {
    pub(in crate::actors) fn new() -> Self {
        Self {
            running: Arc::new(Semaphore::new(RUNNING)),
            slots: Arc::new(Semaphore::new(RUNNING + WAITING)),
        }
    }

    /// Hashes a new password, in PHC form.
    pub(in crate::actors) async fn hash(
        &self,
        password: SecretString,
    ) -> Result<String, PasswordError> {
        self.run(move || new_hash(&password)).await
    }

    /// Whether the password belongs to the stored hash. Without a hash it takes as long and says no.
    pub(in crate::actors) async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<Verdict, PasswordError> {
        self.run(move || {
            let known = stored.is_some();
            let hash = PasswordHash::new(stored.as_deref().unwrap_or(DUMMY_HASH))
                .map_err(hashing_error)?;
            let verdict = argon2()?.verify_password(password.expose_secret().as_bytes(), &hash);
            let right = match verdict {
                Ok(()) => known,
                Err(argon2::password_hash::Error::PasswordInvalid) => false,
                Err(error) => return Err(hashing_error(error)),
            };
            let cheap = right && is_cheaper(&hash);
            let rehashed = if cheap {
                Some(new_hash(&password)?)
            } else {
                None
            };
            Ok(Verdict { right, rehashed })
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let slot = self.slots.clone().try_acquire_owned();
        let _slot = slot.map_err(|_| PasswordError::Busy)?;
        let turn: OwnedSemaphorePermit = self
            .running
            .clone()
            .acquire_owned()
            .await
            .map_err(hashing_error)?;
        tokio::task::spawn_blocking(move || {
            // Held by the work itself: a caller who gives up does not let a fifth one start.
            let _turn = turn;
            work()
        })
        .await
        .map_err(hashing_error)?
    }
}

fn new_hash(password: &SecretString) -> Result<String, PasswordError> {
    let hash = argon2()?
        .hash_password(password.expose_secret().as_bytes())
        .map_err(hashing_error)?;
    Ok(hash.to_string())
}

/// Whether a hash costs less than those that are made today.
fn is_cheaper(hash: &PasswordHash) -> bool {
    let (memory, passes, _) = COST;
    let today = hash.algorithm.as_str() == Algorithm::Argon2id.as_str();
    let params = Params::try_from(hash);
    !today || params.map_or(true, |own| own.m_cost() < memory || own.t_cost() < passes)
}

fn argon2() -> Result<Argon2<'static>, PasswordError> {
    let (memory, passes, lanes) = COST;
    let params = Params::new(memory, passes, lanes, None).map_err(hashing_error)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hashing_error(error: impl std::fmt::Display) -> PasswordError {
    PasswordError::Hashing(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_right_password_only() {
        let hasher = Hasher::new();
        let hash = hasher.hash("correct horse".into()).await.unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        for (password, stored, right) in [
            ("correct horse", Some(&hash), true),
            ("correct Horse", Some(&hash), false),
            ("correct horse", None, false),
        ] {
            let verdict = hasher.verify(password.into(), stored.cloned()).await;
            let verdict = verdict.unwrap();
            assert_eq!((verdict.right, verdict.rehashed), (right, None));
        }
    }

    #[tokio::test]
    async fn a_cheaper_hash_is_replaced_when_its_password_is_right() {
        let hasher = Hasher::new();
        for (memory, passes) in [(COST.0 - 1, COST.1), (COST.0, COST.1 - 1)] {
            let params = Params::new(memory, passes, 1, None).unwrap();
            let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            let stored = cheap.hash_password(b"secret").unwrap().to_string();
            let wrong = hasher.verify("Secret".into(), Some(stored.clone())).await;
            let wrong = wrong.unwrap();
            assert_eq!((wrong.right, wrong.rehashed), (false, None));
            let right = hasher.verify("secret".into(), Some(stored)).await.unwrap();
            let rehashed = right.rehashed.unwrap();
            assert!(rehashed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
            let again = hasher.verify("secret".into(), Some(rehashed)).await;
            let again = again.unwrap();
            assert_eq!((again.right, again.rehashed), (true, None));
        }
    }

    #[tokio::test]
    async fn a_dearer_hash_stays() {
        let params = Params::new(COST.0, COST.1 + 1, 1, None).unwrap();
        let dear = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let stored = dear.hash_password(b"secret").unwrap().to_string();
        let verdict = Hasher::new().verify("secret".into(), Some(stored)).await;
        let verdict = verdict.unwrap();
        assert_eq!((verdict.right, verdict.rehashed), (true, None));
    }

    #[tokio::test]
    async fn a_damaged_hash_is_an_error_and_no_way_in() {
        let hasher = Hasher::new();
        let verdict = hasher.verify("x".into(), Some("plain".to_owned())).await;
        assert!(matches!(verdict, Err(PasswordError::Hashing(_))));
    }

    #[tokio::test]
    async fn the_twenty_first_is_refused() {
        let hasher = Hasher::new();
        let slots = hasher.slots.clone().acquire_many_owned(20).await.unwrap();
        let refused = hasher.verify("x".into(), None).await;
        assert!(matches!(refused, Err(PasswordError::Busy)));
        drop(slots);
        hasher.verify("x".into(), None).await.unwrap();
    }
}
