//! What an answer is made of, in a few characters: the same tag means the same bytes.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, ETAG, HeaderName},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::request;
use crate::{
    actors::flags::ActiveFlags,
    http::{Shared, document::is_known},
};

/// Clients may keep an answer and ask before they use it again.
pub(super) const REVALIDATE: (HeaderName, &str) = (CACHE_CONTROL, "private, no-cache");

/// The answer to a client that has the one with this tag already.
pub(super) fn unchanged(request: &HttpRequest, tag: &str) -> Option<HttpResponse> {
    is_known(request.headers(), tag).then(|| {
        HttpResponse::NotModified()
            .insert_header(REVALIDATE)
            .insert_header((ETAG, tag))
            .finish()
    })
}

/// An answer with its tag.
pub(super) fn answer(tag: &str, body: impl Serialize) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(REVALIDATE)
        .insert_header((ETAG, tag))
        .json(body)
}

/// The tag of what these flags are for a context: flags, context, and what has changed by itself since. Strong, with its
/// quotes.
pub(super) fn tag(
    shared: &Shared,
    request: &HttpRequest,
    shown: &ActiveFlags,
    context: &Map<String, Value>,
) -> String {
    let now_ms = shared.clock.now_ms();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&shown.tag.to_le_bytes());
    hasher.update(&(shown.epoch(now_ms) as u64).to_le_bytes());
    if shown.asks_request() {
        let told = request::read_facts(shared, request);
        let address = request::address(request);
        hasher.update(format!("{told:?}{address:?}").as_bytes());
    }
    write(&mut hasher, context);
    let hash = hasher.finalize().to_hex();
    format!("\"{}\"", hash.get(..32).unwrap_or_default())
}

/// The tag of flags alone, for clients that wait for a change.
pub(super) fn revision(shown: &ActiveFlags, now_ms: i64) -> String {
    format!("{:016x}-{}", shown.tag, shown.epoch(now_ms))
}

/// An object in one way, whatever order its fields came in.
fn write(hasher: &mut blake3::Hasher, object: &Map<String, Value>) {
    let mut fields: Vec<_> = object.iter().collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    hasher.update(b"{");
    for (name, value) in fields {
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        write_value(hasher, value);
    }
    hasher.update(b"}");
}

fn write_value(hasher: &mut blake3::Hasher, value: &Value) {
    match value {
        Value::Object(object) => write(hasher, object),
        Value::Array(items) => {
            hasher.update(b"[");
            for item in items {
                write_value(hasher, item);
            }
            hasher.update(b"]");
        }
        Value::String(text) => {
            hasher.update(b"\"");
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        other => {
            hasher.update(other.to_string().as_bytes());
            hasher.update(b",");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn hash(value: &Value) -> String {
        let mut hasher = blake3::Hasher::new();
        write_value(&mut hasher, value);
        hasher.finalize().to_hex().to_string()
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..3).prop_map(Value::from),
            "[a,\"{}\\[\\]]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map("[ab]{0,2}", inner, 0..3)
                    .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    #[test]
    fn the_order_of_fields_does_not_count() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":{"c":2,"d":3}}"#).unwrap();
        let other: Value = serde_json::from_str(r#"{"b":{"d":3,"c":2},"a":1}"#).unwrap();
        assert_eq!(hash(&one), hash(&other));
        assert_ne!(hash(&json!(["ab"])), hash(&json!(["a", "b"])));
    }

    proptest! {
        #[test]
        fn different_contexts_have_different_tags(one in values(), other in values()) {
            prop_assert_eq!(one == other, hash(&one) == hash(&other));
        }
    }
}
