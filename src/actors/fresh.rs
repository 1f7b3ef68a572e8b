//! Keys and sessions are judged by what every process has written.
//!
//! A key that was revoked or a session that has ended, in whichever process, starts no request anywhere once that was
//! answered (threat T11). A process that writes keys or people updates Redis before it answers ([`Epochs`]). A process
//! that gets a key or a session asks Redis first, and reads the database if its memory is older.

use std::sync::Arc;

use super::{
    Domains,
    kit::{Resident, Unavailable},
};
use crate::{
    fault::{Classify, Fault},
    store::{
        StateDb, StateError,
        limits::{Epochs, SharedError},
    },
};

#[derive(Clone)]
pub struct Fresh {
    epochs: Epochs,
    db: StateDb,
    domains: Arc<[Arc<dyn Resident>]>,
}

/// Why it is not known whether memory is old.
#[derive(Debug, thiserror::Error)]
pub enum Stale {
    #[error(transparent)]
    Redis(#[from] SharedError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// What was written cannot be read at this moment.
    #[error("`{0}` is older than what other processes have written")]
    Behind(&'static str),
}

impl Classify for Stale {
    fn classify(self) -> Fault {
        let mut fault = Fault::unavailable("Service temporarily unavailable");
        fault.cause = Some(self.into());
        fault
    }
}

impl Fresh {
    pub fn new(epochs: Epochs, db: StateDb, domains: &Domains) -> Self {
        Self {
            epochs,
            db,
            domains: Arc::new([
                Arc::new(domains.organizations.clone()) as Arc<dyn Resident>,
                Arc::new(domains.keys.clone()),
            ]),
        }
    }

    /// Whether what is taken in goes on while Redis is away, as memory has it.
    pub fn is_degradable(&self) -> bool {
        self.epochs.is_degradable()
    }

    /// Reads what other processes have written of keys and people, if anything.
    ///
    /// # Errors
    /// It is not known, or cannot be read, at this moment.
    pub async fn ensure(&self) -> Result<(), Stale> {
        let names: Vec<_> = self.domains.iter().map(|domain| domain.name()).collect();
        let announced = self.epochs.read(&names).await?;
        for (domain, announced) in self.domains.iter().zip(announced) {
            if announced.is_none() || domain.epoch() < announced {
                self.read(domain.as_ref(), announced).await?;
            }
        }
        Ok(())
    }

    async fn read(&self, domain: &dyn Resident, announced: Option<i64>) -> Result<(), Stale> {
        let stored = self.db.epochs().await?;
        let stored = stored.get(domain.name()).copied().unwrap_or_default();
        if domain.epoch() < Some(stored) {
            domain.catch_up(stored).await?;
        }
        if domain.epoch() < Some(stored) {
            return Err(Stale::Behind(domain.name()));
        }
        // Redis has forgotten, or remembers what was before a backup was restored.
        if announced.is_none_or(|announced| announced > stored) {
            self.epochs.say(domain.name(), stored, announced).await?;
        }
        Ok(())
    }
}
