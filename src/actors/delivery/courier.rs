//! Who delivers what.

use std::{collections::HashMap, fmt, sync::Arc};

use futures_util::future::BoxFuture;
use serde_json::Value;

/// A parcel on its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct Handed {
    /// The same at every try: by it the receiver recognises a repetition.
    pub id: String,
    /// What was put in.
    pub payload: Value,
    /// How often it was tried before.
    pub tried: u32,
}

/// Why a parcel was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    /// Whether trying again is of no use.
    pub forever: bool,
    /// What went wrong, for whoever runs the program.
    pub what: String,
}

/// Delivers one kind of parcels.
pub trait Courier: Send + Sync {
    /// Delivers, or says why not. Ends by itself within a minute.
    fn deliver(&self, parcel: Handed) -> BoxFuture<'static, Result<(), Failure>>;
}

/// The couriers, by what they deliver; cheap to clone.
#[derive(Clone, Default)]
pub struct Couriers(HashMap<&'static str, Arc<dyn Courier>>);

impl fmt::Debug for Couriers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Couriers {
    /// Adds the courier of a kind.
    pub fn with(mut self, kind: &'static str, courier: Arc<dyn Courier>) -> Self {
        self.0.insert(kind, courier);
        self
    }

    /// Whether letters leave at all.
    pub fn delivers_mail(&self) -> bool {
        self.0.contains_key(super::mail::KIND)
    }

    /// Who delivers this kind.
    pub(super) fn of(&self, kind: &str) -> Option<&Arc<dyn Courier>> {
        self.0.get(kind)
    }
}
