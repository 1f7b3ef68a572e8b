//! Who is told of what happens on a page: addresses that somebody asked for, and whoever reads them confirmed.
//!
//! There may be many, so they are read from storage when something is told, and none is in memory. What is told lies in the
//! outbox in the transaction of what happened, under keys that say whom it tells what, so that nothing is told twice.
//! Addresses are sealed; what their links have to prove follows from the installation's secret and is stored nowhere.

mod model;
mod news;
pub(super) mod repo;
pub(super) mod tell;
pub(super) mod vault;

pub use model::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope,
};
pub(super) use news::news;
pub(super) use repo::{forget_gone, forget_stale, prefix};
pub(super) use tell::tell;
