//! What is sent, and what is counted of the answers.

use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::Value;

use super::{random::Random, shape::Call, *};

fn words() -> Words {
    Words {
        website: "site".to_owned(),
        domain: "shop.example".to_owned(),
        key: Some("svc_x".to_owned()),
        slugs: vec!["a".to_owned(), "b".to_owned()],
        events: 3,
        visitors: 10,
    }
}

fn calls(shape: Shape, seed: u64) -> Vec<Call> {
    let mut random = Random::new(seed);
    (0..20)
        .map(|number| shape.call(&words(), &mut random, number))
        .collect()
}

const ALL: [Shape; 9] = [
    Shape::Track,
    Shape::Page,
    Shape::Batch,
    Shape::Redirect,
    Shape::Flags,
    Shape::Query,
    Shape::Umami,
    Shape::Plausible,
    Shape::Liwan,
];

#[test]
fn the_same_seed_sends_the_same_and_another_does_not() {
    for shape in ALL {
        assert_eq!(calls(shape, 1), calls(shape, 1));
        assert_ne!(calls(shape, 1), calls(shape, 2), "{shape:?}");
    }
}

#[test]
fn bodies_are_what_the_programs_read() {
    let body = |shape| serde_json::from_str::<Value>(&calls(shape, 1)[0].body).unwrap();
    assert_eq!(body(Shape::Track).as_array().unwrap().len(), 3);
    assert_eq!(body(Shape::Batch).as_array().unwrap().len(), 3);
    assert_eq!(body(Shape::Page)["name"], "screen_view");
    assert_eq!(body(Shape::Umami)["payload"]["website"], "site");
    assert_eq!(body(Shape::Plausible)["domain"], "shop.example");
    assert_eq!(body(Shape::Liwan)["entity_id"], "site");
    assert!(
        calls(Shape::Redirect, 1)
            .iter()
            .all(|call| call.path == "/a" || call.path == "/b")
    );
    let ids: BTreeSet<String> = calls(Shape::Page, 1)
        .iter()
        .map(|call| serde_json::from_str::<Value>(&call.body).unwrap()["eventId"].to_string())
        .collect();
    assert_eq!(ids.len(), 20, "no event is sent twice");
}

/// A server that answers every n-th request with 503 and closes each connection after ten.
fn server() -> (Address, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/in", listener.local_addr().unwrap());
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let heads = Arc::clone(&seen);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, heads) = (stream.unwrap(), Arc::clone(&heads));
            thread::spawn(move || {
                for turn in 0..10 {
                    let Some(head) = request(&mut stream) else {
                        return;
                    };
                    heads.lock().unwrap().push(head);
                    let status = if turn == 4 { "503 Busy" } else { "200 OK" };
                    let last = if turn == 9 {
                        "connection: close\r\n"
                    } else {
                        ""
                    };
                    let answer = format!("HTTP/1.1 {status}\r\n{last}content-length: 2\r\n\r\nok");
                    if stream.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address.parse().unwrap(), seen)
}

/// The head of a request, once its body is there too; `None` at the end of the connection.
fn request(stream: &mut std::net::TcpStream) -> Option<String> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    stream.read_exact(&mut vec![0; length]).ok()?;
    Some(head)
}

fn amount(rate: u32) -> Amount {
    Amount {
        connections: 4,
        rate,
        time: Duration::from_millis(300),
        rounds: 2,
        seed: 7,
    }
}

#[tokio::test]
async fn every_answer_is_counted_by_status_and_closed_connections_are_opened_again() {
    let (address, seen) = server();
    let target = Target {
        address,
        shape: Shape::Track,
        words: words(),
    };
    let mut told = 0;
    let outcome = run(&target, None, amount(0), |_, _| told += 1)
        .await
        .unwrap();
    assert_eq!((told, outcome.rounds.len()), (2, 2));
    let heads = seen.lock().unwrap();
    assert!(heads.iter().all(|head| {
        head.starts_with("POST /in/track?website_id=site HTTP/1.1")
            && head.contains("x-api-key: svc_x")
    }));
    let answered: u64 = outcome
        .rounds
        .iter()
        .flat_map(|round| round.statuses.values())
        .sum();
    let failed: u64 = outcome
        .rounds
        .iter()
        .flat_map(|round| round.failures.values())
        .sum();
    assert!(
        answered > 20 && answered <= heads.len() as u64,
        "{answered}"
    );
    assert_eq!(failed, 0, "{outcome:?}");
    for round in &outcome.rounds {
        assert!(round.statuses[&200] > round.statuses[&503], "{round:?}");
        assert!(
            round.p50 <= round.p99 && round.p99 <= round.max,
            "{round:?}"
        );
        let events = round.events_per_second / round.good_per_second;
        assert!((events - 3.0).abs() < 1e-6, "{round:?}");
    }
}

#[tokio::test]
async fn a_rate_is_kept_to_and_two_targets_take_turns() {
    let (one, other) = (server().0, server().0);
    let target = |address| Target {
        address,
        shape: Shape::Page,
        words: words(),
    };
    let mut turns = Vec::new();
    let outcome = run(
        &target(one),
        Some(&target(other)),
        amount(100),
        |which, _| turns.push(which),
    )
    .await
    .unwrap();
    assert_eq!(turns, [0, 1, 1, 0]);
    for round in outcome.rounds.iter().chain(&outcome.against) {
        let answered: u64 = round.statuses.values().sum();
        assert_eq!(answered, 30, "100 a second for 300 ms: {round:?}");
    }
    assert!(outcome.ratio.is_some());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_error() {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let target = Target {
        address: format!("http://{free}").parse().unwrap(),
        shape: Shape::Page,
        words: words(),
    };
    assert!(run(&target, None, amount(0), |_, _| {}).await.is_err());
    for wrong in ["127.0.0.1:80", "ftp://a", "http://", ""] {
        assert!(wrong.parse::<Address>().is_err(), "{wrong}");
    }
}
