//! Subscribers of pages: addresses that were requested and confirmed.
//!
//! Subscribers are read from storage for every message, because there may be many. Messages are put into the outbox in the
//! transaction of the change, under keys of subscriber and change, which sends each message once. Addresses are sealed. The proofs of
//! links are derived from the installation's secret and stored nowhere.

pub(super) mod deliveries;
mod model;
mod news;
pub(super) mod repo;
pub(super) mod vault;

pub(super) use deliveries::notify_subscribers;
pub use model::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope,
};
pub(super) use news::news;
pub(super) use repo::{KEYS, forget_gone, forget_stale, page_prefix};
