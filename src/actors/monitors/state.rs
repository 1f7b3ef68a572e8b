//! The state of the actor.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use tokio::{sync::oneshot, task::JoinSet};

use super::{
    Finding, MonitorsEnv, MonitorsView, ProbeState,
    batch::CheckBatch,
    places::{open_slots::OpenSlots, stored_reports::ReportKey},
    plan::{Planner, Work},
    report_reads::ReportReads,
    response_times::ResponseTimes,
};
use crate::ids::{MonitorId, ProbeId};

/// What a place has found.
#[derive(Debug)]
pub(super) struct PlaceReport {
    pub(super) found: Finding,
    /// The stored report that it comes from.
    pub(super) stored: Option<ReportKey>,
}

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
    /// The slots that several places check.
    pub(super) open_slots: OpenSlots<Work, PlaceReport>,
    pub(super) probe_states: HashMap<ProbeId, ProbeState>,
    pub(super) reports: ReportReads,
    /// Unix milliseconds.
    pub(super) booted_ms: i64,
}
