//! Custom events: the body of `POST /track`.

use super::{
    Target,
    field::{Check, ID},
    spans::{self, Sender},
    time::Texts,
    wire::{self, Item, Value, fields},
};
use crate::{
    events::{
        enrich::SenderContext,
        event::{Details, Event},
        store::Accepted,
    },
    fault::Fault,
};

/// Characters of an event's name.
pub(super) const NAME: usize = 256;
/// Characters of namespace and source.
const LABEL: usize = 64;

fields! {
    Custom, required [name] {
        name: Value = "name",
        properties: Raw = "properties",
        event_id: Value = "eventId",
        path: Value = "path",
        anonymous_id: Value = "anonymousId",
        profile_id: Value = "profileId",
        anonymize: Value = "anonymizeVisitorIds",
        session_id: Value = "sessionId",
        timestamp: Value = "timestamp",
        namespace: Value = "namespace",
        source: Value = "source",
        website_id: Value = "websiteId",
    }
}

/// A body of `/track`, read but not checked: its website ids say who has to be asked first.
pub struct Body<'a>(Vec<Item<Custom<'a>>>, bool);

/// Takes a body apart.
pub fn read(bytes: &[u8]) -> Result<Body<'_>, Fault> {
    Ok(match wire::read(bytes)? {
        wire::Body::One(item) => Body(vec![item], false),
        wire::Body::Many(items) => Body(items, true),
    })
}

fn website_id<'a>(item: &'a Item<Custom<'_>>) -> Option<&'a str> {
    match item {
        Item::Object(custom) => named(&custom.website_id),
        Item::Hollow | Item::Other => None,
    }
}

/// The website id in a field, if there is one.
pub(super) fn named<'a>(id: &'a Value<'_>) -> Option<&'a str> {
    match id {
        Value::Text(id) if !id.trim().is_empty() => Some(id.trim()),
        _ => None,
    }
}

impl Body<'_> {
    /// Whether there is no event in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The website ids that the events name, in order and without neighbours that repeat; `None` means an event
    /// that names none.
    pub fn website_ids(&self) -> impl Iterator<Item = Option<&str>> {
        let mut last = None;
        self.0.iter().map(website_id).filter(move |id| {
            let is_new = last != Some(*id);
            last = Some(*id);
            is_new
        })
    }

    /// Takes out the events of websites that want none of this visit's, as a bot's; says how many.
    ///
    /// # Errors
    /// An event's target is unknown to `target`.
    pub fn leave_out_bots<'t>(
        &mut self,
        visit: &SenderContext,
        target: impl Fn(Option<&str>) -> Result<Target<'t>, Fault>,
    ) -> Result<usize, Fault> {
        if visit.signals.kind().is_none() {
            return Ok(0);
        }
        let before = self.0.len();
        let mut kept = Vec::new();
        for item in std::mem::take(&mut self.0) {
            let rules = target(website_id(&item))?.bots;
            if visit.fate(rules).ignored().is_none() {
                kept.push(item);
            }
        }
        self.0 = kept;
        Ok(before - self.0.len())
    }

    /// Checks every event and enriches it; `target` knows the website that an event names (or leaves open).
    ///
    /// # Errors
    /// Any event breaks a rule, or its target is unknown to `target`.
    pub fn accept<'t>(
        self,
        visit: &SenderContext,
        target: impl Fn(Option<&str>) -> Result<Target<'t>, Fault>,
    ) -> Result<Vec<Accepted>, Fault> {
        spans::accept_all(
            self.0,
            self.1,
            visit.received,
            |item| target(website_id(item)),
            |custom, target, check| event(custom, visit, target, check),
        )
    }
}

pub(super) fn event(
    custom: &Custom<'_>,
    visit: &SenderContext,
    target: &Target<'_>,
    check: &mut Check,
) -> Accepted {
    let mut event = Event {
        time: check.time(&custom.timestamp, Texts::Allowed),
        name: check.name("name", &custom.name, NAME),
        profile: check.text("profileId", &custom.profile_id, ID),
        namespace: check.text("namespace", &custom.namespace, LABEL),
        sender: check.text("source", &custom.source, LABEL),
        properties: check.properties(custom.properties, usize::MAX),
        details: Details::Custom,
        ..Event::default()
    };
    check.path(&custom.path, &mut event);
    check.text("websiteId", &custom.website_id, ID);
    let sender = Sender {
        event_id: &custom.event_id,
        anonymous_id: &custom.anonymous_id,
        anonymize: &custom.anonymize,
        session_id: &custom.session_id,
    };
    sender.stamp(event, visit, target, check)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::test_fixture::*, *};
    use crate::{events::event, fault::Kind};

    fn accept(body: &serde_json::Value) -> Result<Vec<Accepted>, Fault> {
        accept_bytes(body.to_string().as_bytes())
    }

    fn accept_bytes(bytes: &[u8]) -> Result<Vec<Accepted>, Fault> {
        let visit = visit();
        read(bytes)?.accept(&visit, |_| Ok(target()))
    }

    fn issues(body: &serde_json::Value) -> Vec<(String, String)> {
        codes(accept(body).unwrap_err())
    }

    #[test]
    fn every_field_arrives() {
        let accepted = accept(&json!({
            "name": "purchase", "properties": {"plan": "pro", "price": 12.5}, "eventId": "e1",
            "path": "https://Example.com/checkout/?utm_source=mail&x=1#top", "anonymousId": "anon_1",
            "profileId": "user-7", "anonymizeVisitorIds": false, "sessionId": "sess_1",
            "timestamp": NOW - 5, "namespace": "shop", "source": "backend", "websiteId": "w1", "unknown": [1]
        }))
        .unwrap();
        let Accepted { event, event_id } = &accepted[0];
        assert_eq!(event_id.as_deref(), Some("e1"));
        assert_eq!((event.organization, event.website), (ORGANIZATION, WEBSITE));
        assert_eq!((event.time, event.received), (NOW - 5, NOW));
        assert_eq!(event.name, "purchase");
        assert_eq!(
            event.properties.as_deref(),
            Some(r#"{"plan":"pro","price":12.5}"#)
        );
        assert_eq!(
            (event.host.as_deref(), event.path.as_str()),
            (Some("example.com"), "/checkout")
        );
        assert_eq!(event.utm.source.as_deref(), Some("mail"));
        assert_eq!(event.visitor, event::identity("anon_1"));
        assert_eq!(event.session, event::identity("sess_1"));
        assert_eq!(event.profile.as_deref(), Some("user-7"));
        assert_eq!(event.namespace.as_deref(), Some("shop"));
        assert_eq!(event.sender.as_deref(), Some("backend"));
        assert_eq!(event.details, Details::Custom);
        assert_eq!(event.browser_name.as_deref(), Some("Chrome"));
    }

    #[test]
    fn a_name_is_enough_and_null_means_absent() {
        let accepted = accept(&json!({
            "name": "n", "properties": null, "eventId": null, "path": null, "anonymousId": null, "profileId": null,
            "anonymizeVisitorIds": null, "sessionId": null, "timestamp": null, "namespace": null, "source": null,
            "websiteId": null
        }))
        .unwrap();
        let Accepted { event, event_id } = &accepted[0];
        assert_eq!(*event_id, None);
        assert_eq!((event.time, event.visitor, event.session), (NOW, 0, 0));
        assert_eq!(
            (event.path.as_str(), event.properties.as_deref()),
            ("", None)
        );
    }

    #[test]
    fn lengths_are_exact_and_counted_in_characters() {
        for (field, most) in [
            ("name", 256),
            ("eventId", 512),
            ("path", 2_048),
            ("anonymousId", 256),
            ("profileId", 256),
            ("sessionId", 256),
            ("namespace", 64),
            ("source", 64),
            ("websiteId", 256),
        ] {
            let with = |length: usize| {
                let mut body = json!({"name": "n"});
                body[field] = json!("ä".repeat(length));
                body
            };
            assert!(accept(&with(most)).is_ok(), "{field}");
            assert_eq!(
                issues(&with(most + 1)),
                [("too_long".to_owned(), field.to_owned())]
            );
        }
    }

    #[test]
    fn a_name_must_say_something() {
        assert_eq!(
            issues(&json!({})),
            [("required".to_owned(), "name".to_owned())]
        );
        assert_eq!(
            issues(&json!({"name": null})),
            [("required".to_owned(), "name".to_owned())]
        );
        assert_eq!(
            issues(&json!({"name": ""})),
            [("too_short".to_owned(), "name".to_owned())]
        );
        assert_eq!(
            issues(&json!({"name": " \n"})),
            [("too_short".to_owned(), "name".to_owned())]
        );
        assert_eq!(
            issues(&json!({"name": 7})),
            [("invalid_type".to_owned(), "name".to_owned())]
        );
    }

    #[test]
    fn one_bad_event_refuses_the_whole_array_and_names_the_place() {
        let body = json!([{"name": "a"}, {"name": "b"}, {"name": "", "timestamp": 1}, 5]);
        let found = issues(&body);
        assert_eq!(
            found,
            [
                ("too_small".to_owned(), "[2].timestamp".to_owned()),
                ("too_short".to_owned(), "[2].name".to_owned()),
                ("invalid_type".to_owned(), "[3]".to_owned()),
            ]
        );
    }

    #[test]
    fn properties_have_two_ways_to_be_too_much() {
        let many: serde_json::Map<_, _> =
            (0..51).map(|key| (format!("k{key}"), json!(1))).collect();
        assert_eq!(
            issues(&json!({"name": "n", "properties": many}))[0].0,
            "too_many_keys"
        );
        let big = json!({"name": "n", "properties": {"k": "x".repeat(40_000)}});
        let fault = accept(&big).unwrap_err();
        assert_eq!(
            (fault.kind, fault.code),
            (Kind::TooLarge, Some("PAYLOAD_TOO_LARGE"))
        );
    }

    #[test]
    fn bodies_that_are_no_json_are_refused_with_the_place() {
        for bytes in [
            &b""[..],
            b"{",
            b"{\"name\":\"a\"} x",
            b"\xff",
            b"{\"name\":\"\\ud800\"}",
            b"nonsense",
        ] {
            let found = codes(accept_bytes(bytes).unwrap_err());
            assert_eq!(
                found,
                [("invalid_json".to_owned(), String::new())],
                "{bytes:?}"
            );
        }
        for bytes in [&b"1"[..], b"\"a\"", b"null", b"true"] {
            let found = codes(accept_bytes(bytes).unwrap_err());
            assert_eq!(
                found,
                [("invalid_type".to_owned(), String::new())],
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn the_last_of_two_keys_counts_and_a_byte_order_mark_is_skipped() {
        let accepted = accept_bytes(b"\xef\xbb\xbf{\"name\":\"a\",\"name\":\"b\"}").unwrap();
        assert_eq!(accepted[0].event.name, "b");
        assert_eq!(accept_bytes(b"[]").unwrap().len(), 0);
    }

    #[test]
    fn a_flood_of_empty_objects_is_refused_with_few_words() {
        let body = format!("[{}]", vec!["{}"; 50_000].join(","));
        assert_eq!(codes(accept_bytes(body.as_bytes()).unwrap_err()).len(), 20);
    }

    #[test]
    fn website_ids_are_seen_before_anything_is_checked() {
        let body = br#"[{"websiteId":" a "},{"websiteId":"a","name":1},{},{"websiteId":3},{"websiteId":"b"}]"#;
        let body = read(body).unwrap();
        let ids: Vec<_> = body.website_ids().collect();
        assert_eq!(ids, [Some("a"), None, Some("b")]);
    }

    proptest::proptest! {
        #[test]
        fn any_json_is_survived(body in any_body()) {
            let _ = accept(&body);
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = accept_bytes(&bytes);
        }
    }
}
