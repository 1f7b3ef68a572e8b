//! A subscriber, and what can be asked about one.

use actix::Message;
use lettre::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Incident, StatusPageError};
use crate::{
    actors::delivery::receiver,
    egress::Policy,
    ids::{StatusPageId, SubscriberId},
};

/// Characters of an address.
const MAX_TEXT: usize = 2_048;

/// How a subscriber is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum SubscriberKind {
    /// By mail.
    Email,
    /// By a message over HTTP, signed by Standard Webhooks.
    Webhook,
}

impl SubscriberKind {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Where somebody can be told.
#[derive(Clone, PartialEq, Eq)]
pub struct Contact {
    pub kind: SubscriberKind,
    /// Where, in one spelling.
    pub address: String,
}

impl std::fmt::Debug for Contact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Contact({:?}, …)", self.kind)
    }
}

impl Contact {
    /// Reads a mail address, or the address of a webhook.
    ///
    /// # Errors
    /// It is neither; or there is no mail here, or the address may not be reached.
    pub(in super::super) fn read(
        said: &str,
        policy: &Policy,
        sends_mail: bool,
    ) -> Result<Self, String> {
        let said = said.trim();
        if said.len() > MAX_TEXT {
            return Err("it is too long".to_owned());
        }
        if said.contains("://") {
            return Ok(Self {
                kind: SubscriberKind::Webhook,
                address: receiver(said, policy)?,
            });
        }
        let address: Address = said
            .parse()
            .map_err(|error| format!("it is no mail address: {error}"))?;
        if !sends_mail {
            return Err("no mail is sent from here: name the address of a webhook".to_owned());
        }
        // What stands before the @ may differ in case; nobody's does, and everybody would be told twice.
        Ok(Self {
            kind: SubscriberKind::Email,
            address: address.to_string().to_lowercase(),
        })
    }
}

/// Somebody who is told, or will be once that is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    pub id: SubscriberId,
    pub page: StatusPageId,
    pub contact: Contact,
    /// What messages over HTTP are signed with.
    pub(in super::super) secret: Option<String>,
    /// Ids of the monitors on the page that it is told of; `None` = all.
    pub components: Option<Vec<String>>,
    /// The same, as it was asked for last.
    pub wanted: Option<Vec<String>>,
    /// When somebody asked for it last, Unix milliseconds.
    pub asked_ms: i64,
    /// When it was confirmed first, Unix milliseconds; until then nobody is told.
    pub confirmed_ms: Option<i64>,
    /// When somebody asked for it first, Unix milliseconds.
    pub created_ms: i64,
}

impl Subscriber {
    /// Whether it is told of an incident: those that affect nothing in particular are for everybody.
    pub(in super::super) fn wants(&self, incident: &Incident) -> bool {
        let Some(components) = &self.components else {
            return true;
        };
        let mut hits = incident.affected.iter();
        incident.affected.is_empty()
            || hits.any(|hit| components.contains(&hit.status_page_monitor_id))
    }
}

/// Somebody asks to be told. Whether they are told already makes no difference to anybody who looks.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Subscribe {
    pub page: StatusPageId,
    pub contact: Contact,
    /// Ids of monitors on the page; `None` = all.
    pub components: Option<Vec<String>>,
}

/// Whoever reads an address confirms what was asked for it.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Confirm {
    /// What the link proves.
    pub token: String,
}

/// A subscriber wants nothing any more. Who is none already is fine.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Leave {
    /// What the link proves.
    pub token: String,
}

/// The owner of a page takes a subscriber off it. Who is none already is fine.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct RemoveSubscriber {
    pub page: StatusPageId,
    pub id: SubscriberId,
}

/// What a link is about.
#[derive(Debug, Clone)]
pub struct SubscriptionScope {
    pub page: String,
    /// Names of the monitors that were asked for; `None` = all.
    pub components: Option<Vec<String>>,
}
