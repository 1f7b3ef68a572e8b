//! Who a visitor is: the engine's answers against the definition, computed the slow and obvious way.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::BoxFuture;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{NOW, ask, block_on, rows, seed::page, store::Bare, target};
use crate::{
    analytics::{
        people::{People, Person, TraitTest},
        target::Target,
    },
    events::event::{Bot, Details, Event, RAW, SALTED, TIMELESS},
    ids::WebsiteKey,
};

const DAY: i64 = 86_400_000;

/// Something that happened, or something that was said about a visitor.
fn event() -> impl Strategy<Value = Event> {
    let profile = prop_oneof![4 => Just(None), 2 => Just(Some("anna")), 1 => Just(Some("bert"))];
    let kind = prop_oneof![
        5 => Just(Details::default()),
        1 => Just(Details::Custom),
        1 => Just(Details::Vital { value: 1.0 }),
        3 => Just(Details::Alias),
    ];
    (
        0..9 * DAY,
        0..5_u64,
        0..4_u64,
        profile,
        kind,
        0..12_u8,
        any::<bool>(),
    )
        .prop_map(|(ago, visitor, session, profile, details, bot, raw)| {
            let mut event = Event {
                profile: profile.map(str::to_owned),
                bot: if bot == 0 { Bot::Suspected } else { Bot::No },
                details,
                ..page(NOW - ago, "screen_view", visitor, session, "/")
            };
            if event.details == Details::Alias {
                event.time = TIMELESS;
                event.visitor = visitor.max(1);
                event.name = if raw { RAW } else { SALTED }.into();
                event.profile = Some(profile.unwrap_or("carl").to_owned());
            }
            event
        })
}

/// How many events, and which sessions.
type Did = (u64, BTreeSet<u64>);

/// The definition of `events::relations`, over the last seven days.
struct World<'e> {
    happened: Vec<&'e Event>,
    named: BTreeMap<u64, (i64, &'e str)>,
    direct: BTreeMap<u64, &'e str>,
}

impl<'e> World<'e> {
    fn from_events(events: &'e [Event]) -> Self {
        let midnight = NOW - NOW.rem_euclid(DAY);
        let from = midnight - 6 * DAY;
        let mut world = Self {
            happened: Vec::new(),
            named: BTreeMap::new(),
            direct: BTreeMap::new(),
        };
        for event in events {
            let profile = event.profile.as_deref();
            if event.details == Details::Alias {
                let lasts = event.name == RAW || event.received >= from - 2 * DAY;
                let latest = world
                    .named
                    .get(&event.visitor)
                    .map_or(i64::MIN, |said| said.0);
                if lasts && event.received > latest {
                    world
                        .named
                        .insert(event.visitor, (event.received, profile.unwrap()));
                }
            } else if event.time >= from {
                world.happened.push(event);
                if let (Some(profile), true) = (profile, event.visitor != 0) {
                    let known = world.direct.entry(event.visitor).or_insert(profile);
                    *known = profile.max(known);
                }
            }
        }
        world
    }

    fn person(&self, event: &'e Event) -> Option<&'e str> {
        let said = self.named.get(&event.visitor).map(|said| said.1);
        let said = said.or_else(|| self.direct.get(&event.visitor).copied());
        event
            .profile
            .as_deref()
            .or(said.filter(|_| event.visitor != 0))
    }

    fn counted(&self) -> impl Iterator<Item = &&'e Event> {
        let counts = |event: &&&Event| {
            event.bot == Bot::No && matches!(event.details, Details::Page(_) | Details::Custom)
        };
        self.happened.iter().filter(counts)
    }

    /// Profile or lonely visitor → events and sessions.
    fn people(&self) -> BTreeMap<(Option<&str>, u64), Did> {
        let mut people: BTreeMap<_, Did> = BTreeMap::new();
        for event in self.counted() {
            let who = self.person(event);
            if who.is_none() && event.visitor == 0 {
                continue;
            }
            let alone = if who.is_some() { 0 } else { event.visitor };
            let entry = people.entry((who, alone)).or_default();
            entry.0 += 1;
            let view = matches!(event.details, Details::Page(_));
            entry
                .1
                .extend(Some(event.session).filter(|id| view && *id != 0));
        }
        people
    }
}

fn no_doubt(events: &mut [Event]) {
    // Two aliases of one millisecond come from two processes only, and then their order is unknown.
    for (index, event) in events.iter_mut().enumerate() {
        event.received = event.received / 1_000 * 1_000 + index as i64;
        if event.time != TIMELESS {
            event.time = event.received;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn people_are_who_the_definition_says(mut events in proptest::collection::vec(event(), 0..60)) {
        no_doubt(&mut events);
        let store = Bare::new(&events);
        let world = World::from_events(&events);
        block_on(async {
            check_list(&store, &world).await;
            for profile in ["anna", "bert", "carl", "nobody"] {
                check_filter(&store, &world, profile).await;
            }
        });
    }
}

async fn check_list(store: &Bare, world: &World<'_>) {
    let found: BTreeMap<_, _> = rows(store, "profile_list", json!({}))
        .await
        .into_iter()
        .map(|row| {
            let profile = row["profile_id"].as_str().map(str::to_owned);
            let visitor = row["visitor_id"].as_str().unwrap_or("0");
            let visitor = u64::from_str_radix(visitor, 16).unwrap();
            let alone = if profile.is_some() { 0 } else { visitor };
            let counts = (
                row["total_events"].as_u64().unwrap(),
                row["session_count"].as_u64().unwrap(),
            );
            ((profile, alone), counts)
        })
        .collect();
    let wanted: BTreeMap<_, _> = world
        .people()
        .into_iter()
        .map(|((who, alone), (events, sessions))| {
            (
                (who.map(str::to_owned), alone),
                (events, sessions.len() as u64),
            )
        })
        .collect();
    assert_eq!(found, wanted);
}

async fn check_filter(store: &Bare, world: &World<'_>, profile: &str) {
    let filter = json!({"filters": [{"field": "profile_id", "op": "eq", "value": profile}]});
    let own = || {
        world
            .counted()
            .filter(|event| world.person(event) == Some(profile))
    };
    let total = &rows(store, "summary_totals", filter.clone()).await[0];
    assert_eq!(total["total_events"], json!(own().count()), "{profile}");
    let views = own().filter(|event| matches!(event.details, Details::Page(_)));
    let sessions: BTreeSet<u64> = views
        .map(|event| event.session)
        .filter(|id| *id != 0)
        .collect();
    let listed = rows(store, "profile_sessions", filter.clone()).await;
    assert_eq!(listed.len(), sessions.len(), "{profile}");
    assert!(listed.iter().all(|row| row["profile_id"] == json!(profile)));
    let detail = rows(store, "profile_detail", filter).await;
    let count: Vec<&Value> = detail.iter().map(|row| &row["total_events"]).collect();
    let wanted = json!(own().count());
    assert_eq!(
        count,
        if wanted == json!(0) {
            vec![]
        } else {
            vec![&wanted]
        }
    );
}

/// Knows one person.
#[derive(Debug)]
struct Anna;

impl People for Anna {
    fn find_people<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        profiles: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<std::collections::HashMap<String, Person>>> {
        Box::pin(async move {
            anyhow::ensure!(websites == [WebsiteKey(super::WEBSITE)], "{websites:?}");
            anyhow::ensure!(profiles.is_sorted(), "{profiles:?}");
            let mut traits = Map::new();
            traits.insert("plan".into(), json!("pro"));
            let anna = Person {
                display_name: Some("Anna".into()),
                email: Some("anna@example.com".into()),
                traits,
            };
            let known = profiles.contains(&"anna".to_owned());
            Ok(known
                .then(|| ("anna".to_owned(), anna))
                .into_iter()
                .collect())
        })
    }

    fn with_trait<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        _: &'a str,
        _: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>> {
        Box::pin(async { anyhow::bail!("away") })
    }
}

/// Has no profiles at the moment.
#[derive(Debug)]
struct Away;

impl People for Away {
    fn find_people<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        _: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<std::collections::HashMap<String, Person>>> {
        Box::pin(async { anyhow::bail!("away") })
    }

    fn with_trait<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        _: &'a str,
        _: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>> {
        Box::pin(async { anyhow::bail!("away") })
    }
}

#[tokio::test]
async fn rows_say_what_is_known_of_people() {
    let mut events = vec![
        page(NOW, "screen_view", 1, 1, "/"),
        page(NOW, "screen_view", 2, 2, "/"),
    ];
    events[0].profile = Some("anna".into());
    let store = Bare::new(&events);
    let body = json!({"parameters": ["profile_list", "top_pages"], "preset": "today", "sortBy": "profile_id"});
    let knowing = Target {
        people: Some(std::sync::Arc::new(Anna)),
        ..target()
    };
    let answer = ask(&store, &knowing, &body).await.unwrap();
    let rows = &answer["data"][0]["data"];
    let told = |row: &Value| {
        json!([
            row["profile_id"],
            row["display_name"],
            row["email"],
            row["traits"]
        ])
    };
    let anna = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["profile_id"] == "anna")
        .unwrap();
    assert_eq!(
        told(anna),
        json!(["anna", "Anna", "anna@example.com", {"plan": "pro"}])
    );
    let other = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["profile_id"].is_null())
        .unwrap();
    assert_eq!(told(other), json!([null, null, null, {}]));

    let unknowing = Target {
        people: Some(std::sync::Arc::new(Away)),
        ..target()
    };
    let answer = ask(&store, &unknowing, &body).await.unwrap();
    let entry = |name: &str| {
        let data = answer["data"].as_array().unwrap();
        data.iter()
            .find(|entry| entry["parameter"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(entry("top_pages")["success"], true);
    assert_eq!(
        entry("profile_list"),
        json!({"parameter": "profile_list", "success": false, "error": "Profiles cannot be read at the moment", "data": []})
    );
}
