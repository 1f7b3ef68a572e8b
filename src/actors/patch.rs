//! Changes of things by named fields; the other fields stay.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::fault::Issue;

/// The thing with the change applied; `place` prefixes the names of fields in issues. `null` sets the default of a
/// field, if it has no other meaning there.
pub(super) fn patched<T: Serialize + DeserializeOwned>(
    thing: (&str, &T),
    patch: &Map<String, Value>,
    place: &str,
) -> Result<T, Vec<Issue>> {
    laid_over(thing, patch, place, |field, value| *field = value.clone())
}

/// The same, but fields that are objects are changed field by field themselves (JSON merge patch, RFC 7396).
pub(super) fn merged<T: Serialize + DeserializeOwned>(
    thing: (&str, &T),
    patch: &Map<String, Value>,
) -> Result<T, Vec<Issue>> {
    laid_over(thing, patch, "", merge)
}

fn laid_over<T: Serialize + DeserializeOwned>(
    (what, thing): (&str, &T),
    patch: &Map<String, Value>,
    place: &str,
    change: impl Fn(&mut Value, &Value),
) -> Result<T, Vec<Issue>> {
    let wrong = |field: &str, message: String| {
        let field = format!("{place}{field}");
        vec![Issue::new("invalid_type", field, message)]
    };
    let whole = serde_json::to_value(thing).map_err(|error| wrong("", error.to_string()))?;
    let Value::Object(mut whole) = whole else {
        return Err(wrong("", format!("a {what} is an object")));
    };
    for (name, value) in patch {
        let Some(field) = whole.get_mut(name) else {
            let message = format!("a {what} has no field `{name}`");
            let meant = crate::analytics::nearest(name, whole.keys().map(String::as_str));
            let suggestion = meant.map(|name| format!("Did you mean '{name}'?"));
            let issue = Issue::new("unrecognized_keys", format!("{place}{name}"), message);
            return Err(vec![issue.suggest(suggestion)]);
        };
        change(field, value);
    }
    serde_path_to_error::deserialize(Value::Object(whole))
        .map_err(|error| wrong(&error.path().to_string(), error.inner().to_string()))
}

/// JSON merge patch.
pub(super) fn merge(into: &mut Value, patch: &Value) {
    let (Value::Object(into), Value::Object(patch)) = (&mut *into, patch) else {
        *into = patch.clone();
        return;
    };
    // What has a type is said as a whole when the type changes, because its other fields depend on it.
    if patch
        .get("type")
        .is_some_and(|kind| into.get("type") != Some(kind))
    {
        into.clear();
    }
    for (name, value) in patch {
        match into.get_mut(name) {
            _ if value.is_null() => {
                into.remove(name);
            }
            Some(inner) => merge(inner, value),
            None => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
}
