//! Who may come in is judged by what every process has written, not by what this one has heard of it.
//!
//! A key that was revoked or a session that has ended, in whichever process, starts no request anywhere once that was answered
//! (threat T11). Whoever writes keys or people tells Redis before answering ([`Epochs`]); whoever is shown a key or a session asks
//! Redis first, and reads what was written if memory is older.

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

/// What judges how old memory is.
#[derive(Clone)]
pub struct Fresh {
    epochs: Epochs,
    db: StateDb,
    domains: Arc<[Arc<dyn Resident>]>,
}

/// Why it is not known whether memory is old.
#[derive(Debug, thiserror::Error)]
pub enum Stale {
    /// Redis is away.
    #[error(transparent)]
    Told(#[from] SharedError),
    /// The state database is away.
    #[error(transparent)]
    State(#[from] StateError),
    /// A domain is away.
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
    /// Judges keys and people.
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
        let told = self.epochs.read(&names).await?;
        for (domain, told) in self.domains.iter().zip(told) {
            if told.is_none() || domain.epoch() < told {
                self.read(domain.as_ref(), told).await?;
            }
        }
        Ok(())
    }

    async fn read(&self, domain: &dyn Resident, told: Option<i64>) -> Result<(), Stale> {
        let stored = self.db.epochs().await?;
        let stored = stored.get(domain.name()).copied().unwrap_or_default();
        if domain.epoch() < Some(stored) {
            domain.catch_up(stored).await?;
        }
        if domain.epoch() < Some(stored) {
            return Err(Stale::Behind(domain.name()));
        }
        // Redis has forgotten, or remembers what was before a backup was restored.
        if told.is_none_or(|told| told > stored) {
            self.epochs.say(domain.name(), stored, told).await?;
        }
        Ok(())
    }
}
