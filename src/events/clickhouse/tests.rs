//! The real engine behind its HTTP interface, and a server that is none.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpListener,
    time::Duration,
};

use super::{
    Address, Batch, ClickHouse, Failure, MigrateError, Options, batch::Finished, server::Server,
};
use crate::events::{
    deletion::{DeletionTarget, Person},
    event::{Details, Event, TIMELESS},
    segments::RetentionPolicy,
    statement::{Bind, Cell, QueryError, Scope, Statement},
    transfers::{Transfer, Transfers},
    versions::SCHEMA,
};

const DAY: i64 = 86_400_000;
/// 2026-09-21.
const NOW: i64 = 1_790_000_000_000;

async fn ready() -> Option<(Server, ClickHouse)> {
    let server = Server::start()?;
    let engine = at(&server.url());
    engine.migrate().await.unwrap();
    Some((server, engine))
}

fn at(url: &str) -> ClickHouse {
    within(Duration::from_mins(1), url)
}

fn within(deadline: Duration, url: &str) -> ClickHouse {
    let options = Options {
        deadline,
        ..Options::new(Address::parse(url).unwrap())
    };
    ClickHouse::new(options).unwrap()
}

fn event(website: i64, time: i64, name: &str) -> Event {
    Event {
        // Its lowest byte ends a line.
        organization: 10,
        website,
        time,
        received: time.max(NOW),
        name: name.to_owned(),
        details: Details::Custom,
        ..Event::default()
    }
}

fn batch(events: &[Event]) -> Finished {
    let mut batch = Batch::default();
    for (at, event) in events.iter().enumerate() {
        batch.push((1, at as u32), event, at as u128);
    }
    batch.finish()
}

async fn store(engine: &ClickHouse, token: &str, events: &[Event]) {
    let batch = batch(events);
    engine.insert(&batch, 0..batch.len(), token).await.unwrap();
}

fn statement(text: &str, binds: Vec<Bind>, website: Option<i64>) -> Statement {
    Statement {
        spilling: None,
        text: text.to_owned(),
        binds,
        scope: Scope {
            organization: 10,
            website,
            from: 0,
            to: i64::MAX,
        },
    }
}

/// Names of custom events.
async fn names(engine: &ClickHouse, transfers: &Transfers) -> Vec<String> {
    // As the program's own modules write it: not spelled for an engine.
    let text = "SELECT name FROM {events} WHERE kind = ? AND name <> '?' ORDER BY name";
    let asked = statement(text, vec![Bind::Int(2)], None);
    let rows = engine
        .query(&asked, transfers, usize::MAX)
        .await
        .unwrap()
        .rows;
    let name = |row: &Vec<Cell>| match &row[0] {
        Cell::Text(name) => name.clone(),
        other => panic!("{other:?}"),
    };
    rows.iter().map(name).collect()
}

#[tokio::test]
async fn tables_are_made_once_and_those_of_a_later_program_are_left_alone() {
    let Some((server, engine)) = ready().await else {
        return;
    };
    store(&engine, "a", &[event(7, NOW, "kept")]).await;
    engine.migrate().await.unwrap();
    assert_eq!(names(&engine, &Transfers::default()).await, ["kept"]);
    assert_eq!(server.tell("SELECT count() FROM pharos_schema").trim(), "1");
    // A table of the first version, which lacks a column.
    server.tell("ALTER TABLE pharos_events DROP COLUMN short_link");
    server.tell("TRUNCATE TABLE pharos_schema");
    server.tell("INSERT INTO pharos_schema (version) VALUES (1)");
    engine.migrate().await.unwrap();
    let linked = Event {
        link: Some("abc".into()),
        ..event(7, NOW, "linked")
    };
    store(&engine, "b", &[linked]).await;
    assert_eq!(
        names(&engine, &Transfers::default()).await,
        ["kept", "linked"]
    );
    server.tell(&format!(
        "INSERT INTO pharos_schema (version) VALUES ({})",
        SCHEMA + 1
    ));
    let refused = engine.migrate().await.unwrap_err();
    assert_eq!(refused, MigrateError::Newer(SCHEMA + 1));
}

#[tokio::test]
async fn a_batch_that_is_sent_again_is_stored_once() {
    let Some((server, engine)) = ready().await else {
        return;
    };
    // Three partitions, and texts of every kind.
    let mut events: Vec<Event> = (0..3).map(|day| event(7, NOW + day * DAY, "a")).collect();
    events[1].name = "ä\n\t\\'\0".repeat(100);
    let sent = batch(&events);
    for _ in 0..3 {
        engine.insert(&sent, 0..3, "node:1-3").await.unwrap();
    }
    assert_eq!(server.tell("SELECT count() FROM pharos_events").trim(), "3");
    let text = "SELECT name FROM {events} ORDER BY length(name) DESC LIMIT 1";
    let (asked, none) = (statement(text, vec![], None), Transfers::default());
    let found = engine.query(&asked, &none, usize::MAX).await.unwrap().rows;
    assert_eq!(found[0][0], Cell::Text(events[1].name.clone()));
    // Another token is another batch; rows of the same key fall together all the same.
    engine.insert(&sent, 0..2, "node:4-5").await.unwrap();
    assert_eq!(server.tell("SELECT count() FROM pharos_events").trim(), "5");
    server.tell("OPTIMIZE TABLE pharos_events FINAL");
    assert_eq!(server.tell("SELECT count() FROM pharos_events").trim(), "3");
}

#[tokio::test]
async fn statements_only_read_and_take_no_more_than_they_may() {
    let Some((server, engine)) = ready().await else {
        return;
    };
    store(&engine, "a", &[event(7, NOW, "a")]).await;
    let hasty = within(Duration::from_secs(2), &server.url());
    let asked = async |engine: &ClickHouse, text: &str| {
        let statement = statement(text, vec![], None);
        engine
            .query(&statement, &Transfers::default(), usize::MAX)
            .await
    };
    let ask = async |text: &str| asked(&engine, text).await;
    let written = ask("INSERT INTO pharos_schema SELECT 9, now()").await;
    assert!(matches!(written, Err(QueryError::Engine(_))), "{written:?}");
    let many = ask("SELECT number FROM numbers(1000001)").await;
    assert!(matches!(many, Err(QueryError::TooLarge)), "{many:?}");
    let large = ask("SELECT length(groupArray(number)) FROM numbers(1000000000)").await;
    assert!(matches!(large, Err(QueryError::Memory)), "{large:?}");
    let long = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1";
    let long = asked(&hasty, long).await;
    assert!(matches!(long, Err(QueryError::Deadline(2))), "{long:?}");
    let wrong = ask("SELECT nothing FROM {events}").await;
    assert!(matches!(wrong, Err(QueryError::Engine(_))), "{wrong:?}");
    assert_eq!(names(&engine, &Transfers::default()).await, ["a"]);
}

#[tokio::test]
async fn rows_follow_their_website() {
    let Some((_server, engine)) = ready().await else {
        return;
    };
    store(
        &engine,
        "a",
        &[event(7, NOW, "stays"), event(8, NOW, "leaves")],
    )
    .await;
    let moved = Transfer {
        owner: 11,
        former_owners: [10].into(),
    };
    let transfers: Transfers = [(8, moved)].into_iter().collect();
    assert_eq!(names(&engine, &transfers).await, ["stays"]);
}

#[tokio::test]
async fn what_is_erased_is_gone() {
    let Some((server, engine)) = ready().await else {
        return;
    };
    let (by_name, by_visit, other) = (event(7, NOW, "a"), event(7, NOW, "b"), event(7, NOW, "c"));
    let anna = Some("an'na\\".to_owned());
    let events = [
        Event {
            profile: anna.clone(),
            visitor: u64::MAX,
            ..by_name
        },
        Event {
            visitor: u64::MAX,
            ..by_visit
        },
        Event {
            visitor: 3,
            ..other
        },
        Event {
            profile: anna,
            ..event(8, NOW, "d")
        },
        event(9, NOW, "e"),
        Event {
            organization: 12,
            ..event(10, NOW, "f")
        },
    ];
    store(&engine, "a", &events).await;
    let person = Person {
        website: 7,
        profile: "an'na\\".to_owned(),
        visitors: BTreeSet::from([u64::MAX]),
    };
    let none = Transfers::default();
    let erase = async |target: DeletionTarget| {
        let counted = engine.count(&target, &none).await.unwrap();
        let erased = engine.erase(&target, &none).await.unwrap();
        assert_eq!(counted, erased);
        erased.get(&2).copied().unwrap_or(0)
    };
    assert_eq!(erase(DeletionTarget::Person(person.clone())).await, 2);
    assert_eq!(erase(DeletionTarget::Person(person)).await, 0);
    assert_eq!(names(&engine, &none).await, ["c", "d", "e"]);
    assert_eq!(
        erase(DeletionTarget::Things(BTreeSet::from([8, 9, 99]))).await,
        2
    );
    assert_eq!(erase(DeletionTarget::Owner(10)).await, 1);
    assert_eq!(
        server
            .tell("SELECT groupArray(name) FROM pharos_events")
            .trim(),
        "['f']"
    );
}

#[tokio::test]
async fn events_expire_as_their_website_says() {
    let Some((server, engine)) = ready().await else {
        return;
    };
    let today: i64 = server
        .tell("SELECT toUnixTimestamp(now())")
        .trim()
        .parse()
        .unwrap();
    let ago = |website, days: i64, name: &str| event(website, today * 1000 - days * DAY, name);
    let events = [
        ago(7, 10, "own, kept"),
        ago(7, 40, "own, old"),
        ago(8, 400, "for ever"),
        ago(9, 5, "usual, kept"),
        ago(9, 20, "usual, old"),
        event(9, TIMELESS, "who somebody is"),
    ];
    store(&engine, "a", &events).await;
    let kept = RetentionPolicy {
        days: 14,
        websites: [(7, 30), (8, 0)].into(),
    };
    let now = today * 1000;
    for (website, days, wanted) in [(7, 30, 1), (7, 9, 2), (7, 0, 0), (9, 14, 1), (9, 30, 0)] {
        let gone = engine.count_expired(website, days, now).await.unwrap();
        assert_eq!(gone.values().sum::<u64>(), wanted, "{website} {days}");
    }
    for _ in 0..2 {
        engine.set_retention(&kept).await.unwrap();
    }
    server.tell("OPTIMIZE TABLE pharos_events FINAL");
    let left = server.tell("SELECT name FROM pharos_events ORDER BY name");
    let left: Vec<&str> = left.lines().collect();
    assert_eq!(
        left,
        ["for ever", "own, kept", "usual, kept", "who somebody is"]
    );
    for _ in 0..2 {
        engine
            .set_retention(&RetentionPolicy::default())
            .await
            .unwrap();
    }
    let table = server.tell("SHOW CREATE TABLE pharos_events");
    assert!(!table.contains("TTL"), "{table}");
}

/// A server that hears one request and answers with these bytes.
fn answering(bytes: &'static [u8]) -> ClickHouse {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(bytes);
    });
    at(&url)
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_unknown_outcome() {
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{\"meta\"",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nlater",
    ] {
        let failure = answering(bytes).ping().await.unwrap_err();
        assert!(matches!(failure, Failure::Away(_)), "{failure}");
    }
    let nobody = at("http://127.0.0.1:9");
    assert!(matches!(nobody.ping().await, Err(Failure::Away(_))));
    // A failure behind the first bytes of a success.
    let late =
        b"HTTP/1.1 200 OK\r\nX-ClickHouse-Exception-Code: 241\r\nContent-Length: 2\r\n\r\n{}";
    let failure = answering(late).ping().await.unwrap_err();
    assert!(
        matches!(failure, Failure::Refused { code: 241, .. }),
        "{failure}"
    );
}
