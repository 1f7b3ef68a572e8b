//! Requests whose end two servers could see in different places (threat T51), and slow ones (threat T22).

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use crate::{
    app::App,
    ingestion::raw::{connect, exchange, statuses, write_all},
};

#[actix::test]
async fn a_request_whose_end_is_in_doubt_is_refused_and_the_connection_ends() {
    let app = App::spawn().await;
    let hidden = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
    for headers in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Content-Length: 4, 5\r\n",
        "Content-Length: +4\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x4\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X: y\r\n folded: z\r\nContent-Length: 4\r\n",
        "X y\r\nContent-Length: 4\r\n",
        "X: a\0b\r\nContent-Length: 4\r\n",
    ] {
        let head = format!("POST /track HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        let answers = exchange(&app, format!("{head}0\r\n\r\n{hidden}").into_bytes()).await;
        let found = statuses(&answers);
        assert_eq!(found.len(), 1, "{headers:?}: {answers}");
        assert_eq!(found[0], 400, "{headers:?}: {answers}");
    }
    app.finish().await;
}

/// So many connections are held open where the system lets a process have both of their ends.
const HELD: u64 = 2_000;

/// How many connections may be held: takes as many file descriptors as there may be, and leaves some for the rest.
fn room() -> u64 {
    const OTHERS: u64 = 512;
    let limit = getrlimit(Resource::Nofile);
    let wanted = 2 * HELD + OTHERS;
    let most = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let current = limit.current.map_or(wanted, |current| current.max(most));
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(current),
            maximum: limit.maximum,
        },
    )
    .unwrap();
    HELD.min(current.saturating_sub(OTHERS) / 2)
}

#[actix::test]
async fn connections_that_send_nothing_keep_nobody_else_waiting() {
    let room = room();
    assert!(room >= 200, "a system with room for {room} connections");
    let app = App::spawn().await;
    let mut waiting = Vec::new();
    for number in 0..room {
        let mut stream = connect(&app);
        let begun: &[u8] = match number % 3 {
            0 => b"",
            1 => b"POST /track HTTP/1.1\r\nHost: x\r\nX-A:",
            _ => b"POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n{",
        };
        assert!(write_all(&mut stream, begun));
        waiting.push(stream);
    }
    let event = json!({ "name": "beside" });
    for _ in 0..20 {
        let sent = app.send(&event);
        let sent = tokio::time::timeout(Duration::from_secs(20), sent).await;
        assert_eq!(sent.unwrap().status, 200);
    }
    drop(waiting);
    app.finish().await;
}
