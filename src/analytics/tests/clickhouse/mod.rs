//! ClickHouse's answers against DuckDB's, for random events and random requests.
//!
//! The engine is the one that the package chdb-core embeds (`scripts/clickhouse`). Rows of statements are compared as the
//! engines give them, in order, then the answers that are made of them; no type is left out.

mod same;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};

use proptest::{collection::vec, prelude::*, sample::select, test_runner::TestRunner};
use serde_json::{Value, json};

use self::same::{same, whole};
use super::{
    ORGANIZATION, WEBSITE,
    agree::{Manner, comparable, manner, worlds_of_the_suite},
    block_on,
    export::{crowds, pages_are_all_of_it},
    funnels::{agrees, cases},
    store::Bare,
    world::{World, worlds},
};
use crate::{
    analytics::{
        catalogue::{self, QueryType},
        dialect::Dialect,
        run::{Answers, Call, Source, execute},
    },
    events::{
        clickhouse::{self, Address, Batch, Options, server::Server},
        event::{Details, Event},
        statement::{Bind, Cell, QueryError, Rows, Scope, Statement},
        transfers::Transfers,
    },
};

/// The other engine with our tables.
struct ClickHouse(clickhouse::ClickHouse, Server);

impl ClickHouse {
    /// Empty tables; nothing where the engine cannot be had.
    fn start() -> Option<Self> {
        let server = Server::start()?;
        let options = Options::new(Address::parse(&server.url()).unwrap());
        let engine = clickhouse::ClickHouse::new(options).unwrap();
        block_on(engine.migrate()).unwrap();
        Some(Self(engine, server))
    }

    /// These events in place of all others.
    fn fill(&self, events: &[Event]) {
        let mut batch = Batch::default();
        for (at, event) in events.iter().enumerate() {
            batch.push((1, at as u32), event, at as u128);
        }
        let batch = batch.finish();
        self.1.tell("TRUNCATE TABLE pharos_events");
        if !batch.is_empty() {
            block_on(self.0.insert(&batch, 0..batch.len(), "")).unwrap();
        }
    }
}

impl Source for ClickHouse {
    async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        let rows = self
            .0
            .query(&statement, &Transfers::default(), usize::MAX)
            .await;
        rows.inspect_err(|error| eprintln!("{error}"))
    }

    fn dialect(&self) -> Dialect {
        Dialect::ClickHouse
    }
}

/// An engine, and the rows that it gave.
struct Heard<'a, S>(&'a S, Mutex<Vec<Rows>>);

impl<S: Source> Source for Heard<'_, S> {
    async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        let rows = self.0.query(statement).await?;
        self.1.lock().unwrap().push(rows.clone());
        Ok(rows)
    }

    fn dialect(&self) -> Dialect {
        self.0.dialect()
    }
}

/// The rows of a question's statement and its answer.
fn query_rows<S: Source>(
    source: &S,
    kind: &QueryType,
    manner: &Manner,
    now: i64,
) -> (Rows, Vec<Value>) {
    let body = manner.body(kind, now);
    let heard = Heard(source, Mutex::default());
    let call = Call {
        body: &body,
        timezone: None,
        now_ms: now,
    };
    let answers = block_on(execute(&heard, &manner.target(kind), call)).unwrap();
    let answer = answers.into_results().remove(0).rows;
    let answer = answer.unwrap_or_else(|why| panic!("{body}: {why}"));
    let rows = heard.1.into_inner().unwrap().pop().unwrap();
    (rows, answer)
}

fn compare(engines: (&Bare, &ClickHouse), kind: &QueryType, manner: &Manner, now: i64) {
    let body = manner.body(kind, now);
    let (mut duck, wanted) = query_rows(engines.0, kind, manner, now);
    let (mut click, got) = query_rows(engines.1, kind, manner, now);
    if kind.is_series() {
        // Who fills in the other buckets puts them in order.
        for rows in [&mut duck.rows, &mut click.rows] {
            Arc::make_mut(rows).sort_by_key(|row| whole(&row[0]));
        }
    }
    assert_eq!(click.columns, duck.columns, "columns of {body}");
    for (place, (click, duck)) in click.rows.iter().zip(duck.rows.iter()).enumerate() {
        let alike = click
            .iter()
            .zip(duck)
            .all(|(click, duck)| same(click, duck));
        assert!(
            alike,
            "row {place} of {body}: {click:?} of ClickHouse, {duck:?} of DuckDB"
        );
    }
    assert_eq!(click.rows.len(), duck.rows.len(), "rows of {body}");
    assert_eq!(comparable(&got), comparable(&wanted), "{body}");
}

/// Bound values arrive as they are, whatever is in them.
#[test]
fn bound_values_arrive_as_they_are() {
    let Some(engine) = ClickHouse::start() else {
        return;
    };
    let arrives = |text: &str, bind: Bind| {
        let statement = Statement {
            spilling: None,
            text: format!("SELECT {text} AS value"),
            binds: vec![bind],
            scope: Scope {
                organization: ORGANIZATION,
                website: None,
                from: 0,
                to: 0,
            },
        };
        let rows = block_on(engine.query(statement)).unwrap().rows;
        rows[0][0].clone()
    };
    for whole in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!(arrives("{p1:Int64}", Bind::Int(whole)), Cell::Int(whole));
    }
    let most = Bind::Hash(u64::MAX);
    assert_eq!(arrives("{p1:UInt64}", most), Cell::Hash(u64::MAX));
    for number in [f64::MIN_POSITIVE, -0.5, 0.1 + 0.2, f64::MAX] {
        let found = arrives("{p1:Float64}", Bind::Float(number));
        assert!(same(&found, &Cell::Float(number)), "{number}: {found:?}");
    }
    let nasty = [
        "",
        "\\N",
        "a\tb\r\n\\t\\",
        "'; DROP TABLE t; --",
        "{p1:String}?",
    ];
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(100)
    });
    let texts = prop_oneof![
        select(nasty.to_vec()).prop_map(str::to_owned),
        any::<String>()
    ];
    let asked = runner.run(&texts, |text| {
        let found = arrives("{p1:String}", Bind::Text(text.clone()));
        prop_assert_eq!(found, Cell::Text(text));
        Ok(())
    });
    asked.unwrap();
}

/// Every type, in several manners, over the same random events.
#[test]
fn both_engines_answer_every_type_alike() {
    let Some(clickhouse) = ClickHouse::start() else {
        return;
    };
    let mut runner = TestRunner::new(ProptestConfig {
        // A world takes seconds: it is said which types disagree about it, not in how few events.
        max_shrink_iters: 0,
        failure_persistence: None,
        ..worlds_of_the_suite(2)
    });
    let asked = runner.run(&(worlds(), vec(manner(), 7)), |(world, manners)| {
        let wrong = apart(&clickhouse, &world, &manners);
        assert!(
            wrong.is_empty(),
            "types that engines answer differently: {wrong:?}"
        );
        Ok(())
    });
    asked.unwrap();
}

/// Goals and funnels, by the oracle that the embedded engine has to satisfy.
#[test]
fn goals_and_funnels_are_the_same_with_the_other_engine() {
    let Some(clickhouse) = ClickHouse::start() else {
        return;
    };
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 0,
        failure_persistence: None,
        ..worlds_of_the_suite(24)
    });
    let asked = runner.run(&cases(), |case| {
        clickhouse.fill(case.events());
        agrees(&clickhouse, &case, &super::target());
        Ok(())
    });
    asked.unwrap();
}

/// What is exported, page by page.
#[test]
fn pages_of_an_export_are_all_of_it_with_the_other_engine() {
    let Some(clickhouse) = ClickHouse::start() else {
        return;
    };
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 0,
        failure_persistence: None,
        ..worlds_of_the_suite(1)
    });
    let asked = runner.run(&crowds(), |(events, now)| {
        clickhouse.fill(&events);
        pages_are_all_of_it(&clickhouse, now);
        Ok(())
    });
    asked.unwrap();
}

fn apart(clickhouse: &ClickHouse, world: &World, manners: &[Manner]) -> Vec<&'static str> {
    let duck = Bare::new(&world.events);
    clickhouse.fill(&world.events);
    let mut wrong = Vec::new();
    for (index, kind) in catalogue::all().enumerate() {
        let (engines, manner) = ((&duck, clickhouse), &manners[index % manners.len()]);
        let compared = AssertUnwindSafe(|| compare(engines, kind, manner, world.now));
        if catch_unwind(compared).is_err() {
            wrong.push(kind.name);
        }
    }
    wrong
}

/// The one thing that engines are known to answer differently. When they agree, remove this and put such
/// a number among the properties of random worlds.
#[test]
fn properties_that_are_whole_numbers_with_a_fraction_are_written_differently() {
    let Some(clickhouse) = ClickHouse::start() else {
        return;
    };
    let event = Event {
        organization: ORGANIZATION,
        website: WEBSITE,
        time: super::NOW,
        name: "buy".to_owned(),
        properties: Some(r#"{"price":2.0}"#.to_owned()),
        details: Details::Custom,
        ..Event::default()
    };
    let duck = Bare::new(std::slice::from_ref(&event));
    clickhouse.fill(&[event]);
    let body = json!({"parameters": ["custom_event_properties"], "preset": "last_7d"});
    let call = Call {
        body: &body,
        timezone: None,
        now_ms: super::NOW + 1,
    };
    let value = |answers: Answers| {
        let rows: Vec<Value> = answers.rows("custom_event_properties").unwrap();
        rows[0]["property_value"].clone()
    };
    let target = super::target();
    let duck = value(block_on(execute(&duck, &target, call)).unwrap());
    let click = value(block_on(execute(&clickhouse, &target, call)).unwrap());
    assert_eq!((duck, click), (json!("2.0"), json!("2")));
}
