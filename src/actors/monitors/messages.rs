//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{Monitor, MonitorError, MonitorFields};
use crate::{
    access::plans::Allowance,
    ids::{MonitorId, OrganizationId, UserId},
    store::{StateError, state::Write},
};

/// Makes a monitor; its target must not be monitored in the organization yet. It is checked at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct CreateMonitor {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: MonitorFields,
    /// How many monitors the owner's plan allows.
    pub allowance: Option<Allowance>,
}

/// Changes a monitor. Its slots stay where they are unless it is checked at other times from now on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct ChangeMonitor {
    pub id: MonitorId,
    /// Fields of [`MonitorFields`] by their names on the wire; `null` clears, what is not named stays, objects are changed
    /// field by field.
    pub fields: Map<String, Value>,
}

/// Deletes a monitor for good. Its checks stay.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), MonitorError>")]
pub struct DeleteMonitor {
    pub id: MonitorId,
}

/// Has a monitor rest, or go on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct PauseMonitor {
    pub id: MonitorId,
    pub pause: bool,
}

/// Hands monitors of one owner to another organization, without their websites, their dependencies and their earlier checks: all
/// of them or none. Answers with them in the order in which they were named.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Vec<Arc<Monitor>>, MonitorError>")]
pub struct TransferMonitors {
    pub ids: Vec<MonitorId>,
    pub to: OrganizationId,
    /// How many monitors the new owner's plan allows.
    pub allowance: Option<Allowance>,
    /// What else happens if they go, and not otherwise.
    pub along: Option<Arc<dyn Along>>,
}

/// What another domain writes in the transaction that moves monitors.
pub trait Along: std::fmt::Debug + Send + Sync {
    /// Writes it. An error undoes all of the transaction.
    fn write<'w>(&'w self, write: &'w Write) -> BoxFuture<'w, Result<(), StateError>>;
}

/// Checks a monitor now. What comes back resolves when the check is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct CheckNow {
    pub id: MonitorId,
}

/// Gives a push monitor another address; the old one stops at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<Monitor>, MonitorError>")]
pub struct RenewPush {
    pub id: MonitorId,
}

/// What a watched program says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Start,
    Finish,
    Fail,
}

/// A sign of life of a watched program. What comes back resolves when it is stored.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<oneshot::Receiver<()>, MonitorError>")]
pub struct Beat {
    pub id: MonitorId,
    pub signal: Signal,
}
