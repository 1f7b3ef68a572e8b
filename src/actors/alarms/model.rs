//! Alarms, their destinations and their instances.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    AlarmFields, DestinationConfig, Phase, Routing, Severity,
    conditions::Conditions,
    machine::{Standing, Timing},
    reason::Reason,
    routing::Recipient,
};
use crate::{
    actors::{
        delivery::{Channel, ChannelKind},
        monitors::Span,
    },
    ids::{AlarmId, DestinationId, OrganizationId, UserId, WebsiteId},
};

#[derive(Debug, Clone)]
pub struct Alarm {
    pub id: AlarmId,
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: AlarmFields,
    pub destinations: Vec<Destination>,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
    pub(super) conditions: Arc<Conditions>,
    pub(super) mute: Vec<Span>,
}

impl Alarm {
    pub fn website(&self) -> Option<WebsiteId> {
        self.fields.website_id.as_deref().map(WebsiteId::from)
    }

    pub fn destination(&self, id: &str) -> Option<&Destination> {
        self.destinations.iter().find(|one| one.id.as_str() == id)
    }

    pub(super) fn wait_ms(&self) -> i64 {
        i64::from(self.fields.group_wait) * 1_000
    }

    pub(super) fn severity(&self) -> Severity {
        self.fields.severity.unwrap_or_default()
    }

    /// Whether a destination has settings of its own.
    pub(super) fn uses_routing(&self) -> bool {
        let mut all = self.destinations.iter();
        all.any(|one| one.endpoint.routing != Routing::default())
    }

    pub(super) fn is_muted(&self, at_ms: i64) -> bool {
        self.mute.iter().any(|span| span.is_open(at_ms))
    }
}

impl AlarmFields {
    pub(super) fn timing(&self) -> Timing {
        Timing {
            hold: i64::from(self.hold) * 1_000,
            recover: i64::from(self.recover_for) * 1_000,
            repeat: i64::from(self.repeat_after) * 60_000,
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Destination {
    pub id: DestinationId,
    pub kind: ChannelKind,
    pub endpoint: Endpoint,
    /// Why it gets no messages.
    pub disabled: Option<String>,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Destination({} {})", self.kind.as_str(), self.id)
    }
}

/// The address and credentials of a destination. Secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Endpoint {
    pub identifier: String,
    pub config: DestinationConfig,
    /// The secret before the last rotation, with the end of its use, Unix milliseconds.
    pub former: Option<(String, i64)>,
    /// Which alerts it gets, and when.
    pub routing: Routing,
}

impl Destination {
    /// The prefix of the keys of all deliveries to it.
    pub(super) fn key_prefix(&self) -> String {
        format!("alarm:{}:", self.id)
    }

    /// The id of the destination in the key of a delivery.
    pub(super) fn id_in_key(key: &str) -> Option<&str> {
        key.split(':').nth(1)
    }

    pub(super) fn channel(&self, now_ms: i64) -> Channel {
        let former = self.endpoint.former.as_ref();
        let former = former.filter(|(_, until)| now_ms < *until);
        let former = former.map(|(secret, _)| secret.clone());
        let mut channel = self.endpoint.channel(&self.kind);
        channel.secrets.extend(former);
        channel
    }
}

impl Endpoint {
    pub(super) fn channel(&self, kind: &ChannelKind) -> Channel {
        let config = self.config.clone();
        Channel {
            kind: kind.clone(),
            identifier: self.identifier.clone(),
            method: config.method.map(|method| method.as_str().to_owned()),
            headers: config.headers.unwrap_or_default(),
            secrets: config.secret.into_iter().collect(),
            fields: config.fields,
        }
    }
}

/// The standing and the last evidence of one subject.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Instance {
    pub(super) standing: Standing,
    pub(super) name: String,
    /// [`Reason::for_programs`].
    pub(super) evidence: String,
    /// The same for people; earlier versions stored none.
    pub(super) reason: Option<Reason>,
    pub(super) value: Option<f64>,
    pub(super) threshold: Option<f64>,
    /// Destinations that know something else than the alarm says, by their ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) recipients: BTreeMap<String, Recipient>,
}

impl Instance {
    /// Whether a destination is still to be told something.
    pub(super) fn is_owed(&self) -> bool {
        let mut recipients = self.recipients.values();
        self.standing.told || recipients.any(Recipient::is_owed)
    }

    /// Whether a message about it to this destination failed for good.
    pub(super) fn has_failed(&self, to: &Destination) -> bool {
        let recipient = self.recipients.get(to.id.as_str());
        recipient.is_some_and(|recipient| recipient.failed_ms.is_some())
    }
}

/// The instances of an alarm by the ids of their subjects.
pub(super) type Instances = BTreeMap<String, Instance>;

/// The instances that are new or stand otherwise than before; evidence alone is no difference.
pub(super) fn changed<'a>(
    before: &'a Instances,
    after: &'a Instances,
) -> impl Iterator<Item = (&'a String, &'a Instance)> {
    after.iter().filter(|(subject, instance)| {
        let known = before.get(*subject);
        known.is_none_or(|known| {
            (known.standing, &known.name, &known.recipients)
                != (instance.standing, &instance.name, &instance.recipients)
        })
    })
}

/// An instance, as the API shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceStatus {
    /// The id of the subject; empty if there is one subject.
    pub subject: String,
    pub name: String,
    pub phase: Phase,
    /// Unix milliseconds.
    pub since_ms: i64,
    pub acknowledged: bool,
    pub evidence: String,
}
