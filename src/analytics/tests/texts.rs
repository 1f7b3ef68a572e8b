//! No text of a request ever becomes text of a statement: for every type, whatever is asked with whatever values, the
//! statement is the one of the same question with other values.

use std::collections::HashMap;

use futures_util::{FutureExt as _, future::BoxFuture};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

use super::{NOW, Nowhere, compile, organization, target_of_type};
use crate::{
    analytics::{
        catalogue::{self, Field, QueryType, RETENTION, Subject, Values},
        dialect::Dialect,
        people::{People, Person, TraitTest},
        run::Call,
        target::Target,
    },
    fault::{Fault, Kind},
    ids::WebsiteKey,
};

/// A character that no statement has, in everything that comes from a request.
const MARK: char = '⁂';

/// What has been tried on others.
const HOSTILE: [&str; 12] = [
    "' OR 1=1 --",
    "\"; DROP TABLE t; --",
    "{events}",
    "{people} {where} {page}",
    "?",
    "$1 :p1 {p1:String}",
    "\\' \\\\",
    "%' ESCAPE '",
    "/* */ UNION ALL SELECT 1",
    "read_csv('/etc/passwd')",
    "\u{0}\u{2028}\u{202e}\u{feff}",
    "visitors ASC; SELECT 1",
];

/// Everybody has every trait.
#[derive(Debug)]
struct Everybody;

impl People for Everybody {
    fn find_people<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        _: &'a [String],
    ) -> BoxFuture<'a, anyhow::Result<HashMap<String, Person>>> {
        Box::pin(async { Ok(HashMap::new()) })
    }

    fn with_trait<'a>(
        &'a self,
        _: &'a [WebsiteKey],
        key: &'a str,
        _: &'a TraitTest,
    ) -> BoxFuture<'a, anyhow::Result<Vec<String>>> {
        Box::pin(async move { Ok(vec![key.to_owned(), format!("{MARK}b"), format!("{MARK}c")]) })
    }
}

/// Any text, with the mark in front.
fn marked() -> impl Strategy<Value = String> {
    let any = prop_oneof![
        any::<String>(),
        "\\PC{0,20}",
        proptest::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
    ];
    any.prop_map(|text| format!("{MARK}{text}"))
}

/// A value of a filter: any text, and what means something.
fn value() -> impl Strategy<Value = String> {
    let meant = ["", "Unknown", "direct", "0123456789abcdef", "/", "tool"];
    prop_oneof![
        8 => marked(),
        2 => any::<String>().prop_filter("means something", |text| meaning(text).is_none()),
        2 => proptest::sample::select(meant.to_vec()).prop_map(str::to_owned),
    ]
}

/// What a value says beyond being one: that is part of the question.
fn meaning(value: &str) -> Option<&str> {
    let words = ["", "Unknown", "Direct"];
    let hash = value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = words.iter().any(|word| word.eq_ignore_ascii_case(value));
    (hash || word).then_some(value)
}

/// A question, as far as it is the same for every type. Choices among names are taken from the type's own.
#[derive(Debug, Clone)]
struct Question {
    /// Which field, a trait's key for the last of them, which operator, which values.
    filters: Vec<(Index, String, Index, Vec<String>)>,
    groups: Vec<Index>,
    sort: Option<Index>,
    descending: Option<bool>,
    /// `id`, a parameter's `id`, an unknown field, the project of a low-level body.
    texts: [String; 4],
    zone: Index,
    days: (i64, i64),
    hourly: bool,
    page: (u64, u64),
    of_organization: bool,
    engine: Dialect,
}

fn question() -> impl Strategy<Value = Question> {
    let filter = (
        any::<Index>(),
        marked(),
        any::<Index>(),
        prop::collection::vec(value(), 1..6),
    );
    let order = (
        prop::collection::vec(any::<Index>(), 0..4),
        any::<Option<Index>>(),
        any::<Option<bool>>(),
    );
    let range = (any::<Index>(), (0..700_i64, 0..29_i64), any::<bool>());
    (
        prop::collection::vec(filter, 0..5),
        order,
        [marked(), marked(), marked(), marked()],
        range,
        (1..4_u64, 1..500_u64),
        (prop::bool::weighted(0.2), any::<bool>()),
    )
        .prop_map(
            |(filters, order, texts, range, page, (of_organization, duck))| Question {
                filters,
                groups: order.0,
                sort: order.1,
                descending: order.2,
                texts,
                zone: range.0,
                days: range.1,
                hourly: range.2,
                page,
                of_organization,
                engine: if duck {
                    Dialect::DuckDb
                } else {
                    Dialect::ClickHouse
                },
            },
        )
}

const OPS: [&str; 7] = [
    "eq",
    "ne",
    "contains",
    "not_contains",
    "starts_with",
    "in",
    "not_in",
];

impl Question {
    /// The same question with other texts.
    fn twin(&self) -> Self {
        let other = |text: &String| match meaning(text) {
            Some(word) => word.to_owned(),
            None => format!("{MARK}other"),
        };
        let mut twin = self.clone();
        for (_, key, _, values) in &mut twin.filters {
            *key = format!("{MARK}key");
            *values = values.iter().map(other).collect();
        }
        twin.texts = ["1", "2", "3", "4"].map(str::to_owned);
        twin
    }

    fn target(&self, kind: &QueryType) -> Target {
        let website = kind.subject == Subject::Website;
        let target = if self.of_organization {
            organization()
        } else {
            target_of_type(kind)
        };
        Target {
            people: website.then(|| std::sync::Arc::new(Everybody) as _),
            ..target
        }
    }

    /// Nothing when the type knows no fields.
    fn filter(
        &self,
        (field, key, op, values): &(Index, String, Index, Vec<String>),
        kind: &QueryType,
    ) -> Option<Value> {
        let mut fields: Vec<&Field> = kind.filter_fields().collect();
        fields.retain(|field| field.values != Values::Setting);
        // Of an organization's people there are no traits, of links and monitors there are no people.
        let traits = kind.subject == Subject::Website && !self.of_organization;
        let known = fields.len() + usize::from(traits);
        let at = (known > 0).then(|| field.index(known))?;
        let op = op.get(&OPS);
        let nowhere = |value: &String| match fields.get(at).map(|field| field.values) {
            // Names of countries are looked up, whole or in parts: those that have the mark are none.
            Some(Values::Country) if meaning(value).is_none() => format!("{MARK}{value}"),
            _ => value.clone(),
        };
        let values: Vec<String> = values.iter().map(nowhere).collect();
        let name = fields.get(at).map_or_else(
            || format!("trait:{}", key.chars().take(128).collect::<String>()),
            |field| field.name.to_owned(),
        );
        let value = if op.ends_with("in") {
            json!(values)
        } else {
            json!(values[0])
        };
        Some(json!({"field": name, "op": op, "value": value}))
    }

    fn filters(&self, kind: &QueryType) -> Vec<Value> {
        let filters = self.filters.iter();
        let filters = filters.filter_map(|filter| self.filter(filter, kind));
        let mut filters: Vec<Value> = filters.collect();
        if let Some(field) = kind.needs.first() {
            filters.push(json!({"field": field.name, "op": "eq", "value": self.texts[0]}));
        }
        if kind.name == RETENTION {
            let event = |text: &String| text.chars().take(256).collect::<String>();
            for (field, value) in [
                ("activation_event", event(&self.texts[0])),
                ("return_event", event(&self.texts[1])),
                ("horizon_days", "7".to_owned()),
                ("observation_end", "2025-12-31".to_owned()),
            ] {
                filters.push(json!({"field": field, "op": "eq", "value": value}));
            }
        }
        filters
    }

    fn dates(&self) -> [String; 2] {
        let first = chrono::NaiveDate::from_ymd_opt(2023, 6, 1).unwrap()
            + chrono::Duration::days(self.days.0);
        let last = first + chrono::Duration::days(self.days.1);
        [first, last].map(|day| day.to_string())
    }

    fn zone(&self) -> &'static str {
        self.zone.get(&chrono_tz::TZ_VARIANTS).name()
    }

    /// Names of columns to group and to sort by.
    fn order(&self, kind: &QueryType) -> (Vec<&'static str>, Option<&'static str>) {
        if kind.name == RETENTION {
            return (Vec::new(), None);
        }
        let fields: Vec<&Field> = Field::all().collect();
        let groups = self.groups.iter().map(|at| at.get(&fields).name);
        let sortable = kind.sortable();
        let sort = self.sort.filter(|_| !sortable.is_empty());
        (groups.collect(), sort.map(|at| *at.get(&sortable)))
    }

    /// As `/v1/query` is asked.
    fn body(&self, kind: &QueryType) -> Value {
        let ([from, to], (groups, sort)) = (self.dates(), self.order(kind));
        let counts = kind.name == RETENTION;
        let hourly = self.hourly && !counts;
        let mut body = json!({
            "parameters": [{"name": kind.name, "id": self.texts[1]}],
            "id": self.texts[0], "startDate": from, "endDate": to, "timeZone": self.zone(),
            "granularity": if hourly { "hourly" } else { "daily" }, "filters": self.filters(kind),
            "groupBy": groups, "sortBy": sort, "limit": self.page.1, self.texts[2].clone(): self.texts[3],
        });
        if let Some(descending) = self.descending {
            body["sortOrder"] = json!(if descending { "desc" } else { "asc" });
        }
        if !counts {
            body["page"] = json!(self.page.0);
        }
        body
    }

    /// The same in the low-level shape; nothing when that cannot say it.
    fn low_level(&self, kind: &QueryType) -> Option<Value> {
        let ([from, to], (groups, sort)) = (self.dates(), self.order(kind));
        let counts = kind.name == RETENTION;
        let order = match (sort, self.descending) {
            (Some(sort), Some(descending)) => {
                json!(format!(
                    "{sort} {}",
                    if descending { "DESC" } else { "asc" }
                ))
            }
            (Some(sort), None) => json!(sort),
            (None, None) => Value::Null,
            (None, Some(_)) => return None,
        };
        let mut body = json!({
            "projectId": self.texts[3], "type": kind.name, "from": from, "to": to, "timezone": self.zone(),
            "timeUnit": if self.hourly && !counts { "hour" } else { "day" }, "filters": self.filters(kind),
            "groupBy": groups, "orderBy": order, "limit": self.page.1, self.texts[2].clone(): self.texts[1],
        });
        if !counts {
            body["offset"] = json!((self.page.0 - 1) * self.page.1);
        }
        Some(body)
    }
}

/// Anything that has names of ours in it.
fn any_body() -> impl Strategy<Value = Value> {
    let names = vec![
        "parameters",
        "name",
        "id",
        "start_date",
        "startDate",
        "endDate",
        "preset",
        "filters",
        "field",
        "op",
        "value",
        "granularity",
        "timeZone",
        "sortBy",
        "groupBy",
        "limit",
        "type",
        "from",
        "to",
        "orderBy",
        "today",
        "last_7d",
        "top_pages",
        "summary_metrics",
        "path",
        "country",
        "eq",
        "in",
        "2025-06-01",
        "daily",
        "visitors",
    ];
    let word = prop_oneof![
        3 => proptest::sample::select(names).prop_map(str::to_owned),
        1 => marked(),
    ];
    let leaf = prop_oneof![
        4 => word.clone().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(word.clone(), inner, 0..8)
                .prop_map(|map| map.into_iter().collect()),
        ]
    });
    // As a rule somewhat like a question.
    (tree.clone(), tree, any::<bool>()).prop_map(|(body, filters, like)| {
        if like {
            json!({"parameters": ["top_pages"], "preset": "today", "filters": [filters], "groupBy": body})
        } else {
            body
        }
    })
}

fn compiled(
    engine: Dialect,
    target: &Target,
    body: &Value,
    timezone: Option<&str>,
) -> Result<Value, Fault> {
    let call = Call {
        body,
        timezone,
        now_ms: NOW,
    };
    compile(&Nowhere(engine), target, call)
        .now_or_never()
        .unwrap()
}

/// Statement and number of values.
fn statement(engine: Dialect, target: &Target, body: &Value) -> (String, usize) {
    let answer = compiled(engine, target, body, None);
    let answer = answer.unwrap_or_else(|fault| panic!("{body}: {fault}"));
    let text = answer["sql"].as_str().unwrap().to_owned();
    let marked = |text: &str| !text.is_ascii() || text.contains(MARK);
    assert!(!marked(&text), "{body}: {text}");
    assert!(!marked(&answer["columns"].to_string()), "{body}");
    (text, answer["params"].as_object().unwrap().len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_statement_is_that_of_the_same_question_with_other_texts(question in question()) {
        let twin = question.twin();
        for kind in catalogue::all() {
            let target = question.target(kind);
            let engine = question.engine;
            let found = statement(engine, &target, &question.body(kind));
            prop_assert_eq!(&found, &statement(engine, &target, &twin.body(kind)), "{}", kind.name);
            if let Some(body) = question.low_level(kind) {
                prop_assert_eq!(&found, &statement(engine, &target, &body), "{}", kind.name);
            }
        }
    }

    /// A name is one of ours, or the request is refused.
    #[test]
    fn names_that_nobody_knows_are_refused_wherever_they_stand(text in marked(), kind in any::<Index>()) {
        let kinds: Vec<&QueryType> = catalogue::all().collect();
        let kind = kind.get(&kinds);
        let target = target_of_type(kind);
        let filter = |field: &str, op: &str| json!([{"field": field, "op": op, "value": "a"}]);
        let named = |parameter: Value| json!({"parameters": [parameter], "preset": "today"});
        let more = |field: &str, value: Value| {
            let mut body = named(json!(kind.name));
            body[field] = value;
            body
        };
        let low = |field: &str, value: Value| {
            let mut body = json!({"type": kind.name, "from": "2025-06-01", "to": "2025-06-02"});
            body[field] = value;
            body
        };
        let of = |field: &str| named(json!({"name": kind.name, field: text}));
        let sorted = |rest: &str| {
            let column = kind.sortable().first().map_or("visitors", |column| *column);
            low("orderBy", json!(format!("{column} {rest}")))
        };
        // Types with a range of their own ask for no other.
        if kind.window.range(NOW, chrono_tz::UTC).is_none() {
            for field in ["start_date", "end_date"] {
                prop_assert!(compiled(Dialect::DuckDb, &target, &of(field), None).is_err(), "{field}");
            }
        }
        for body in [
            named(json!(text)), named(json!({"name": text})), of("granularity"),
            more("preset", json!(text)), more("granularity", json!(text)), more("timeZone", json!(text)),
            more("sortBy", json!(text)), more("sortOrder", json!(text)), more("groupBy", json!(text)),
            more("groupBy", json!([text])), more("filters", filter(&text, "eq")), more("limit", json!(text)),
            more("filters", filter("country", &text)), more("page", json!(text)), more("offset", json!(text)),
            json!({"parameters": [kind.name], "startDate": text, "endDate": text}),
            low("type", json!(text)), low("from", json!(text)), low("to", json!(text)), low("timeUnit", json!(text)),
            low("timezone", json!(text)), low("orderBy", json!(text)), low("groupBy", json!([text])),
            low("limit", json!(text)), low("offset", json!(text)), low("filters", filter(&text, "eq")),
            sorted(&text), sorted(&format!("ASC {text}")), sorted(&format!("ASC, {text}")),
        ] {
            let fault = compiled(Dialect::DuckDb, &target, &body, None).unwrap_err();
            prop_assert!(matches!(fault.kind, Kind::Invalid { .. }), "{body}: {fault:?}");
        }
        let fault = compiled(Dialect::DuckDb, &target, &named(json!(kind.name)), Some(&text)).unwrap_err();
        prop_assert!(matches!(fault.kind, Kind::Invalid { .. }), "{fault:?}");
    }

    /// Whatever else is sent, nothing panics.
    #[test]
    fn any_body_is_survived(body in any_body(), of in any::<Index>()) {
        let kinds: Vec<&QueryType> = catalogue::all().collect();
        if let Ok(answer) = compiled(Dialect::DuckDb, &target_of_type(kinds[of.index(kinds.len())]), &body, None) {
            prop_assert!(!answer["sql"].to_string().contains(MARK), "{body}");
        }
    }
}
