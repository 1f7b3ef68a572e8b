//! What the domain of monitors knows between its turns.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use tokio::{sync::oneshot, task::JoinSet};

use super::{MonitorsEnv, MonitorsView, batch::CheckBatch, plan::Planner, times::Times};
use crate::ids::MonitorId;

#[derive(Debug)]
pub struct Monitors {
    pub(super) env: MonitorsEnv,
    pub(super) view: Arc<MonitorsView>,
    pub(super) planner: Planner,
    pub(super) batch: CheckBatch,
    /// How long the good checks of the last days took.
    pub(super) times: HashMap<MonitorId, HashMap<i32, Times>>,
    pub(super) waiting: HashMap<i64, Vec<oneshot::Sender<()>>>,
    pub(super) tasks: JoinSet<()>,
    pub(super) passing: JoinSet<()>,
    /// What others were asked for and is being done.
    pub(super) taken: HashSet<String>,
    pub(super) is_reading: bool,
    pub(super) running: usize,
    /// Resolves when the batch that is being written is.
    pub(super) finishing: Option<oneshot::Receiver<()>>,
    pub(super) write_after: Instant,
    /// When other processes were told last how monitors stand.
    pub(super) told: Instant,
}
