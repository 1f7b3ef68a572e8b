//! The envelope of the RPC mount: `{"json": …, "meta": [[type, …path], …]}`.
//!
//! JSON has no dates and no `undefined`; `meta` says which values mean one. Inputs are turned into what a plain
//! caller would have sent. Outputs name their points in time: clients get dates.

use std::cmp::Reverse;

use actix_web::web;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, Issue};

/// What a body said.
pub(in crate::http) struct Opened {
    /// The input, as a plain caller would have sent it.
    pub(in crate::http) input: Result<Value, Fault>,
    /// Whether it came in an envelope, and the answer leaves in one.
    pub(in crate::http) enveloped: bool,
}

/// Whether a body is an envelope: an object with nothing but `json` and perhaps `meta`.
pub(super) fn is_enveloped(body: &Value) -> bool {
    body.as_object().is_some_and(|object| {
        object.contains_key("json") && object.keys().all(|key| key == "json" || key == "meta")
    })
}

/// The `data` of a query string.
pub(in crate::http) fn data(query: &str) -> Option<String> {
    let pairs = web::Query::<Vec<(String, String)>>::from_query(query).ok()?;
    let mut pairs = pairs.into_inner().into_iter();
    pairs.find(|(name, _)| name == "data").map(|(_, data)| data)
}

/// Whether a query string asks for an answer in an envelope.
pub(in crate::http) fn asks(query: &str) -> bool {
    data(query)
        .and_then(|data| serde_json::from_str(&data).ok())
        .is_some_and(|data| is_enveloped(&data))
}

/// Takes the input out of its envelope, if it is in one.
pub(in crate::http) fn open(body: Value) -> Opened {
    let enveloped = is_enveloped(&body);
    let input = match body {
        Value::Object(mut object) if enveloped => {
            let mut input = object.remove("json").unwrap_or_default();
            let restored = object
                .get("meta")
                .map_or(Ok(()), |meta| restore(&mut input, meta));
            if input.is_null() {
                input = Value::Object(Map::new());
            }
            restored.map(|()| input)
        }
        plain => Ok(plain),
    };
    Opened { input, enveloped }
}

/// Puts an output into an envelope.
pub(in crate::http) fn close(output: &Value) -> Value {
    let (mut meta, mut path) = (Vec::new(), Vec::new());
    dates(output, &mut path, &mut meta);
    if meta.is_empty() {
        json!({ "json": output })
    } else {
        json!({ "json": output, "meta": meta })
    }
}

const DATE: u64 = 1;

/// Every point in time: the fields that are called so, where they hold one as we write it.
fn dates(value: &Value, path: &mut Vec<Value>, found: &mut Vec<Value>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                dates(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(name.as_str().into());
                if name.ends_with("At") && field.as_str().is_some_and(is_moment) {
                    let entry = std::iter::once(DATE.into()).chain(path.iter().cloned());
                    found.push(entry.collect());
                } else {
                    dates(field, path, found);
                }
                path.pop();
            }
        }
        _ => {}
    }
}

/// `2026-10-14T12:00:00.000Z`.
fn is_moment(text: &str) -> bool {
    const FORM: &[u8; 24] = b"dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == FORM.len()
        && text.bytes().zip(FORM).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            other => byte == *other,
        })
}

/// Turns what `meta` names into what it means.
fn restore(input: &mut Value, meta: &Value) -> Result<(), Fault> {
    let mut entries = Vec::new();
    for entry in meta.as_array().ok_or_else(not_understood)? {
        let entry = entry.as_array().ok_or_else(not_understood)?;
        let (kind, path) = entry.split_first().ok_or_else(not_understood)?;
        entries.push((kind.as_u64().ok_or_else(not_understood)?, path));
    }
    // What is inside comes first: a map's values are named by their place in its list.
    entries.sort_by_key(|(_, path)| Reverse(path.len()));
    for (kind, path) in entries {
        apply(input, kind, path)?;
    }
    Ok(())
}

fn apply(input: &mut Value, kind: u64, path: &[Value]) -> Result<(), Fault> {
    match kind {
        0 => {
            let value = at(input, path).ok_or_else(not_understood)?;
            let number = value.as_str().and_then(|text| {
                let small = text.parse::<i64>().map(Value::from);
                small.or_else(|_| text.parse::<u64>().map(Value::from)).ok()
            });
            *value = number.ok_or_else(not_understood)?;
        }
        // Dates, not-a-numbers, URLs, patterns and sets are what they look like.
        1 | 2 | 4 | 5 | 6 => {
            at(input, path).ok_or_else(not_understood)?;
        }
        3 => undefined(input, path)?,
        7 => {
            let value = at(input, path).ok_or_else(not_understood)?;
            *value = object(value).ok_or_else(not_understood)?;
        }
        _ => return Err(not_understood()),
    }
    Ok(())
}

/// A field that is undefined is not there; an item of a list, and the input itself, is null.
fn undefined(input: &mut Value, path: &[Value]) -> Result<(), Fault> {
    let Some((last, parents)) = path.split_last() else {
        return Ok(());
    };
    let parent = at(input, parents).ok_or_else(not_understood)?;
    if let (Some(fields), Some(name)) = (parent.as_object_mut(), last.as_str()) {
        fields.remove(name);
    }
    Ok(())
}

/// The object of a list of pairs.
fn object(value: &Value) -> Option<Value> {
    let pairs = value
        .as_array()?
        .iter()
        .map(|pair| match pair.as_array()?.as_slice() {
            [Value::String(name), value] => Some((name.clone(), value.clone())),
            _ => None,
        });
    Some(Value::Object(pairs.collect::<Option<_>>()?))
}

fn at<'v>(value: &'v mut Value, path: &[Value]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Value::String(name) => value.as_object_mut()?.get_mut(name),
        Value::Number(index) => {
            let index = usize::try_from(index.as_u64()?).ok()?;
            value.as_array_mut()?.get_mut(index)
        }
        _ => None,
    })
}

fn not_understood() -> Fault {
    let message = "`meta` must be a list of [type, …path] that lead to values of `json`";
    Fault::issues(message, vec![Issue::new("invalid_value", "meta", message)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_an_object_of_json_and_meta_is_an_envelope() {
        for (body, input, enveloped) in [
            (json!({"json": {"id": 1}}), json!({"id": 1}), true),
            (
                json!({"json": {"id": 1}, "meta": []}),
                json!({"id": 1}),
                true,
            ),
            (json!({"json": null}), json!({}), true),
            (
                json!({"json": 1, "id": 2}),
                json!({"json": 1, "id": 2}),
                false,
            ),
            (json!({"meta": []}), json!({"meta": []}), false),
            (json!([1]), json!([1]), false),
        ] {
            let opened = open(body);
            assert_eq!(
                (opened.input.unwrap(), opened.enveloped),
                (input, enveloped)
            );
        }
    }

    #[test]
    fn meta_says_what_values_stand_for() {
        for (json, meta, input) in [
            (
                json!({"at": "2026-01-01T00:00:00.000Z"}),
                json!([[1, "at"]]),
                json!({"at": "2026-01-01T00:00:00.000Z"}),
            ),
            (json!({"n": "12"}), json!([[0, "n"]]), json!({"n": 12})),
            (
                json!({"n": "18446744073709551615"}),
                json!([[0, "n"]]),
                json!({"n": u64::MAX}),
            ),
            (
                json!({"a": null, "b": 1}),
                json!([[3, "a"]]),
                json!({"b": 1}),
            ),
            (
                json!({"l": [null, 1]}),
                json!([[3, "l", 0]]),
                json!({"l": [null, 1]}),
            ),
            (json!({"s": ["a"]}), json!([[6, "s"]]), json!({"s": ["a"]})),
            (
                json!({"m": [["k", "7"], ["l", null]]}),
                json!([[7, "m"], [0, "m", 0, 1]]),
                json!({"m": {"k": 7, "l": null}}),
            ),
            (json!(null), json!([[3]]), json!({})),
        ] {
            let opened = open(json!({ "json": json, "meta": meta }));
            assert_eq!(opened.input.unwrap(), input, "{meta}");
        }
    }

    #[test]
    fn a_meta_that_leads_nowhere_is_refused() {
        for meta in [
            json!({}),
            json!([1]),
            json!([[]]),
            json!([["a"]]),
            json!([[8, "a"]]),
            json!([[1, "b"]]),
            json!([[0, "a"]]),
            json!([[7, "a"]]),
            json!([[1, "a", 0]]),
            json!([[1, -1]]),
        ] {
            let opened = open(json!({ "json": { "a": "x" }, "meta": meta }));
            assert!(opened.enveloped);
            assert!(opened.input.is_err(), "{meta}");
        }
    }

    #[test]
    fn points_in_time_are_named_and_other_texts_are_not() {
        let at = "2026-10-14T12:00:00.000Z";
        let output = json!([{ "createdAt": at, "name": at, "deletedAt": null, "in": { "seenAt": at, "endAt": "soon" } }]);
        assert_eq!(
            close(&output),
            json!({ "json": output, "meta": [[1, 0, "createdAt"], [1, 0, "in", "seenAt"]] })
        );
        assert_eq!(close(&json!({ "a": 1 })), json!({ "json": { "a": 1 } }));
    }

    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2_i64..9).prop_map(Value::from),
            "[a-c]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-c]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_envelope_is_opened_without_a_panic(json in anything(), meta in anything()) {
            let opened = open(json!({ "json": json, "meta": meta }));
            prop_assert!(opened.enveloped);
        }
    }
}
