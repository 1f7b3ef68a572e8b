//! JSON bodies of other products, read leniently.

use super::super::invalid;
pub(in crate::events) use super::super::members::{into_text, to_text};
use crate::events::tree::{Object, Text, Value};
use crate::fault::{Fault, Issue};

/// Reads a body; the issue of a body that is no JSON says where.
pub(in crate::events) fn read(bytes: &[u8]) -> Result<Value<'_>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        broken(format!(
            "The body is not UTF-8: byte {} is out of place",
            error.valid_up_to()
        ))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text)
        .map_err(|error| broken(format!("The body is not valid JSON: {error}")))
}

/// The issue of a body that cannot be read.
pub(in crate::events) fn broken(message: impl Into<String>) -> Fault {
    invalid(vec![Issue::new("invalid_json", "", message.into())])
}

/// The issue of something that should be an object and is none.
pub(in crate::events) fn no_object(field: &str) -> Fault {
    invalid(vec![Issue::new(
        "invalid_type",
        field,
        "Expected an object",
    )])
}

/// The issue of a missing field.
pub(in crate::events) fn missing(field: impl Into<String>) -> Fault {
    let field = field.into();
    let message = format!("`{field}` is required");
    invalid(vec![Issue::new("required", field, message)])
}

/// The issue of a field with a value that means nothing.
pub(in crate::events) fn wrong(field: impl Into<String>, message: &'static str) -> Fault {
    invalid(vec![Issue::new("invalid_value", field.into(), message)])
}

/// A number, or the digits of one.
pub(in crate::events) fn to_number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        _ => None,
    }
}

/// Takes the first of these members that is there and not null.
pub(in crate::events) fn take<'a>(object: &mut Object<'a>, names: &[&str]) -> Option<Value<'a>> {
    let mut found = None;
    for name in names {
        let value = object.remove(name).filter(|value| !value.is_null());
        found = found.or(value);
    }
    found
}

/// [`take`] as a text.
pub(in crate::events) fn take_text<'a>(
    object: &mut Object<'a>,
    names: &[&str],
) -> Option<Text<'a>> {
    into_text(take(object, names)?)
}

/// Takes a member that is an object.
pub(in crate::events) fn take_object<'a>(object: &mut Object<'a>, names: &[&str]) -> Object<'a> {
    match take(object, names) {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

/// The time in a text of RFC 3339, Unix ms.
pub(in crate::events) fn time(value: Option<&Value<'_>>) -> Option<i64> {
    match value? {
        Value::Number(number) => number.as_f64().map(|time| time as i64),
        Value::String(text) => chrono::DateTime::parse_from_rfc3339(text.trim())
            .ok()
            .map(|time| time.timestamp_millis()),
        _ => None,
    }
}

/// How far a client's clock is behind ours, by when it says that it sent the request.
pub(in crate::events) fn skew(sent: Option<&Value<'_>>, received: i64) -> i64 {
    time(sent).map_or(0, |sent| received.saturating_sub(sent))
}

/// `WxH` of two numbers.
pub(in crate::events) fn size(
    width: Option<&Value<'_>>,
    height: Option<&Value<'_>>,
) -> Option<Text<'static>> {
    let side = |value: Option<&Value<'_>>| to_number(value?).map(|side| side as u32);
    Some(format!("{}x{}", side(width)?, side(height)?).into())
}
