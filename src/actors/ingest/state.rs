//! What the storekeeper knows between its turns.

use std::sync::Arc;

use tokio::sync::Mutex;

use super::{Env, Salts};

pub struct Ingest {
    pub(super) env: Env,
    pub(super) salts: Arc<Salts>,
    /// One exchange of segments at a time: two would choose the same.
    pub(super) exchanging: Arc<Mutex<()>>,
    /// When old events were last looked for, Unix ms.
    pub(super) retained: i64,
    /// When it was last said that the clock is implausible, Unix ms.
    pub(super) doubted: i64,
    /// Whether deleted salts may still be read in the database's log.
    pub(super) has_remains: bool,
}
