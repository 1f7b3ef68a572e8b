use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{QuietHours, RateLimit, Routing, Severity, TriggerType};
use crate::{
    actors::{delivery::ChannelKind, monitors::Window, patch::patched, text_enum::text_enums},
    fault::Issue,
};

/// Everything about an alarm that can be set. In a change, what is not named stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlarmFields {
    /// The name, 1 to 100 characters.
    pub name: String,
    /// What it is for, at most 500 characters.
    pub description: Option<String>,
    /// The website; all of the organization without one.
    pub website_id: Option<String>,
    /// Whether it is on; true by default.
    pub enabled: bool,
    /// What the alarm watches.
    pub trigger_type: TriggerType,
    /// When it fires; the fields depend on `triggerType` (docs/alerts.md).
    #[schemars(schema_with = "super::conditions::schema")]
    pub trigger_conditions: Map<String, Value>,
    /// Seconds for which the condition has to hold before it fires, 0 to 86,400; 0 by default.
    #[serde(rename = "for")]
    pub hold: u32,
    /// Seconds for which it has to be over before it ends, 0 to 86,400; 0 by default.
    pub recover_for: u32,
    /// Minutes after which messages repeat until it is acknowledged, 0 to 10,080; 0 = never; 240 by default.
    pub repeat_after: u32,
    /// Seconds for which the first message waits for others of the same alarm, 0 to 600; 0 by default.
    pub group_wait: u32,
    /// Windows without messages, at most 20. Messages that are still due are sent at a window's end.
    pub mute: Vec<Window>,
    /// How urgent it is, for destinations with `severities` or `quietHours`. Without one it counts as `warning`.
    pub severity: Option<Severity>,
}

impl Default for AlarmFields {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: None,
            website_id: None,
            enabled: true,
            trigger_type: TriggerType::default(),
            trigger_conditions: Map::new(),
            hold: 0,
            recover_for: 0,
            repeat_after: 240,
            group_wait: 0,
            mute: Vec::new(),
            severity: None,
        }
    }
}

impl AlarmFields {
    /// Reads the fields of a new alarm. An unknown field, or one of another type, is an issue.
    pub fn read(fields: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        patched(("alarm", &Self::default()), fields, "")
    }
}

/// A destination of an alarm's messages.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "AlarmDestinationInput")]
pub struct DestinationFields {
    /// In a change: the id of the existing destination, whose secrets stay.
    pub id: Option<String>,
    /// The type.
    #[serde(rename = "type")]
    pub kind: ChannelKind,
    /// Where it is: an address, a chat, a routing key. `/alarms/channels` says what for each type.
    pub identifier: String,
    /// What else it needs.
    pub config: DestinationConfig,
    /// The severities of the alerts that it gets; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severities: Option<Vec<Severity>>,
    /// When messages wait, unless the alert is critical.
    #[serde(
        deserialize_with = "read_nullable",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<QuietHours>")]
    pub quiet_hours: Option<Option<QuietHours>>,
    /// The most messages that it gets in a time. One summary follows for what is above.
    #[serde(
        deserialize_with = "read_nullable",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<RateLimit>")]
    pub rate_limit: Option<Option<RateLimit>>,
    /// The destination of this alarm that gets what can't be delivered here, and nothing else: its id, or its place in the
    /// list, such as `2`.
    #[serde(
        deserialize_with = "read_nullable",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub fallback: Option<Option<String>>,
}

/// Separates null, which removes a setting, from a missing field.
fn read_nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    body: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(body).map(Some)
}

impl DestinationFields {
    /// The settings of the destination. What is missing stays as it was.
    pub(super) fn merge_routing(&self, before: Option<&Routing>) -> Routing {
        let before = before.cloned().unwrap_or_default();
        Routing {
            severities: self.severities.clone().unwrap_or(before.severities),
            quiet_hours: self.quiet_hours.clone().unwrap_or(before.quiet_hours),
            rate_limit: self.rate_limit.unwrap_or(before.rate_limit),
            fallback: self.fallback.clone().unwrap_or(before.fallback),
        }
    }
}

impl std::fmt::Debug for DestinationFields {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}(…)", self.kind)
    }
}

/// What a destination needs.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "AlarmDestinationConfig")]
pub struct DestinationConfig {
    /// `webhook`: fields of the request's head, at most 20; not `Authorization`, `Cookie`, `Host` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// `webhook`: `POST` by default; `GET` sends no body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<WebhookMethod>,
    /// `webhook`: what messages are signed with (`whsec_…`, 24 to 64 bytes in base64). Generated and shown once when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// What else the type needs, such as `token`; `/alarms/channels` lists it.
    #[serde(flatten)]
    pub fields: BTreeMap<String, String>,
}

/// Methods of webhooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "UPPERCASE", const_into_str)]
pub enum WebhookMethod {
    /// No body is sent.
    Get,
    /// As usual.
    #[default]
    Post,
    /// As the receiver wants it.
    Put,
    /// As the receiver wants it.
    Patch,
}

text_enums!(WebhookMethod);
