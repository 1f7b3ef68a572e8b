//! Fields of our own bodies, made of what an [`super::Input`] says.

use std::borrow::Cow;

use super::super::{clean, field::Check, page::context, properties, wire::Value};
use crate::events::tree::{Object, Value as Json};

/// Characters of a property's name.
const PROPERTY_KEY: usize = 128;

pub(super) fn text(text: &str) -> Value<'_> {
    if text.is_empty() {
        return Value::Absent;
    }
    Value::Text(Cow::Borrowed(text))
}

pub(super) fn optional(value: Option<&str>) -> Value<'_> {
    value.map_or(Value::Absent, text)
}

pub(super) fn cut(value: Option<&str>, most: usize) -> Value<'_> {
    optional(value.map(|text| clean::cut(text, most)))
}

pub(super) type Soft = fn(&Value<'_>, &mut Check) -> Option<String>;

/// A text that is left out where our rule refuses it.
pub(super) fn soft(text: Option<&str>, received: i64, read: Soft) -> Value<'_> {
    let value = optional(text);
    let mut check = Check::new(None, received);
    let fits = read(&value, &mut check).is_some();
    if fits { value } else { Value::Absent }
}

pub(super) fn size(value: &Value<'_>, check: &mut Check) -> Option<String> {
    context::size("size", value, check)
}

pub(super) fn value<'a>(json: &'a Json<'_>) -> Value<'a> {
    match json {
        Json::Null => Value::Absent,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number.as_f64().map_or(Value::Absent, Value::Number),
        Json::String(text) => Value::Text(Cow::Borrowed(text)),
        Json::Array(_) | Json::Object(_) => Value::Compound,
    }
}

/// The properties as JSON: as many as we keep, the caller's own before the `$…` of their library.
pub(super) fn limited(all: &Object<'_>) -> Option<String> {
    if all.is_empty() {
        return None;
    }
    let fits = |key: &str| !clean::longer_than(key, PROPERTY_KEY);
    if all.len() <= properties::MAX_KEYS && all.keys().all(fits) {
        return serde_json::to_string(all).ok();
    }
    let (library, own): (Vec<_>, Vec<_>) = all
        .iter()
        .filter(|(key, _)| fits(key))
        .partition(|(key, _)| key.starts_with('$'));
    let kept = own.into_iter().chain(library).take(properties::MAX_KEYS);
    let kept: Object<'_> = kept.map(|(key, value)| (key, value.clone())).collect();
    serde_json::to_string(&kept).ok()
}
