//! A domain, whatever it is.

use futures_util::future::BoxFuture;

use crate::fault::{Classify, Fault};

/// A domain of the roster, whichever it is: for readiness, and for tests that go through all of them.
pub trait Resident: Send + Sync {
    fn name(&self) -> &'static str;

    /// Whether the actor takes messages at this moment.
    fn is_running(&self) -> bool;

    /// How often the actor has died and was started again since the start of the process.
    fn deaths(&self) -> u64;

    /// The epoch of its memory; `None` where no other process writes.
    fn epoch(&self) -> Option<i64>;

    /// Has it read what other processes have written, unless its memory has this epoch or a later one by then.
    fn catch_up(&self, epoch: i64) -> BoxFuture<'static, Result<(), Unavailable>>;

    /// Has it read everything anew, because from now on what runs by the clock is done here.
    fn take_over(&self) -> BoxFuture<'static, Result<(), Unavailable>>;

    /// Makes the domain's actor panic while it handles a message. For tests of the supervision only.
    #[doc(hidden)]
    fn inject_panic(&self) -> BoxFuture<'static, Result<(), Unavailable>>;
}

/// Why a domain gave no answer. Trying again helps; whether the message took effect is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The actor is coming back from storage, or the program is stopping.
    #[error("{0} is restarting")]
    Restarting(&'static str),
    /// No answer within five seconds.
    #[error("{0} did not answer in time")]
    Timeout(&'static str),
    /// Too much is waiting already.
    #[error("{0} is overloaded")]
    Overloaded(&'static str),
}

impl Classify for Unavailable {
    fn classify(self) -> Fault {
        let mut fault = Fault::unavailable("Service temporarily unavailable");
        fault.cause = Some(self.into());
        fault
    }
}
