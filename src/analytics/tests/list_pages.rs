//! Pages of lists that extracts narrow down are those that events alone give.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::{ORGANIZATION, WEBSITE, agree::worlds_of_the_suite, block_on, execute, store::Bare};
use crate::{
    analytics::{catalogue, run::Call, tests::target},
    events::event::{Details, Event},
};

const NOW: i64 = super::NOW;
const MINUTE: i64 = 60_000;
/// Lists with an own way where there are extracts.
const LISTS: [&str; 4] = [
    "session_list",
    "interesting_sessions",
    "profile_list",
    "profile_detail",
];

/// Events of a few hours: at the edges of quarters of an hour, beside them, and in between.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let time = (
        0..16_i64,
        select(vec![0, 1, 2, 7 * MINUTE, 15 * MINUTE - 1]),
    )
        .prop_map(|(quarter, behind)| NOW - NOW % (15 * MINUTE) - quarter * 15 * MINUTE + behind);
    let who = (0..14_u64, 0..25_u64, 0..9_u8);
    let what = select(vec![
        ("screen_view", Details::default()),
        ("screen_view", Details::default()),
        ("page_exit", Details::default()),
        ("signup", Details::Custom),
        ("LCP", Details::Vital { value: 1.0 }),
    ]);
    let event = (time, who, what).prop_map(|(time, (visitor, session, profile), what)| Event {
        organization: ORGANIZATION,
        website: WEBSITE,
        time: time.min(NOW - 1),
        visitor,
        session,
        profile: (profile < 2).then(|| ["anna", "bob"][usize::from(profile)].to_owned()),
        country: (session % 3 == 0).then(|| "DE".to_owned()),
        path: format!("/{}", visitor % 4),
        name: what.0.to_owned(),
        details: what.1,
        ..Event::default()
    });
    proptest::collection::vec(event, 0..90).prop_map(|mut events| {
        for (index, event) in events.iter_mut().enumerate() {
            event.received = event.time + index as i64;
        }
        events
    })
}

fn rows(store: &Bare, body: &Value) -> Vec<Value> {
    let call = Call {
        body,
        timezone: None,
        now_ms: NOW,
    };
    let answer = block_on(execute(store, &target(), call)).unwrap();
    let data = &answer["data"][0];
    assert_eq!(data["success"], json!(true), "{body}: {data}");
    data["data"].as_array().unwrap().clone()
}

/// Whether the last statement narrowed the list down first.
fn was_narrowed(store: &Bare) -> bool {
    let ran = store.ran.lock().unwrap();
    ran.last().unwrap().text.contains("near AS MATERIALIZED")
}

proptest! {
    #![proptest_config(worlds_of_the_suite(6))]
    #[test]
    fn every_page_in_every_order_is_the_one_that_events_give(
        events in events(),
        limit in 1..6_u8,
        page in 1..5_u8,
        filter in select(vec![None, Some("country"), Some("path")]),
        direction in select(vec!["asc", "desc"]),
    ) {
        let store = Bare::new(&events);
        for kind in LISTS.map(|name| catalogue::find(name).unwrap()) {
            for sort in kind.sortable() {
                let mut filters = match filter {
                    None => vec![],
                    Some("path") => vec![json!({"field": "path", "op": "ne", "value": "/1"})],
                    Some(field) => vec![json!({"field": field, "op": "eq", "value": "DE"})],
                };
                let mut body = json!({
                    "parameters": [kind.name], "preset": "last_7d", "limit": limit, "page": page,
                    "sortBy": sort, "sortOrder": direction, "filters": filters,
                });
                let narrowed = rows(&store, &body);
                prop_assert_eq!(was_narrowed(&store), sort != "visitor_id", "{}", &body);
                // Everything passes it, and only events have what it asks for.
                filters.push(json!({"field": "event_name", "op": "ne", "value": "nothing"}));
                body["filters"] = json!(filters);
                let plain = rows(&store, &body);
                prop_assert!(!was_narrowed(&store), "{}", &body);
                prop_assert_eq!(narrowed, plain, "{}", &body);
            }
        }
    }
}
