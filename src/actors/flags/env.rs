use crate::{clock::Clock, store::StateDb};

#[derive(Debug, Clone)]
pub struct FlagsEnv {
    pub db: StateDb,
    pub clock: Clock,
}
