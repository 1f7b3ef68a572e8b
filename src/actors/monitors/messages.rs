//! The messages of the domain. Their senders are authorized.

use std::sync::Arc;

use actix::Message;
use futures_util::future::BoxFuture;
use secrecy::SecretString;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Monitor, MonitorError, MonitorFields, Probe, ProbeFields};
use crate::{
    access::plans::Allowance,
    ids::{MonitorId, OrganizationId, ProbeId, UserId},
    store::{StateError, state::Write},
};

/// Creates a monitor and checks it at once. The organization must not monitor its target yet.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct CreateMonitor {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: MonitorFields,
    /// Whether it begins paused, without a check.
    pub is_paused: bool,
    /// How many monitors the owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Changes a monitor. Its slots stay unless its schedule changes.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct ChangeMonitor {
    pub id: MonitorId,
    /// Fields of [`MonitorFields`] by their names on the wire; `null` clears, absent fields stay, objects are changed
    /// field by field.
    pub fields: Map<String, Value>,
}

/// Deletes a monitor for good. Its checks stay.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), MonitorError>")]
pub struct DeleteMonitor {
    pub id: MonitorId,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct PauseMonitor {
    pub id: MonitorId,
    pub pause: bool,
}

/// Moves monitors to another organization, without their websites, dependencies and earlier checks: all or none. Answers with them
/// in the given order.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<Arc<Monitor>>, MonitorError>")]
pub struct TransferMonitors {
    pub ids: Vec<MonitorId>,
    pub to: OrganizationId,
    /// How many monitors the new owner's plan allows.
    pub allowance: Option<Allowance>,
    /// Part of the transaction.
    pub hook: Option<Arc<dyn TransferHook>>,
}

/// What another domain writes in the transaction that moves monitors.
pub trait TransferHook: std::fmt::Debug + Send + Sync {
    /// An error rolls the transaction back.
    fn write<'w>(&'w self, write: &'w Write) -> BoxFuture<'w, Result<(), StateError>>;
}

/// Checks a monitor now. The receiver resolves when the check is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct CheckNow {
    pub id: MonitorId,
}

/// Gives a push monitor a new URL; the old one stops at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct RenewPush {
    pub id: MonitorId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Start,
    Finish,
    Fail,
}

/// Records a heartbeat. The receiver resolves when it is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct RecordSignal {
    pub id: MonitorId,
    pub signal: Signal,
}

/// A probe with its token, which is shown this once.
#[derive(Debug)]
pub struct NewProbe {
    pub probe: Arc<Probe>,
    pub token: SecretString,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewProbe, MonitorError>")]
pub struct CreateProbe {
    pub organization: OrganizationId,
    pub fields: ProbeFields,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Probe>, MonitorError>")]
pub struct UpdateProbe {
    pub id: ProbeId,
    /// Fields of [`ProbeFields`] by their names on the wire; `null` clears, absent fields stay.
    pub patch: Map<String, Value>,
}

/// Gives a probe another token, also one that is revoked. The former one stops at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewProbe, MonitorError>")]
pub struct RenewProbeToken {
    pub id: ProbeId,
}

/// Revokes the token of a probe. Its monitors go on at their other places.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Probe>, MonitorError>")]
pub struct RevokeProbe {
    pub id: ProbeId,
}

/// Deletes a probe that no monitor is checked from.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), MonitorError>")]
pub struct DeleteProbe {
    pub id: ProbeId,
}

/// This process has stored reports of probes.
#[derive(Debug, Clone, Copy, Message)]
#[rtype(result = "()")]
pub struct ReportsArrived;
