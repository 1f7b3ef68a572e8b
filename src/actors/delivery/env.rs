//! What the domain needs.

use crate::{
    actors::delivery::{Outbox, Senders},
    clock::Clock,
    store::StateDb,
};

#[derive(Debug, Clone)]
pub struct DeliveryEnv {
    pub db: StateDb,
    pub clock: Clock,
    /// Where deliveries come from.
    pub outbox: Outbox,
    /// Who delivers them.
    pub senders: Senders,
}
