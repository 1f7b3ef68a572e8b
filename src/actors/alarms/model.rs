//! An alarm, whom it tells, and what it is about.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    AlarmFields, DestinationConfig, Phase,
    conditions::Conditions,
    machine::{Standing, Timing},
};
use crate::{
    actors::{
        delivery::{Channel, ChannelKind},
        monitors::Span,
    },
    ids::{AlarmId, DestinationId, OrganizationId, UserId, WebsiteId},
};

/// An alarm as people set it up.
#[derive(Debug, Clone)]
pub struct Alarm {
    pub id: AlarmId,
    pub organization: OrganizationId,
    pub created_by: Option<UserId>,
    pub fields: AlarmFields,
    /// Whom it tells, in their order.
    pub destinations: Vec<Destination>,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
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

/// Whom an alarm tells.
#[derive(Clone, PartialEq, Eq)]
pub struct Destination {
    pub id: DestinationId,
    /// What kind it is.
    pub kind: ChannelKind,
    /// Where it is, and what it needs.
    pub place: Place,
    /// Why nothing is sent there any more.
    pub disabled: Option<String>,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Destination({} {})", self.kind.as_str(), self.id)
    }
}

/// Where a destination is, and what it needs. Secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    pub identifier: String,
    pub config: DestinationConfig,
    /// The secret before the last rotation, and until when messages are signed with it as well, Unix milliseconds.
    pub former: Option<(String, i64)>,
}

impl Destination {
    /// Where its messages go, at a moment.
    pub(super) fn channel(&self, now_ms: i64) -> Channel {
        let former = self.place.former.as_ref();
        let former = former.filter(|(_, until)| now_ms < *until);
        let former = former.map(|(secret, _)| secret.clone());
        let mut channel = self.place.channel(self.kind);
        channel.secrets.extend(former);
        channel
    }
}

impl Place {
    /// The same as a channel of this kind.
    pub(super) fn channel(&self, kind: ChannelKind) -> Channel {
        let config = self.config.clone();
        Channel {
            kind,
            identifier: self.identifier.clone(),
            token: config.token,
            method: config.method.map(|method| method.as_str().to_owned()),
            headers: config.headers.unwrap_or_default(),
            secrets: config.secret.into_iter().collect(),
        }
    }
}

/// How an alarm stands about one thing, with what it is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Instance {
    pub(super) standing: Standing,
    /// What people know the thing as.
    pub(super) name: String,
    /// What was seen the last time, in a sentence.
    pub(super) evidence: String,
    pub(super) value: Option<f64>,
    pub(super) threshold: Option<f64>,
}

/// How an alarm stands about all of its things, by their ids.
pub(super) type Instances = BTreeMap<String, Instance>;

/// How an alarm stands about one thing, as people may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The thing's id; empty when there is just one.
    pub subject: String,
    /// What people know it as.
    pub name: String,
    pub phase: Phase,
    /// Since when, Unix milliseconds.
    pub since_ms: i64,
    /// Whether somebody has taken care of it.
    pub acknowledged: bool,
    /// What was seen the last time.
    pub evidence: String,
}
