//! An event in a query string: what the image `/px.jpg` is asked for with.
//!
//! The query is turned into the JSON that the other routes take, and read like that, so every rule holds here
//! as well. Numbers are numbers where a field wants one, `properties` is JSON or comes in pieces
//! (`properties[plan]=pro`, `properties.plan=pro`), and everything else is text.

use serde_json::{Map, Value};

use super::{Context, error, invalid, page, vital};
use crate::{
    events::store::Accepted,
    fault::{Fault, Issue},
};

/// What is answered: one transparent pixel, GIF.
pub const IMAGE: &[u8] =
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x21\xf9\x04\x01\x00\x00\x00\x00\
    \x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b";

/// Fields that hold numbers.
const NUMBERS: [&str; 16] = [
    "timestamp",
    "sessionStartTime",
    "time_on_page",
    "scroll_depth",
    "interaction_count",
    "page_count",
    "load_time",
    "dom_ready_time",
    "dom_interactive",
    "ttfb",
    "render_time",
    "metricValue",
    "lineno",
    "colno",
    "rtt",
    "downlink",
];

/// Reads the one event of a query string.
///
/// # Errors
/// It is of an unknown type, or breaks a rule of its kind.
pub fn accept(query: &str, context: &Context<'_>) -> Result<Vec<Accepted>, Fault> {
    let object = object(query);
    let kind = match object.get("type") {
        None => "track",
        Some(kind) => kind.as_str().unwrap_or_default(),
    };
    let one = |object: Map<String, Value>| Value::Object(object).to_string();
    let many = |object: Map<String, Value>| Value::Array(vec![Value::Object(object)]).to_string();
    match kind {
        "track" | "outgoing_link" => {
            page::accept(one(object).as_bytes(), context).map(|(_, accepted)| vec![accepted])
        }
        "web_vitals" => vital::accept(many(object).as_bytes(), context),
        "error" => error::accept(many(object).as_bytes(), context),
        _ => {
            let message =
                "Unknown event type: `type` is `track`, `outgoing_link`, `web_vitals` or `error`";
            Err(invalid(vec![Issue::new("unknown_type", "type", message)]))
        }
    }
}

/// The query as an object; of a key that comes twice, the last counts.
fn object(query: &str) -> Map<String, Value> {
    let mut object = Map::new();
    let mut pieces = Map::new();
    for (key, text) in url::form_urlencoded::parse(query.as_bytes()) {
        if matches!(text.as_ref(), "null" | "undefined") {
            continue;
        }
        if let Some(name) = piece(&key) {
            let value = serde_json::from_str(&text).unwrap_or_else(|_| text.as_ref().into());
            pieces.insert(name.to_owned(), value);
            continue;
        }
        let value = value(&key, &text);
        object.insert(key.into_owned(), value);
    }
    if !pieces.is_empty() {
        let properties = object
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(properties) = properties {
            properties.extend(pieces);
        }
    }
    object
}

/// The name of a property that comes by itself.
fn piece(key: &str) -> Option<&str> {
    let rest = key.strip_prefix("properties")?;
    rest.strip_prefix('.').or_else(|| {
        rest.strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
    })
}

fn value(key: &str, text: &str) -> Value {
    let parsed = || serde_json::from_str::<Value>(text).ok();
    let parsed = match key {
        "properties" => parsed(),
        "anonymizeVisitorIds" => parsed().filter(Value::is_boolean),
        key if NUMBERS.contains(&key) => parsed().filter(Value::is_number),
        _ => None,
    };
    parsed.unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::{super::test_fixture::*, *};
    use crate::events::event::Details;

    fn read(query: &str) -> Result<Vec<Accepted>, Fault> {
        let visit = visit();
        accept(query, &context(&visit))
    }

    #[test]
    fn a_page_event_arrives_with_numbers_and_properties() {
        let query = "client_id=w1&eventId=12&name=screen_view&path=https%3A%2F%2Fexample.com%2Fa%2520b\
            &time_on_page=12.5&title=A+page&properties=%7B%22plan%22%3A%22pro%22%7D&timestamp=1790000000000\
            &anonymizeVisitorIds=false&sessionId=null&referrer=";
        let Accepted { event, event_id } = read(query).unwrap().remove(0);
        assert_eq!(event_id.as_deref(), Some("12"));
        assert_eq!((event.path.as_str(), event.time), ("/a b", NOW));
        assert_eq!(event.title.as_deref(), Some("A page"));
        assert_eq!(event.properties.as_deref(), Some(r#"{"plan":"pro"}"#));
        assert_eq!(event.session, 0);
        assert!(matches!(event.details, Details::Page(page) if page.time_on_page == Some(12.5)));
    }

    #[test]
    fn properties_may_come_in_pieces() {
        let query = "eventId=e&name=n&path=http://localhost/&properties[a]=1&properties.b=x&properties=%7B%22c%22:true%7D";
        let event = read(query).unwrap().remove(0).event;
        assert_eq!(
            event.properties.as_deref(),
            Some(r#"{"c":true,"a":1,"b":"x"}"#)
        );
    }

    #[test]
    fn the_other_kinds_arrive_too() {
        let kind = |query: &str| read(query).unwrap().remove(0).event;
        let link = kind("type=outgoing_link&eventId=e&href=https://x.example/&text=X");
        assert!(
            matches!(link.details, Details::Outgoing { href, .. } if href == "https://x.example/")
        );
        let vital =
            kind("type=web_vitals&timestamp=1790000000000&path=/a&metricName=LCP&metricValue=12");
        assert_eq!(vital.details, Details::Vital { value: 12.0 });
        let error = kind("type=error&timestamp=1790000000000&path=/a&message=5&lineno=3");
        assert!(
            matches!(error.details, Details::Error(failure) if failure.message == "5" && failure.line == Some(3))
        );
    }

    #[test]
    fn the_rules_of_each_kind_hold() {
        for (query, code, field) in [
            ("type=purchase", "unknown_type", "type"),
            ("eventId=e&name=n", "required", "path"),
            (
                "eventId=e&name=n&path=http://localhost/&time_on_page=x",
                "invalid_type",
                "time_on_page",
            ),
            (
                "eventId=e&name=n&path=http://localhost/&properties=[1]",
                "invalid_type",
                "properties",
            ),
        ] {
            let found = codes(read(query).unwrap_err());
            assert_eq!(found, [(code.to_owned(), field.to_owned())], "{query}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_query_is_survived(query in ".*", name in "[a-z]{0,9}") {
            let _ = read(&query);
            let _ = read(&format!("eventId=e&name={name}&path=http://localhost/&properties[{query}]={name}"));
        }
    }
}
