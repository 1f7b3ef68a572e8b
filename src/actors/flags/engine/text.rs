//! Values as texts, in the format of JavaScript, the language of the published clients: `contains` means the same everywhere.

use std::borrow::Cow;

use serde_json::Value;

/// What JavaScript finds in an object where no property is.
pub(super) const INHERITED: [&str; 7] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(
            number
                .as_i64()
                .filter(|whole| whole.unsigned_abs() < 1 << 53)
                .map_or_else(
                    || decimal(number.as_f64().unwrap_or(f64::NAN)),
                    |whole| whole.to_string(),
                ),
        ),
        Value::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .map(|item| match item {
                    Value::Null => Cow::Borrowed(""),
                    other => text(other),
                })
                .collect();
            Cow::Owned(items.join(","))
        }
        Value::Object(_) => Cow::Borrowed("[object Object]"),
    }
}

/// A number with as few digits as possible; very large and very small ones with an exponent.
fn decimal(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) || !number.is_finite() {
        return number.to_string();
    }
    let text = format!("{number:e}");
    if size >= 1.0 {
        return text.replace('e', "e+");
    }
    text
}

/// Whether two values are the same and of the same type; things made of others never are.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::String(one), Value::String(other)) => one == other,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Null, Value::Null) => true,
        _ => false,
    }
}

/// A value as a number: one, or a text that is one.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// A value as a time, Unix ms: ISO 8601 with an offset, a date (its beginning in UTC), or a number.
pub(super) fn time(value: &Value) -> Option<i64> {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "saturates")]
        Value::Number(number) => number.as_f64().map(|number| number as i64),
        Value::String(text) => {
            let text = text.trim();
            let moment = chrono::DateTime::parse_from_rfc3339(text).ok();
            moment.map(|moment| moment.timestamp_millis()).or_else(|| {
                let day: chrono::NaiveDate = text.parse().ok()?;
                Some(day.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis())
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_the_clients_write_them() {
        for (value, expected) in [
            (json!("x"), "x"),
            (json!(1), "1"),
            (json!(1.0), "1"),
            (json!(-0.0), "0"),
            (json!(0.5), "0.5"),
            (json!(1e21), "1e+21"),
            (json!(1.5e-7), "1.5e-7"),
            (
                json!(123_456_789_012_345_680_000_f64),
                "123456789012345680000",
            ),
            (json!(9_007_199_254_740_993_i64), "9007199254740992"),
            (json!(true), "true"),
            (json!(null), "null"),
            (json!([1, null, "a", [2, 3]]), "1,,a,2,3"),
            (json!({ "a": 1 }), "[object Object]"),
        ] {
            assert_eq!(text(&value), expected, "{value}");
        }
    }

    #[test]
    fn sameness_is_strict() {
        assert!(same(&json!(1), &json!(1.0)));
        assert!(!same(&json!(1), &json!("1")));
        assert!(!same(&json!([1]), &json!([1])));
        assert!(!same(&json!(true), &json!(1)));
    }

    #[test]
    fn numbers_and_times_are_read_from_texts_too() {
        assert_eq!(number(&json!(" 2.5 ")), Some(2.5));
        assert_eq!(number(&json!("NaN")), None);
        assert_eq!(number(&json!(true)), None);
        assert_eq!(time(&json!("1970-01-02")), Some(86_400_000));
        assert_eq!(time(&json!("1970-01-01T01:00:00+01:00")), Some(0));
        assert_eq!(time(&json!(5)), Some(5));
        assert_eq!(time(&json!("yesterday")), None);
    }
}
