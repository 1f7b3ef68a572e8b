//! What a domain needs that keeps everything in the state database.

use crate::{clock::Clock, store::StateDb};

#[derive(Debug, Clone)]
pub struct StateEnv {
    pub db: StateDb,
    pub clock: Clock,
}
