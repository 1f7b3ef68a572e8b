//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;
use serde_json::{Map, Value};

use super::{Alarm, AlarmError, AlarmFields, DestinationFields};
use crate::ids::{AlarmId, DestinationId, OrganizationId, UserId};

/// An alarm that was made or changed.
#[derive(Debug, Clone)]
pub struct Changed {
    pub alarm: Arc<Alarm>,
    /// Secrets that were made for its destinations; nobody will see them again.
    pub secrets: Vec<(DestinationId, String)>,
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Changed, AlarmError>")]
pub struct CreateAlarm {
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: AlarmFields,
    /// Whom it tells.
    pub destinations: Vec<DestinationFields>,
}

/// Changes an alarm. Another condition begins anew; what people were told is taken back.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Changed, AlarmError>")]
pub struct ChangeAlarm {
    pub id: AlarmId,
    /// Fields of [`AlarmFields`] by their names on the wire; what is not named stays.
    pub fields: Map<String, Value>,
    /// Whom it tells from now on, if that changes.
    pub destinations: Option<Vec<DestinationFields>>,
}

/// Deletes an alarm for good. What people were told is taken back.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), AlarmError>")]
pub struct DeleteAlarm {
    pub id: AlarmId,
}

/// Gives a webhook another secret. Messages are signed with the one before as well for a day.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Changed, AlarmError>")]
pub struct RotateSecret {
    pub id: AlarmId,
    pub destination: String,
}

/// Somebody takes care of it: it is not repeated any more, until it goes off again.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), AlarmError>")]
pub struct Acknowledge {
    pub id: AlarmId,
    /// Of what; of everything that it goes off about unless said.
    pub subject: Option<String>,
}
