//! Sections that say how much a caller or an organization may use. Both are reloadable.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor},
};

/// `[limits]`: requests in a rolling window of 60 seconds, and sizes; 0 = unlimited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Ingestion requests per client.
    pub track_requests: u32,
    /// Reports of tool calls (`/mcp`) per key.
    pub mcp_requests: u32,
    /// Query requests per signed-in caller.
    pub query_requests: u32,
    /// Query requests per anonymous caller.
    pub query_requests_anonymous: u32,
    /// Compile requests per signed-in caller.
    pub compile_requests: u32,
    /// Compile requests per anonymous caller.
    pub compile_requests_anonymous: u32,
    /// Flag evaluations per caller.
    pub flags_requests: u32,
    /// Quota of a key whose rate limiting is enabled and says nothing else.
    pub key_requests: u32,
    /// Requests of one key at the same time.
    pub key_in_flight: u32,
    /// Requests from one address with keys that nobody has.
    pub key_failures: u32,
    /// Largest body, counted after decompression.
    pub body_bytes: u64,
}

/// `[plans]`: what organizations may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// False = no plan limits at all.
    pub enabled: bool,
    /// Plan of a new organization.
    pub default: String,
    /// The plans by name (`[plans.<name>]`).
    #[serde(flatten)]
    pub named: BTreeMap<String, Plan>,
}

/// `[plans.<name>]`: one plan's allowances; 0 = unlimited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// Events per calendar month.
    pub events_per_month: u64,
    /// Websites of an organization.
    pub websites: u64,
    /// Short links of an organization.
    pub links: u64,
    /// Monitors of an organization.
    pub monitors: u64,
    /// Members of an organization.
    pub members: u64,
    /// Features it includes; `errors` unlocks the `Errors` category of query types.
    pub features: Vec<String>,
    /// Name of the next larger plan; empty = none.
    pub next: String,
}

// By hand because `flatten` buffers, and a buffered value no longer knows its place.
impl<'de> Deserialize<'de> for Plans {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PlansVisitor)
    }
}

struct PlansVisitor;

impl<'de> Visitor<'de> for PlansVisitor {
    type Value = Plans;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the section `plans`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plans, A::Error> {
        let (mut enabled, mut default, mut named) = (None, None, BTreeMap::new());
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "enabled" => enabled = Some(map.next_value()?),
                "default" => default = Some(map.next_value()?),
                _ => {
                    named.insert(key, map.next_value()?);
                }
            }
        }
        Ok(Plans {
            enabled: enabled.ok_or_else(|| de::Error::missing_field("enabled"))?,
            default: default.ok_or_else(|| de::Error::missing_field("default"))?,
            named,
        })
    }
}
