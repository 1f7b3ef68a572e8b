use std::collections::HashSet;

use super::{super::test_fixture::*, *};

fn request<'a>(path: &'a str, query: &'a str, body: &'a [u8]) -> Request<'a> {
    Request {
        method: "POST",
        path,
        query,
        body,
        authorization: None,
        user_agent: Some("Mozilla/5.0"),
        received: NOW,
    }
}

/// Reads and accepts a body by every protocol; how many events came out.
fn survive(body: &[u8]) -> usize {
    let visit = visit();
    let context = context(&visit);
    let mut accepted = 0;
    for protocol in Protocol::ALL {
        let adapter = protocol.adapter();
        let inner = (adapter.unwrap)(body).ok().flatten();
        let body = inner.as_deref().unwrap_or(body);
        for route in adapter.routes {
            let Ok(batch) = (adapter.read)(&request(route.path, "", body)) else {
                continue;
            };
            for item in &batch.items {
                match item {
                    Item::Event(input) => {
                        let taken = input.accept(None, Visitor::default(), &context);
                        accepted += taken.map_or(0, |taken| taken.len());
                    }
                    Item::Person(person) => drop(person.accept()),
                }
            }
        }
    }
    accepted
}

#[test]
fn names_are_those_of_the_setting_and_addresses_are_each_of_one_protocol() {
    let names: Vec<_> = Protocol::ALL.iter().map(|one| one.as_str()).collect();
    let known = [
        "plausible",
        "umami",
        "posthog",
        "segment",
        "matomo",
        "ga4",
        "unleash",
        "unleash-frontend",
    ];
    assert_eq!(names, known);
    let mut seen = HashSet::new();
    for protocol in Protocol::ALL {
        assert_eq!(Protocol::parse(protocol.as_str()), Some(*protocol));
        for route in protocol.adapter().routes {
            assert!(seen.insert((route.method, route.path)), "{route:?}");
            assert!(Protocol::owns(route.path));
        }
    }
    assert!(!Protocol::owns("/track") && !Protocol::owns("/batch"));
}

#[test]
fn own_properties_go_before_those_of_the_library() {
    let mut input = Input {
        name: "n".into(),
        ..Input::default()
    };
    for number in 0..60 {
        input
            .properties
            .insert(format!("${number}"), i64::from(number).into());
    }
    input.properties.insert("own", true.into());
    input.properties.insert("k".repeat(129), true.into());
    let visit = visit();
    let accepted = input
        .accept(None, Visitor::default(), &context(&visit))
        .unwrap();
    let kept = accepted[0].event.properties.as_deref().unwrap();
    let kept: serde_json::Map<String, serde_json::Value> = serde_json::from_str(kept).unwrap();
    assert_eq!(kept.len(), 50);
    assert!(kept.contains_key("own"));
}

#[test]
fn what_only_describes_is_left_out_where_we_would_refuse_it() {
    let input = Input {
        kind: Kind::View,
        url: Some(format!("/{}", "a".repeat(3_000)).into()),
        page: Some(Box::new(PageView {
            title: Some("t".repeat(600).into()),
            referrer: Some("$direct".into()),
            language: Some("no language".into()),
            screen: Some("5x5".into()),
            ..PageView::default()
        })),
        ..Input::default()
    };
    let visit = visit();
    let accepted = input
        .accept(None, Visitor::default(), &context(&visit))
        .unwrap();
    let event = &accepted[0].event;
    assert_eq!(event.name, "screen_view");
    assert_eq!(event.host.as_deref(), Some("example.com"));
    assert_eq!(event.title.as_deref().map(str::len), Some(512));
    assert_eq!(
        (&event.referrer, &event.language, &event.screen),
        (&None, &None, &None)
    );
    assert_eq!(accepted[0].event_id, None);
}

#[test]
fn parameters_in_escaped_texts_are_decoded_and_of_one_name_the_last_counts() {
    let body = br#"{"requests":["?idsite=7&url=https:\/\/example.com\/a+b&e_a=n%65w&dimension1=x&dimension1=%79"]}"#;
    let batch = (matomo::ADAPTER.read)(&request("/matomo.php", "", body));
    let batch = batch.unwrap_or_else(|fault| panic!("{fault}"));
    let Item::Event(input) = &batch.items[0] else {
        panic!("no event");
    };
    let visit = visit();
    let accepted = input
        .accept(None, Visitor::default(), &context(&visit))
        .unwrap();
    let event = &accepted[0].event;
    assert_eq!((event.name.as_str(), event.path.as_str()), ("new", "/a b"));
    assert_eq!(event.properties.as_deref(), Some(r#"{"dimension1":"y"}"#));
}

#[test]
fn an_offset_of_posthog_counts_by_our_clock_whatever_the_clients_clock_shows() {
    let hour = 3_600_000;
    let body = serde_json::json!({
        "sent_at": crate::clock::iso_ms(NOW + hour),
        "batch": [
            { "event": "a", "distinct_id": "u", "offset": 5_000 },
            { "event": "b", "distinct_id": "u", "timestamp": crate::clock::iso_ms(NOW + hour - 7_000) },
        ],
    });
    let body = body.to_string();
    let adapter = Protocol::PostHog.adapter();
    let request = request("/batch/", "", body.as_bytes());
    let batch = (adapter.read)(&request).unwrap_or_else(|fault| panic!("{fault}"));
    let visit = visit();
    let context = context(&visit);
    let times = batch.items.iter().map(|item| match item {
        Item::Event(input) => {
            input.accept(None, Visitor::default(), &context).unwrap()[0]
                .event
                .time
        }
        Item::Person(_) => panic!("no person"),
    });
    assert_eq!(times.collect::<Vec<_>>(), [NOW - 5_000, NOW - 7_000]);
}

#[test]
fn clocks_that_go_wrong_are_corrected_before_they_are_judged() {
    let at = |time: i64, skew: i64| {
        let input = Input {
            name: "n".into(),
            time: Some(time.into()),
            skew,
            ..Input::default()
        };
        let visit = visit();
        let accepted = input.accept(None, Visitor::default(), &context(&visit));
        accepted.map(|accepted| accepted[0].event.time).ok()
    };
    assert_eq!(at(NOW - 5, 0), Some(NOW - 5));
    assert_eq!(at(NOW + 7_200_000, -7_200_000), Some(NOW));
    assert_eq!(at(NOW + 7_200_000, 0), None);
    assert_eq!(at(NOW, 7_200_000), None);
    assert_eq!(at(5, 0), None);
}

proptest::proptest! {
    #[test]
    fn any_json_is_survived(body in any_body()) {
        survive(body.to_string().as_bytes());
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        survive(&bytes);
    }

    #[test]
    fn any_query_is_survived(query in ".*") {
        let read = (matomo::ADAPTER.read)(&request("/matomo.php", &query, b""));
        proptest::prop_assert!(read.is_err() || query.contains("idsite"));
    }
}
