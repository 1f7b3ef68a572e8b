//! Unleash: features for clients that evaluate by themselves, and decisions for those that ask (its frontend API).

use serde_json::{Map, Value, json};

use super::{
    super::engine::{
        Compiled, Decision, Flags,
        unleash::{self, PAYLOAD},
    },
    Person, object, payload, take_object, take_text,
};
use crate::fault::Fault;

/// What Unleash finds out by itself, or what would let a client choose where it is.
const NOT_USED: [&str; 2] = ["remoteAddress", "currentTime"];

/// The environment that a token names: `project:environment.secret`.
pub fn environment(token: &str) -> Option<&str> {
    let (_, rest) = token.split_once(':')?;
    let (environment, _) = rest.rsplit_once('.')?;
    Some(environment).filter(|environment| !environment.is_empty())
}

/// Whether a token opens a flag: one of its environment, or of none.
pub fn opens(flag: &Compiled, environment: Option<&str>) -> bool {
    flag.environment.is_none() || flag.environment.as_deref() == environment
}

/// The context of a query string: fields by name, properties as `properties[name]`.
pub fn context_of_query(query: &str) -> Person {
    let (mut fields, mut properties) = (Map::new(), Map::new());
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        let property = name
            .strip_prefix("properties[")
            .and_then(|name| name.strip_suffix(']'));
        let (into, name) = match property {
            Some(name) => (&mut properties, name),
            None => (&mut fields, &*name),
        };
        into.insert(name.to_owned(), value.into_owned().into());
    }
    context(fields, properties)
}

/// The context of a body, `{"context": {…}}`.
///
/// # Errors
/// It is no object of JSON.
pub fn context_of_body(body: &[u8]) -> Result<Person, Fault> {
    let mut whole = object(body)?;
    let mut fields = take_object(&mut whole, "context");
    let properties = take_object(&mut fields, "properties");
    Ok(context(fields, properties))
}

/// Fields that are no fields of Unleash's are properties, as Unleash takes them. All values are texts.
fn context(mut fields: Map<String, Value>, mut properties: Map<String, Value>) -> Person {
    fields.retain(|name, _| !NOT_USED.contains(&name.as_str()));
    let user_id = take_text(&mut fields, "userId");
    properties.extend(fields);
    let texts = properties.into_iter().filter_map(|(name, value)| {
        let text = match value {
            Value::String(text) => text,
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((name, text.into()))
    });
    Person::with(user_id, texts.collect())
}

/// Reads a report of a client, of which nothing is kept.
///
/// # Errors
/// It is no object of JSON.
pub fn report(body: &[u8]) -> Result<(), Fault> {
    object(body).map(drop)
}

/// Features for clients that evaluate by themselves, and the flags that are left out, with the reasons.
pub fn features(flags: &Flags, environment: Option<&str>) -> Value {
    let (mut features, mut left_out) = (Vec::new(), Vec::new());
    for flag in flags.values().filter(|flag| opens(flag, environment)) {
        match flag.unleash_feature(flags) {
            Ok(feature) => features.push(feature),
            Err(reason) => left_out.push(json!({ "name": flag.key, "reason": reason })),
        }
    }
    json!({
        "version": 2, "features": features, "query": { "environment": environment.unwrap_or("default") },
        "leftOut": left_out,
    })
}

/// A flag that is on, for clients that ask; those that are off are not in the answer.
pub fn toggle(key: &str, decision: &Decision<'_>) -> Option<Value> {
    if !decision.enabled {
        return None;
    }
    let mut variant = json!({ "name": "disabled", "enabled": false, "feature_enabled": true, "featureEnabled": true });
    if let Some(carried) = payload(decision) {
        variant["name"] = json!(decision.variant.as_deref().unwrap_or(PAYLOAD));
        variant["enabled"] = json!(true);
        variant["payload"] = unleash::payload(&carried);
    }
    Some(json!({ "name": key, "enabled": true, "impressionData": false, "variant": variant }))
}
