//! What the domain needs, and what it knows between messages.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::Salts;
use crate::{
    clock::Clock,
    events::{segments::Retention, store::EventStore},
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
    pub retention: Arc<dyn Fn() -> Retention + Send + Sync>,
}

pub struct Ingest {
    pub(super) env: Env,
    pub(super) salts: Arc<Salts>,
    /// One exchange of segments at a time: two would choose the same.
    pub(super) exchanging: Arc<Mutex<()>>,
    /// When old events were last looked for, Unix ms.
    pub(super) retained: i64,
    /// When an implausible clock was last logged, Unix ms.
    pub(super) warned_ms: i64,
    /// Whether deleted salts may still be read in the database's log.
    pub(super) has_remains: bool,
}
