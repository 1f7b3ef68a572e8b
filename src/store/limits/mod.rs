//! Admission: exact rolling windows and in-flight slots, one decision per request.
//!
//! A [`Demand`] names one identity, the windows its request counts in and, for API keys, the slot it holds while it
//! runs. [`Admission::admit`] decides all of it first and records all of it then, so a refused request uses up
//! nothing. [`Local`] keeps the counts in this process, [`Shared`] in Redis for several.

mod local;
#[cfg(test)]
mod oracle_tests;
mod ring;
mod settings;
mod shared;

use std::{borrow::Cow, future::Future, pin::Pin, time::Duration};

pub use local::Local;
pub use settings::{Endpoint, Limits, LinkPassword};
pub use shared::{Epochs, Shared, SharedError};

use crate::fault::{Fault, Kind, Window};

/// Who is counted: 16 bytes that cannot be turned back into an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity([u8; 16]);

impl Identity {
    /// The identity of a caller whose name is not secret: a key's or a person's id.
    pub fn from_name(kind: &str, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(kind.as_bytes())
            .update(&[0])
            .update(name.as_bytes());
        Self::cut(&hasher.finalize())
    }

    /// The identity of a caller who is only an address, under the secret of this installation.
    pub fn keyed(secret: &[u8; 32], kind: &str, name: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(secret);
        hasher.update(kind.as_bytes()).update(&[0]).update(name);
        Self::cut(&hasher.finalize())
    }

    fn cut(hash: &blake3::Hash) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        Self(bytes)
    }

    fn hex(self) -> String {
        data_encoding::HEXLOWER.encode(&self.0)
    }

    fn shard(self, shards: usize) -> usize {
        usize::from(u16::from_le_bytes([self.0[0], self.0[1]])) % shards
    }
}

/// What a window counts; one identity has a separate count for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// Every request of an API key, on both hosts.
    Key,
    /// The requests to one endpoint family.
    Endpoint(Endpoint),
    SignIn,
    /// Failed sign-ins to one account.
    Account,
    /// Unknown keys.
    Guess,
    /// Attempted passwords of short links.
    LinkPassword,
    /// What is asked of one monitor.
    Check,
    /// Status pages that are looked at.
    Page,
    /// Subscriptions to status pages.
    Subscription,
}

/// How much a window protects; the least goes first where there is no room for all.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Protection {
    /// Traffic: forgetting it lets more of the same through.
    #[default]
    Volume,
    /// The quota of a key.
    Quota,
    /// Guesses at secrets, and messages to other people.
    Secret,
}

impl Bucket {
    fn protection(self) -> Protection {
        match self {
            Self::Endpoint(_) | Self::Page => Protection::Volume,
            Self::Key | Self::Check => Protection::Quota,
            Self::SignIn
            | Self::Account
            | Self::Guess
            | Self::LinkPassword
            | Self::Subscription => Protection::Secret,
        }
    }

    /// Its name in keys of a shared store.
    fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Endpoint(Endpoint::Query) => "query",
            Self::Endpoint(Endpoint::Mcp) => "mcp",
            Self::Endpoint(Endpoint::Insights) => "insights",
            Self::Endpoint(Endpoint::Chats) => "chats",
            Self::Endpoint(Endpoint::Share) => "share",
            Self::Endpoint(Endpoint::Console) => "console",
            Self::Endpoint(Endpoint::Compile) => "compile",
            Self::Endpoint(Endpoint::Track) => "track",
            Self::Endpoint(Endpoint::Calls) => "calls",
            Self::Endpoint(Endpoint::Identify) => "identify",
            Self::Endpoint(Endpoint::Flags) => "flags",
            Self::SignIn => "sign-in",
            Self::Account => "account",
            Self::Guess => "guess",
            Self::LinkPassword => "link-password",
            Self::Check => "check",
            Self::Page => "page",
            Self::Subscription => "subscription",
        }
    }
}

/// A rolling window that a request counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// What is counted.
    pub bucket: Bucket,
    /// Requests admitted in any window's length of time; at least 1.
    pub max: u32,
    /// The window's length in milliseconds.
    pub window_ms: i64,
}

/// Everything that must hold for a request to be admitted.
#[derive(Debug, Clone)]
pub struct Demand {
    pub identity: Identity,
    /// The windows it counts in.
    pub rates: Vec<Rate>,
    /// How many requests of this identity may run at once, when that is bounded.
    pub in_flight: Option<u32>,
}

impl Demand {
    /// A demand that nothing bounds yet.
    pub fn new(identity: Identity) -> Self {
        Self {
            identity,
            rates: Vec::new(),
            in_flight: None,
        }
    }

    /// Adds a window; `None` = unlimited.
    pub fn rate(mut self, rate: Option<Rate>) -> Self {
        self.rates.extend(rate);
        self
    }

    /// Adds a cap on requests that run at once; 0 = unlimited.
    pub fn in_flight(mut self, cap: u32) -> Self {
        self.in_flight = (cap > 0).then_some(cap);
        self
    }
}

/// A running request's place, wherever it is counted.
#[derive(Debug)]
#[expect(dead_code, reason = "what counts is when it is dropped")]
enum Slot {
    Local(local::InFlight),
    Shared(shared::Lease),
}

/// Proof that a request was admitted; dropping it frees the slot.
#[derive(Debug, Default)]
#[must_use = "dropping the permit frees the in-flight slot"]
pub struct Permit {
    slot: Option<Slot>,
}

impl Permit {
    /// Whether dropping it frees anything.
    pub const fn holds_a_slot(&self) -> bool {
        self.slot.is_some()
    }
}

/// Why a request was not admitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// A rolling window is full.
    #[error("Rate limit exceeded")]
    Window(Window),
    /// Too many requests of this key are running.
    #[error("Too many concurrent API key requests")]
    InFlight(Window),
    /// The store of the counts does not answer.
    #[error("admission is not available: {0}")]
    Unavailable(Cow<'static, str>),
}

impl From<LimitError> for Fault {
    fn from(refusal: LimitError) -> Self {
        let message = match &refusal {
            LimitError::Window(_) => "Rate limit exceeded",
            LimitError::InFlight(_) => "Too many concurrent API key requests",
            LimitError::Unavailable(_) => "Service temporarily unavailable",
        };
        let kind = match &refusal {
            LimitError::Window(window) | LimitError::InFlight(window) => Kind::RateLimited(*window),
            LimitError::Unavailable(_) => Kind::Unavailable {
                retry_after: Duration::from_secs(5),
            },
        };
        let mut fault = Self::new(kind, message);
        fault.cause = matches!(refusal, LimitError::Unavailable(_)).then(|| refusal.into());
        fault
    }
}

/// A decision on its way.
pub type Decision<'a> = Pin<Box<dyn Future<Output = Result<Permit, LimitError>> + Send + 'a>>;

/// Decides who may go on.
pub trait Admission: Send + Sync {
    /// Admits the request and records it, or refuses it and records nothing.
    fn admit(&self, demand: Demand) -> Decision<'_>;

    /// Says whether the demand would be admitted now, and records nothing.
    fn peek(&self, demand: Demand) -> Decision<'_>;

    /// Takes back that the demand was admitted: it turned out to be nothing that its windows count. A caller that learns this only at
    /// the end is admitted at the beginning, so many at a time cannot exceed a window together.
    fn take_back(&self, demand: Demand) -> Decision<'_>;

    /// Forgets all that was counted in the demand's windows.
    fn clear(&self, demand: Demand) -> Decision<'_>;
}
