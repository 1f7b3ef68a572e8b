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
    pub outbox: Outbox,
    pub senders: Senders,
}
