//! The state of the actor.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use tokio::{sync::oneshot, task::JoinSet};

use super::{
    MonitorsEnv, MonitorsView, batch::CheckBatch, plan::Planner, response_times::ResponseTimes,
};
use crate::ids::MonitorId;

pub struct Monitors {
    pub(super) env: MonitorsEnv,
    pub(super) view: Arc<MonitorsView>,
    pub(super) planner: Planner,
    pub(super) batch: CheckBatch,
    /// Response times of the last days.
    pub(super) times: HashMap<MonitorId, HashMap<i32, ResponseTimes>>,
    pub(super) waiting: HashMap<i64, Vec<oneshot::Sender<()>>>,
    pub(super) tasks: JoinSet<()>,
    pub(super) background: JoinSet<()>,
    /// Forwarded requests that are in progress.
    pub(super) forwarded: HashSet<String>,
    pub(super) is_reading: bool,
    pub(super) running: usize,
    /// Resolves when the current write ends.
    pub(super) finishing: Option<oneshot::Receiver<()>>,
    pub(super) write_after: Instant,
    pub(super) published: Instant,
}
