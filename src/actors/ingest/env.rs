//! What the domain needs.

use std::sync::Arc;

use crate::{
    clock::Clock,
    events::{segments::RetentionPolicy, store::EventStore},
    store::{LastRun, state::StateDb},
};

#[derive(Clone)]
pub struct Env {
    pub store: EventStore,
    pub state: StateDb,
    pub clock: Clock,
    /// When the server last ran: by its clock alone nothing is deleted.
    pub last_run: LastRun,
    /// For how long events are kept now.
    pub retention: Arc<dyn Fn() -> RetentionPolicy + Send + Sync>,
}
