//! A change of something that is made of fields: those that are named become what is said, and the rest stays.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::fault::Issue;

/// The thing with the change applied; `place` stands before the names of fields in what is wrong. `null` is what a field is
/// by itself, if it has no other meaning there.
pub(super) fn patched<T: Serialize + DeserializeOwned>(
    (what, thing): (&str, &T),
    patch: &Map<String, Value>,
    place: &str,
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
        if !whole.contains_key(name) {
            let message = format!("a {what} has no field `{name}`");
            let meant = crate::analytics::nearest(name, whole.keys().map(String::as_str));
            let suggestion = meant.map(|name| format!("Did you mean '{name}'?"));
            let issue = Issue::new("unknown", format!("{place}{name}"), message);
            return Err(vec![issue.suggest(suggestion)]);
        }
        whole.insert(name.clone(), value.clone());
    }
    serde_path_to_error::deserialize(Value::Object(whole))
        .map_err(|error| wrong(&error.path().to_string(), error.inner().to_string()))
}
