//! How clients of other products ask for flags, and how they read the answer.
//!
//! A protocol is a file here, which reads requests and writes decisions and knows no HTTP, and a file of its routes in
//! `http/flags/protocols`. Decisions are those of [`super::engine`].

pub mod posthog;
pub mod unleash;

use serde_json::{Map, Value};

use super::engine::Decision;
use crate::fault::{Fault, Issue};

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Person {
    pub user_id: Option<String>,
    pub email: Option<String>,
    pub organization_id: Option<String>,
    pub team_id: Option<String>,
    pub properties: Map<String, Value>,
}

impl Person {
    /// A person with these properties; some of them are more than properties to us.
    fn with(user_id: Option<String>, properties: Map<String, Value>) -> Self {
        let text = |name: &str| {
            properties
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Self {
            user_id,
            email: text("email"),
            organization_id: text("organizationId"),
            team_id: text("teamId"),
            properties,
        }
    }

    /// Everything of it as one object, to compare.
    pub fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for (name, value) in [
            ("userId", &self.user_id),
            ("organizationId", &self.organization_id),
            ("teamId", &self.team_id),
        ] {
            map.insert(name.to_owned(), value.clone().into());
        }
        map.insert(
            "properties".to_owned(),
            Value::Object(self.properties.clone()),
        );
        map
    }
}

/// What goes with a flag that is on: the value of its variant, else its payload.
fn payload(decision: &Decision<'_>) -> Option<Value> {
    match (&decision.variant, &decision.payload) {
        (Some(_), _) => Some(decision.value.clone().into_owned()),
        (None, Some(payload)) => Some(Value::Object(payload.clone().into_owned())),
        (None, None) => None,
    }
}

/// Reads a body that has to be an object.
fn object(body: &[u8]) -> Result<Map<String, Value>, Fault> {
    let wrong = |message: String| {
        Fault::issues(
            "Invalid request body",
            vec![Issue::new("invalid_json", "", message)],
        )
    };
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(wrong("Expected an object".to_owned())),
        Err(error) => Err(wrong(format!("The body is not valid JSON: {error}"))),
    }
}

/// Takes a member that is a text, or a number as one.
fn take_text(object: &mut Map<String, Value>, name: &str) -> Option<String> {
    match object.shift_remove(name)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Takes a member that is an object.
fn take_object(object: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match object.shift_remove(name) {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
