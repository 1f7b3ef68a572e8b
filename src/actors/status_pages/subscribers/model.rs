//! Subscribers and the messages about them.

use actix::Message;
use lettre::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Incident, StatusPageError};
use crate::{
    actors::{delivery::receiver, text_enum::text_enums},
    egress::Policy,
    ids::{StatusPageId, SubscriberId},
    locale::Language,
};

const MAX_TEXT: usize = 2_048;

/// The channel of a subscriber.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum SubscriberKind {
    /// By email.
    Email,
    /// By HTTP, signed by Standard Webhooks.
    Webhook,
}

text_enums!(SubscriberKind);

/// The address of a subscriber.
#[derive(Clone, PartialEq, Eq)]
pub struct Contact {
    pub kind: SubscriberKind,
    /// In one spelling.
    pub address: String,
}

impl std::fmt::Debug for Contact {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Contact({:?}, …)", self.kind)
    }
}

impl Contact {
    /// Reads an email address, or the URL of a webhook. Refuses email if it is not configured, and URLs that must not be reached.
    pub(in super::super) fn read(
        text: &str,
        policy: &Policy,
        sends_mail: bool,
    ) -> Result<Self, String> {
        let text = text.trim();
        if text.len() > MAX_TEXT {
            return Err("it is too long".to_owned());
        }
        if text.contains("://") {
            return Ok(Self {
                kind: SubscriberKind::Webhook,
                address: receiver(text, policy)?,
            });
        }
        let address: Address = text
            .parse()
            .map_err(|error| format!("it is no mail address: {error}"))?;
        if !sends_mail {
            return Err("no mail is sent from here: name the address of a webhook".to_owned());
        }
        // Local parts differ in case only in theory, and duplicates would get every message twice.
        Ok(Self {
            kind: SubscriberKind::Email,
            address: address.to_string().to_lowercase(),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    pub id: SubscriberId,
    pub page: StatusPageId,
    pub contact: Contact,
    /// The language of the page on which it was last requested.
    pub(in super::super) language: Language,
    /// Signs messages of webhooks.
    pub(in super::super) secret: Option<String>,
    /// Ids of monitors on the page; `None` = all.
    pub components: Option<Vec<String>>,
    /// The requested selection, which a confirmation makes effective.
    pub wanted: Option<Vec<String>>,
    /// The last request, Unix milliseconds.
    pub asked_ms: i64,
    /// The first confirmation, Unix milliseconds; `None` gets no messages.
    pub confirmed_ms: Option<i64>,
    /// The first request, Unix milliseconds.
    pub created_ms: i64,
}

impl Subscriber {
    /// Whether it gets messages about an incident. Incidents without monitors are for all.
    pub(in super::super) fn wants(&self, incident: &Incident) -> bool {
        let Some(components) = &self.components else {
            return true;
        };
        let mut hits = incident.affected.iter();
        incident.affected.is_empty()
            || hits.any(|hit| components.contains(&hit.status_page_monitor_id))
    }
}

/// Requests a subscription. The answer does not reveal whether the address is subscribed.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Subscribe {
    pub page: StatusPageId,
    pub contact: Contact,
    /// The language of its emails, unless the page has one of its own.
    pub language: Language,
    /// Ids of monitors on the page; `None` = all.
    pub components: Option<Vec<String>>,
}

/// Confirms a subscription by the link in the message.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Confirm {
    pub token: String,
}

/// Ends a subscription. Succeeds without one as well.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct Leave {
    pub token: String,
}

/// Removes a subscriber for the owner of the page. Succeeds without one as well.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), StatusPageError>")]
pub struct RemoveSubscriber {
    pub page: StatusPageId,
    pub id: SubscriberId,
}

/// The subscription of a confirmation link.
#[derive(Debug, Clone)]
pub struct SubscriptionScope {
    pub page: String,
    /// Names of the requested monitors; `None` = all.
    pub components: Option<Vec<String>>,
}
