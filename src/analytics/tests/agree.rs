//! The engine's answers against the oracle's, for random events and random requests.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use futures_util::future::BoxFuture;
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{RngSeed, TestRunner},
};
use serde_json::{Value, json};

use super::{
    WEBSITE, block_on,
    oracle::{self, PLANS, Question},
    organization,
    store::Bare,
    target_of_type,
    world::{World, worlds},
};
use crate::{
    analytics::{
        catalogue::{self, Field, QueryType, RETENTION},
        people::{People, Person, TraitTest},
        request::{Filter, Op, Request, parse},
        run::{Call, execute},
        target::Target,
    },
    events::enrich::bot::{BotKind, Signals},
    ids::WebsiteKey,
};

/// Columns that explain in words.
const WORDS: [&str; 2] = ["meaning", "fix"];

/// Fields that say what a type computes.
const SETTINGS: [&str; 5] = [
    "short_link",
    "cohort_width",
    "journey_steps",
    "journey_start",
    "compare_with",
];

/// What a request says beside its type.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    zone: &'static str,
    /// First and last day, before today.
    days: (u8, u8),
    hourly: bool,
    filters: Vec<(usize, &'static str, Vec<&'static str>)>,
    groups: Vec<usize>,
    sort: Option<usize>,
    descending: Option<bool>,
    limit: u8,
    page: u8,
    of_organization: bool,
    /// Whether the website counts suspected bots.
    lenient: bool,
}

pub(super) fn manner() -> impl Strategy<Value = Manner> {
    let zones = vec![
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "America/St_Johns",
        "Pacific/Auckland",
    ];
    let range =
        (0..5_u8, 0..3_u8).prop_map(|(first, length)| (first, first.saturating_sub(length)));
    let filters = proptest::collection::vec(filter(), 0..3);
    let groups = prop_oneof![3 => Just(0..1_usize), 1 => Just(1..3)]
        .prop_flat_map(|count| proptest::collection::vec(any::<usize>(), count));
    let sort = (
        proptest::option::of(any::<usize>()),
        proptest::option::of(any::<bool>()),
    );
    let page = prop_oneof![3 => Just((200, 1)), 1 => (1..6_u8, 1..4_u8)];
    let when = (select(zones), range, any::<bool>());
    let target = (any::<bool>(), any::<bool>());
    (when, filters, groups, sort, page, target).prop_map(
        |((zone, days, hourly), filters, groups, (sort, descending), (limit, page), target)| {
            Manner {
                zone,
                days,
                hourly,
                filters,
                groups,
                sort,
                descending,
                limit,
                page,
                of_organization: target.0,
                lenient: target.1,
            }
        },
    )
}

fn filter() -> impl Strategy<Value = (usize, &'static str, Vec<&'static str>)> {
    let values = vec![
        "DE",
        "germany",
        "Fr",
        "Unknown",
        "direct",
        "",
        "/",
        "/a",
        "/a/",
        "/ä",
        "%",
        "_",
        "google.com",
        "Google",
        "example",
        "Chrome",
        "desktop",
        "news",
        "mail",
        "anna",
        "key",
        "signup",
        "plan",
        "LCP",
        "TypeError",
        "boom",
        "shop",
        "0000000000000002",
        "duplicate",
        "stored",
        "https",
        "site",
        "1000x800",
        "person",
        "suspected",
        "automation",
        "no_user_agent",
        "ChatGPT",
        "ai_user",
        "Apple",
        "gclid",
        "link",
        "pro",
        "p",
        "search",
        "Cursor",
    ];
    let op = select(Op::ALL.map(|(name, _)| name).to_vec());
    (
        any::<usize>(),
        op,
        proptest::collection::vec(select(values), 1..4),
    )
}

impl Manner {
    pub(super) fn target(&self, kind: &QueryType) -> Target {
        let mut target = if self.of_organization {
            organization()
        } else {
            Target {
                people: Some(Arc::new(Plans)),
                ..target_of_type(kind)
            }
        };
        if self.lenient {
            let suspected = Signals::bit(BotKind::Suspected);
            target.lenient.push((WebsiteKey(WEBSITE), suspected));
        }
        target
    }

    /// The body that asks a type in this manner.
    pub(super) fn body(&self, kind: &QueryType, now: i64) -> Value {
        let today = chrono::DateTime::from_timestamp_millis(now)
            .unwrap()
            .date_naive();
        let day = |before: u8| (today - chrono::Days::new(before.into())).to_string();
        let mut body = json!({
            "parameters": [kind.name], "startDate": day(self.days.0), "endDate": day(self.days.1),
            "timeZone": self.zone, "granularity": if self.hourly { "hourly" } else { "daily" },
            "limit": self.limit, "page": self.page,
        });
        let fields: Vec<&Field> = Field::all().collect();
        // Mostly fields that the type knows.
        let own: Vec<&Field> = kind.filter_fields().collect();
        let field = |pick: usize| match own.get(pick % (own.len() + 3)) {
            Some(field) => *field,
            None => fields[pick % fields.len()],
        };
        // Traits are what a single website says of people.
        let name = |pick: usize| match pick % 5 {
            0 if !self.of_organization => "trait:plan",
            _ => field(pick / 5).name,
        };
        let filter = |(pick, op, values): &(usize, &str, Vec<&str>)| {
            let value = if Op::parse(op).unwrap().takes_list() {
                json!(values)
            } else {
                json!(values[0])
            };
            json!({"field": name(*pick), "op": op, "value": value})
        };
        body["filters"] = self.filters.iter().map(filter).collect();
        let mut filters = body["filters"].as_array().cloned().unwrap_or_default();
        if let Some(needed) = kind.needs.first() {
            filters.push(json!({"field": needed.name, "op": "eq", "value": "0000000000000002"}));
            body["filters"] = json!(filters);
        }
        if kind.name == RETENTION {
            self.retention(&mut body, today);
            return body;
        }
        let told = kind.own_filters.iter().map(|field| field.name);
        let told: Vec<&str> = told.filter(|name| SETTINGS.contains(name)).collect();
        if !told.is_empty() {
            self.tell(&told, &mut filters);
            body["filters"] = json!(filters);
        }
        let groups: Vec<&str> = self.groups.iter().map(|pick| field(*pick).name).collect();
        if !groups.is_empty() {
            body["groupBy"] = json!(groups);
        }
        let sortable = kind.sortable();
        let sortable: Vec<&&str> = sortable
            .iter()
            .filter(|name| !WORDS.contains(name))
            .collect();
        if let Some(pick) = self.sort.filter(|_| !sortable.is_empty()) {
            body["sortBy"] = json!(sortable[pick % sortable.len()]);
        }
        if let Some(descending) = self.descending {
            body["sortOrder"] = json!(if descending { "desc" } else { "asc" });
        }
        body
    }

    /// Gives the type valid settings, or none, in place of those in random filters.
    fn tell(&self, told: &[&str], filters: &mut Vec<Value>) {
        filters.retain(|filter| !told.iter().any(|name| filter["field"] == *name));
        let value = |name: &str| match name {
            "cohort_width" => json!(1 + self.limit % 3),
            "journey_steps" => json!(1 + self.limit % 4),
            "journey_start" => json!(if self.hourly { "/a/" } else { "/" }),
            "short_link" => json!("link"),
            _ if self.hourly => json!("previous_year"),
            _ => json!("previous_period"),
        };
        for (place, name) in told.iter().enumerate() {
            if (usize::from(self.days.0) + place).is_multiple_of(2) {
                filters.push(json!({"field": name, "op": "eq", "value": value(name)}));
            }
        }
    }

    /// Makes it a question about retention.
    fn retention(&self, body: &mut Value, today: chrono::NaiveDate) {
        let day = |before: i64| (today - chrono::TimeDelta::days(before)).to_string();
        let last = i64::from(self.days.1) + 4;
        let event = |picked: bool| if picked { "signup" } else { "buy" };
        let settings = [
            ("activation_event", json!(event(self.hourly))),
            ("return_event", json!(event(self.limit.is_multiple_of(2)))),
            (
                "horizon_days",
                json!(if self.descending == Some(true) { 30 } else { 7 }),
            ),
            (
                "observation_end",
                json!(day(last - i64::from(self.limit % 9))),
            ),
        ];
        let settings = settings
            .iter()
            .map(|(field, value)| json!({"field": field, "op": "eq", "value": value}));
        let others = self
            .filters
            .iter()
            .take(1)
            .map(|_| json!({"field": "namespace", "op": "eq", "value": "shop"}));
        *body = json!({
            "parameters": body["parameters"], "startDate": day(13), "endDate": day(last),
            "timeZone": self.zone, "filters": settings.chain(others).collect::<Vec<_>>(),
        });
    }
}

/// Knows what some people pay for.
#[derive(Debug)]
struct Plans;

impl People for Plans {
    fn find_people<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        _: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<HashMap<String, Person>>> {
        Box::pin(async { Ok(HashMap::new()) })
    }

    fn with_trait<'a>(
        &'a self,
        websites: &'a [WebsiteKey],
        key: &'a str,
        test: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>> {
        Box::pin(async move {
            anyhow::ensure!(websites.len() == 1 && key == "plan", "{websites:?} {key}");
            let fits = |plan: &str| match test {
                TraitTest::In(values) => values.iter().any(|value| value == plan),
                TraitTest::Contains(piece) => plan.contains(piece),
                TraitTest::StartsWith(piece) => plan.starts_with(piece),
            };
            let holders = PLANS.iter().filter(|(_, plan)| fits(plan));
            Ok(holders.map(|(id, _)| (*id).to_owned()).collect())
        })
    }
}

/// Rows as they are compared: numbers as such, without what explains in words.
pub(super) fn comparable(rows: &[Value]) -> Vec<BTreeMap<String, Value>> {
    let row = |row: &Value| {
        let fields = row.as_object().unwrap().iter();
        let fields = fields.filter(|(name, _)| !WORDS.contains(&name.as_str()));
        let plain = |value: &Value| {
            value
                .as_f64()
                .map_or_else(|| value.clone(), |number| json!(number))
        };
        fields
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect()
    };
    rows.iter().map(row).collect()
}

/// Asks the engine and the oracle, and compares; how many rows both have.
fn check(store: &Bare, world: &World, kind: &QueryType, manner: &Manner) -> usize {
    let body = manner.body(kind, world.now);
    let target = manner.target(kind);
    let call = Call {
        body: &body,
        timezone: None,
        now_ms: world.now,
    };
    let request: Request = parse(&body, None, world.now).unwrap();
    let answers = block_on(execute(store, &target, call)).unwrap();
    let result = answers.into_results().remove(0);
    let parameter = &request.parameters[0];
    let asked = Question {
        events: &world.events,
        target: &target,
        request: &request,
        parameter,
        range: *parameter.range.as_ref().unwrap(),
        now: world.now,
    };
    let got = comparable(
        result
            .rows
            .as_ref()
            .unwrap_or_else(|why| panic!("{body}: {why}")),
    );
    let wanted = comparable(&oracle::rows(&asked));
    let rows = got.iter().zip(&wanted).enumerate();
    for (row, (got, wanted)) in rows {
        assert_eq!(got, wanted, "row {row} of {body}");
    }
    assert_eq!(got.len(), wanted.len(), "rows of {body}");
    let ignored = request
        .filters
        .iter()
        .filter(|filter| !oracle::acts(&asked, filter));
    let ignored: Vec<String> = ignored.map(Filter::name).collect();
    assert_eq!(result.ignored_filters, ignored, "{body}");
    got.len()
}

/// The suite looks at the same worlds every time; `PROPTEST_CASES=100 cargo nextest run every_type_answers` at new ones.
pub(super) fn worlds_of_the_suite(cases: u32) -> ProptestConfig {
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return ProptestConfig::default();
    }
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(8),
        ..ProptestConfig::default()
    }
}

/// Every type, in several manners, over the same random events. An answer without rows agrees with much, so enough of
/// them have to have some.
#[test]
fn every_type_answers_what_the_oracle_computes() {
    let mut config = worlds_of_the_suite(8);
    config.source_file = Some(file!());
    let mut runner = TestRunner::new(config);
    let manners = proptest::collection::vec(manner(), 5);
    let (asked, filled) = (Cell::new(0_usize), Cell::new(0_usize));
    let outcome = runner.run(&(worlds(), manners), |(world, manners)| {
        let store = Bare::new(&world.events);
        let mut wrong = Vec::new();
        for (index, kind) in catalogue::all().enumerate() {
            for manner in [&manners[index % 5], &manners[(index / 5 + 2) % 5]] {
                let checked = AssertUnwindSafe(|| check(&store, &world, kind, manner));
                match catch_unwind(checked) {
                    Ok(rows) => {
                        asked.set(asked.get() + 1);
                        filled.set(filled.get() + usize::from(rows > 0));
                    }
                    Err(_) => wrong.push(kind.name),
                }
            }
        }
        prop_assert!(wrong.is_empty(), "types that disagree: {wrong:?}");
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}\n{runner}"));
    let (asked, filled) = (asked.get(), filled.get());
    // Most filters leave nothing over.
    assert!(
        filled * 4 > asked,
        "only {filled} of {asked} answers had rows"
    );
}
