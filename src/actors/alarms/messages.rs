//! The messages of the domain. Their senders are authorized.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};

use super::{Alarm, AlarmError, AlarmFields, DestinationFields};
use crate::ids::{AlarmId, DestinationId, OrganizationId, UserId};

#[derive(Debug, Clone)]
pub struct SavedAlarm {
    pub alarm: Arc<Alarm>,
    /// New secrets of its destinations, which are never shown again.
    pub secrets: Vec<(DestinationId, String)>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<SavedAlarm, AlarmError>")]
pub struct CreateAlarm {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: AlarmFields,
    pub destinations: Vec<DestinationFields>,
}

/// Changes an alarm. New conditions reset it, and messages about it are resolved.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<SavedAlarm, AlarmError>")]
pub struct ChangeAlarm {
    pub id: AlarmId,
    /// Fields of [`AlarmFields`] by their names on the wire; absent fields stay.
    pub fields: Map<String, Value>,
    pub destinations: Option<Vec<DestinationFields>>,
}

/// Deletes an alarm for good. Messages about it are resolved.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), AlarmError>")]
pub struct DeleteAlarm {
    pub id: AlarmId,
}

/// Gives a webhook a new secret. The old one also signs messages for a day.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<SavedAlarm, AlarmError>")]
pub struct RotateSecret {
    pub id: AlarmId,
    pub destination: String,
}

/// Stops repeats until the alarm fires again.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), AlarmError>")]
pub struct Acknowledge {
    pub id: AlarmId,
    /// One subject, or all that fire.
    pub subject: Option<String>,
}
