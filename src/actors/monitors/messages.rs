//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Monitor, MonitorError, MonitorFields};
use crate::{
    access::plans::Allowance,
    ids::{MonitorId, OrganizationId, UserId},
};

/// Makes a monitor; its target must not be monitored in the organization yet. It is checked at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct CreateMonitor {
    /// The owner.
    pub organization: OrganizationId,
    /// Who makes it.
    pub created_by: Option<UserId>,
    /// What it is.
    pub fields: MonitorFields,
    /// How many monitors the owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Changes a monitor. Its slots stay where they are unless it is checked at other times from now on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct ChangeMonitor {
    /// The monitor.
    pub id: MonitorId,
    /// Fields of [`MonitorFields`] by their names on the wire; `null` clears, what is not named stays, objects are changed
    /// field by field.
    pub fields: Map<String, Value>,
}

/// Deletes a monitor for good. Its checks stay.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), MonitorError>")]
pub struct DeleteMonitor {
    /// The monitor.
    pub id: MonitorId,
}

/// Has a monitor rest, or go on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct PauseMonitor {
    /// The monitor.
    pub id: MonitorId,
    /// Whether it rests.
    pub pause: bool,
}

/// Hands a monitor to another organization, without its website, its dependencies and its earlier checks.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct TransferMonitor {
    /// The monitor.
    pub id: MonitorId,
    /// The new owner.
    pub to: OrganizationId,
    /// How many monitors the new owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Checks a monitor now. What comes back resolves when the check is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct CheckNow {
    /// The monitor.
    pub id: MonitorId,
}

/// Gives a push monitor another address; the old one stops at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct RenewPush {
    /// The monitor.
    pub id: MonitorId,
}

/// What a watched program says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// It has begun.
    Start,
    /// It has done its work.
    Finish,
    /// It has failed.
    Fail,
}

/// A sign of life of a watched program. What comes back resolves when it is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct Beat {
    /// The monitor.
    pub id: MonitorId,
    /// What it says.
    pub signal: Signal,
}
