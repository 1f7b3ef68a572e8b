//! What the domain needs.

use crate::{clock::Clock, store::StateDb};

#[derive(Debug, Clone)]
pub struct ChatsEnv {
    pub db: StateDb,
    pub clock: Clock,
}
