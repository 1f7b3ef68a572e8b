//! PostHog: the server decides, so every flag has an answer.

use serde_json::{Map, Value, json};

use super::{
    super::engine::{Decision, Reason},
    Person, object, payload, take_object, take_text,
};
use crate::fault::Fault;

/// Names of groups that are more than properties to us.
const GROUPS: [(&str, &str); 2] = [("organization", "organizationId"), ("team", "teamId")];

/// A request for flags.
#[derive(Debug, Default, PartialEq)]
pub struct Request {
    /// The project's key.
    pub token: Option<String>,
    pub person: Person,
    /// Only these flags.
    pub keys: Option<Vec<String>>,
}

impl Request {
    pub fn wants(&self, key: &str) -> bool {
        self.keys
            .as_ref()
            .is_none_or(|keys| keys.iter().any(|wanted| wanted == key))
    }
}

/// Reads a body.
///
/// # Errors
/// It is no object of JSON.
pub fn read(body: &[u8]) -> Result<Request, Fault> {
    let mut whole = object(body)?;
    let mut properties = take_object(&mut whole, "person_properties");
    let keys = match whole.shift_remove("flag_keys_to_evaluate") {
        Some(Value::Array(keys)) => {
            let texts = keys
                .into_iter()
                .filter_map(|key| key.as_str().map(str::to_owned));
            Some(texts.collect())
        }
        _ => None,
    };
    for (kind, group) in take_object(&mut whole, "groups") {
        let own = GROUPS.iter().find(|(known, _)| *known == kind);
        let name = own.map_or(kind.as_str(), |(_, name)| name);
        properties.entry(name).or_insert(group);
    }
    let user_id =
        take_text(&mut whole, "distinct_id").or_else(|| take_text(&mut whole, "$distinct_id"));
    Ok(Request {
        token: take_text(&mut whole, "token").or_else(|| take_text(&mut whole, "api_key")),
        person: Person::with(user_id, properties),
        keys,
    })
}

/// What clients of a version read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The keys of flags that are on.
    List,
    /// Values and payloads.
    Values,
    /// Flags with reasons and payloads.
    Details,
}

impl Format {
    /// By the parameter `v` of `/decide`.
    pub fn of_decide(version: u32) -> Self {
        match version {
            0 | 1 => Self::List,
            2 | 3 => Self::Values,
            _ => Self::Details,
        }
    }

    /// By the parameter `v` of `/flags`.
    pub fn of_flags(version: u32) -> Self {
        if version < 2 {
            Self::Values
        } else {
            Self::Details
        }
    }

    /// The answer to a request.
    pub fn answer<'a>(
        self,
        decisions: impl Iterator<Item = (&'a str, Decision<'a>)>,
    ) -> Map<String, Value> {
        let mut answer = Map::new();
        let mut put = |name: &str, value: Value| answer.insert(name.to_owned(), value);
        match self {
            Self::List => {
                let on = decisions.filter(|(_, decision)| decision.enabled);
                put("featureFlags", on.map(|(key, _)| key).collect());
            }
            Self::Values => {
                let (mut values, mut payloads) = (Map::new(), Map::new());
                for (key, decision) in decisions {
                    if let Some(payload) = payload_text(&decision) {
                        payloads.insert(key.to_owned(), payload.into());
                    }
                    values.insert(key.to_owned(), value(&decision));
                }
                put("featureFlags", values.into());
                put("featureFlagPayloads", payloads.into());
            }
            Self::Details => {
                let flags =
                    decisions.map(|(key, decision)| (key.to_owned(), detail(key, &decision)));
                put("flags", Value::Object(flags.collect()));
            }
        }
        put("errorsWhileComputingFlags", false.into());
        answer
    }
}

/// The key of the variant, else whether it is on.
fn value(decision: &Decision<'_>) -> Value {
    match &decision.variant {
        Some(variant) => json!(variant),
        None => json!(decision.enabled),
    }
}

/// The payload as JSON in a text.
fn payload_text(decision: &Decision<'_>) -> Option<String> {
    payload(decision).map(|payload| payload.to_string())
}

fn detail(key: &str, decision: &Decision<'_>) -> Value {
    let code = match decision.reason {
        Reason::RolloutDisabled => "out_of_rollout_bound",
        Reason::DependencyNotSatisfied => "flag_disabled",
        _ if decision.enabled => "condition_match",
        _ => "no_condition_match",
    };
    let mut metadata = json!({ "description": null });
    if let Some(payload) = payload_text(decision) {
        metadata["payload"] = payload.into();
    }
    json!({
        "key": key, "enabled": decision.enabled, "variant": decision.variant, "metadata": metadata,
        "reason": { "code": code, "condition_index": null, "description": decision.reason },
    })
}
