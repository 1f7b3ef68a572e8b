use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actors::text_enum::text_enums;

/// What alarms watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum TriggerType {
    /// Monitors that are down, fail, are slow, or have a certificate that ends.
    #[default]
    Uptime,
    /// Push monitors whose heartbeat is missing.
    Heartbeat,
    /// More page views than usual at this hour.
    TrafficSpike,
    /// Fewer page views than usual at this hour.
    TrafficDrop,
    /// Errors per hundred page views.
    ErrorRate,
    /// The 75th percentile of a web vital.
    WebVital,
    /// A column of any query type that is a series.
    Custom,
}

text_enums!(TriggerType);
