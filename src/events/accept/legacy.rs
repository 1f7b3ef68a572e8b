//! Custom events in the older form of `/events`: one website's, with its page and time required.

use super::{
    Context,
    custom::NAME,
    field::Check,
    spans::{self, span},
    time::Texts,
};
use crate::{
    events::{
        event::{Details, Event},
        store::Accepted,
    },
    fault::Fault,
};

span! {
    Old, required [name] {
        name: Value = "eventName",
        properties: Raw = "properties",
    }
}

/// Reads the array of `/events`, all of it or nothing.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<Vec<Accepted>, Fault> {
    spans::accept(bytes, context, event)
}

fn event(old: &Old<'_>, check: &mut Check) -> Event {
    Event {
        time: check.time(&old.timestamp, Texts::Refused),
        name: check.name("eventName", &old.name, NAME),
        properties: check.properties(old.properties, usize::MAX),
        details: Details::Custom,
        ..Event::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::test_fixture::*, *};

    fn read(body: &Value) -> Result<Vec<Accepted>, Fault> {
        let visit = visit();
        accept(body.to_string().as_bytes(), &context(&visit))
    }

    #[test]
    fn it_becomes_a_custom_event() {
        let body = json!([{
            "timestamp": NOW, "path": "https://example.com/buy?utm_source=mail", "eventName": "purchase",
            "anonymousId": "anon_1", "sessionId": "sess_1", "properties": {"price": 5},
        }]);
        let event = read(&body).unwrap().remove(0).event;
        assert_eq!(event.details, Details::Custom);
        assert_eq!(
            (event.name.as_str(), event.path.as_str()),
            ("purchase", "/buy")
        );
        assert_eq!(event.properties.as_deref(), Some(r#"{"price":5}"#));
        assert_eq!(event.utm.source.as_deref(), Some("mail"));
        assert_ne!((event.visitor, event.session), (0, 0));
    }

    #[test]
    fn time_path_and_name_are_required() {
        for field in ["timestamp", "path", "eventName"] {
            let mut body = json!([{"timestamp": NOW, "path": "/a", "eventName": "n"}]);
            body[0][field] = json!(null);
            let found = codes(read(&body).unwrap_err());
            assert_eq!(found, [("required".to_owned(), format!("[0].{field}"))]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_json_is_survived(body in any_body()) {
            let _ = read(&body);
        }
    }
}
