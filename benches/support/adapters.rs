//! The same events as clients of other products send them and as ours do.

use crate::{
    bodies::{BROWSERS, Case, DOMAIN, NAMES, PATHS, PROTOCOLS, browser},
    load::{EVENT, SESSION, VISITOR},
    wire::post,
};

/// Events of a request to a protocol, and the same events to `/track`.
pub(crate) struct Pair {
    pub(crate) own: Case,
    pub(crate) theirs: Case,
}

/// How a client writes requests.
struct Client {
    product: &'static str,
    path: &'static str,
    /// What its events have.
    ids: Ids,
    /// An event as a request of its own.
    single: fn(usize) -> Vec<u8>,
    /// Several events in one request, with how many at most.
    batch: Option<Batch>,
}

struct Batch {
    path: &'static str,
    events: usize,
    request: fn(usize) -> Vec<u8>,
}

/// Which ids a product's events carry. An event without them is stored with a visitor and a session all the same, made of who sent
/// the request.
#[derive(Clone, Copy)]
struct Ids {
    event: bool,
    visitor: bool,
    session: bool,
}

const NONE: Ids = Ids {
    event: false,
    visitor: false,
    session: false,
};

const CLIENTS: [Client; 6] = [
    Client {
        product: "Plausible",
        path: "/api/event",
        ids: NONE,
        single: |turn| post("/api/event", &browser(turn), &plausible(turn)),
        batch: None,
    },
    Client {
        product: "Umami",
        path: "/api/send",
        ids: NONE,
        single: |turn| post("/api/send", &browser(turn), &umami(turn)),
        batch: Some(Batch {
            path: "/api/batch",
            events: 100,
            request: |events| all("/api/batch", &format!("[{}]", list(events, umami))),
        }),
    },
    Client {
        product: "PostHog",
        path: "/e/",
        ids: Ids {
            event: true,
            visitor: true,
            session: true,
        },
        single: |turn| post("/e/", &browser(turn), &posthog(turn)),
        batch: Some(Batch {
            path: "/batch/",
            events: 100,
            request: |events| {
                let (token, events) = (id("posthog"), list(events, posthog));
                let body = format!(r#"{{"api_key":"{token}","batch":[{events}]}}"#);
                all("/batch/", &body)
            },
        }),
    },
    Client {
        product: "Segment",
        path: "/v1/track",
        ids: Ids {
            event: true,
            visitor: true,
            session: false,
        },
        single: |turn| post("/v1/track", &browser(turn), &segment(turn)),
        batch: Some(Batch {
            path: "/v1/batch",
            events: 100,
            request: |events| {
                let (key, events) = (id("segment"), list(events, segment));
                let body = format!(r#"{{"writeKey":"{key}","batch":[{events}]}}"#);
                all("/v1/batch", &body)
            },
        }),
    },
    Client {
        product: "Matomo",
        path: "/matomo.php",
        ids: Ids {
            visitor: true,
            ..NONE
        },
        single: |turn| get(&format!("/matomo.php{}", matomo(turn)), &browser(turn)),
        batch: Some(Batch {
            path: "/matomo.php",
            events: 100,
            request: |events| {
                let events = list(events, |turn| format!("\"{}\"", matomo(turn)));
                all("/matomo.php", &format!(r#"{{"requests":[{events}]}}"#))
            },
        }),
    },
    Client {
        product: "GA4 Measurement Protocol",
        path: "/mp/collect",
        ids: Ids {
            visitor: true,
            session: true,
            ..NONE
        },
        single: |turn| post(&ga4_path(), &browser(turn), &ga4(turn, 1)),
        batch: Some(Batch {
            path: "/mp/collect",
            events: 25,
            request: |events| all(&ga4_path(), &ga4(0, events)),
        }),
    },
];

/// Every protocol, first with one event a request, then with many.
pub(crate) fn pairs(website: &str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for client in &CLIENTS {
        let turns = 0..BROWSERS.len();
        let own = |turn| post("/track", &browser(turn), &event(website, turn, client.ids));
        pairs.push(Pair {
            own: Case {
                name: "POST /track, the same event".to_owned(),
                requests: turns.clone().map(own).collect(),
                events: 1,
            },
            theirs: Case {
                name: format!("adapter: {}, one event ({})", client.product, client.path),
                requests: turns.clone().map(client.single).collect(),
                events: 1,
            },
        });
        let Some(batch) = &client.batch else { continue };
        let many = list(batch.events, |turn| event(website, turn, client.ids));
        pairs.push(Pair {
            own: Case {
                name: "POST /track, the same events".to_owned(),
                requests: vec![all("/track", &format!("[{many}]"))],
                events: batch.events as u64,
            },
            theirs: Case {
                name: format!(
                    "adapter: {}, {} events ({})",
                    client.product, batch.events, batch.path
                ),
                requests: vec![(batch.request)(batch.events)],
                events: batch.events as u64,
            },
        });
    }
    pairs
}

/// A request of many events, all by one browser.
fn all(path: &str, body: &str) -> Vec<u8> {
    post(path, &browser(0), body)
}

fn get(path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").into_bytes()
}

fn list(events: usize, write: impl Fn(usize) -> String) -> String {
    (0..events).map(write).collect::<Vec<_>>().join(",")
}

/// What clients of a protocol name the website by.
fn id(protocol: &str) -> &'static str {
    let mut known = PROTOCOLS.iter();
    known
        .find(|(name, _)| *name == protocol)
        .map_or("", |(_, id)| id)
}

/// Name, path and value of an event.
fn facts(turn: usize) -> (&'static str, &'static str, usize) {
    (
        NAMES[turn % NAMES.len()],
        PATHS[turn % PATHS.len()],
        10 * turn + 5,
    )
}

/// An event of ours that is stored as the product's is: with its ids, or with one visitor and session where the server finds them.
/// Its number comes first, in a property if nowhere else.
fn event(website: &str, turn: usize, ids: Ids) -> String {
    let (name, path, value) = facts(turn);
    let place = |here: bool, text: String| if here { text } else { String::new() };
    let event = place(ids.event, format!(r#""eventId":"evt_{EVENT}","#));
    let order = place(!ids.event, format!(r#","order":"{EVENT}""#));
    let visitor = if ids.visitor {
        VISITOR
    } else {
        "2f1c9a40b7e84d3396a5c07d1be2f864"
    };
    let session = if ids.session {
        SESSION
    } else {
        "7d0b6e52a1f94c88b3e417c92a5d60fe.1790000000000"
    };
    format!(
        r#"{{"name":"{name}",{event}"websiteId":"{website}","path":"https://{DOMAIN}{path}","properties":{{"plan":"pro","value":{value}{order}}},"anonymousId":"{visitor}","sessionId":"{session}"}}"#
    )
}

fn plausible(turn: usize) -> String {
    let (name, path, value) = facts(turn);
    format!(
        r#"{{"n":"{name}","u":"https://{DOMAIN}{path}","d":"{DOMAIN}","p":{{"plan":"pro","value":{value},"order":"{EVENT}"}}}}"#
    )
}

fn umami(turn: usize) -> String {
    let ((name, path, value), website) = (facts(turn), id("umami"));
    format!(
        r#"{{"type":"event","payload":{{"website":"{website}","hostname":"{DOMAIN}","url":"{path}","name":"{name}","data":{{"plan":"pro","value":{value},"order":"{EVENT}"}}}}}}"#
    )
}

fn posthog(turn: usize) -> String {
    let ((name, path, value), token) = (facts(turn), id("posthog"));
    format!(
        r#"{{"uuid":"evt_{EVENT}","event":"{name}","api_key":"{token}","distinct_id":"{VISITOR}","properties":{{"$current_url":"https://{DOMAIN}{path}","$session_id":"{SESSION}","plan":"pro","value":{value}}}}}"#
    )
}

fn segment(turn: usize) -> String {
    let ((name, path, value), key) = (facts(turn), id("segment"));
    format!(
        r#"{{"type":"track","event":"{name}","messageId":"evt_{EVENT}","writeKey":"{key}","anonymousId":"{VISITOR}","context":{{"page":{{"url":"https://{DOMAIN}{path}"}}}},"properties":{{"plan":"pro","value":{value}}}}}"#
    )
}

/// The parameters of a request; its properties are an event's category and value.
fn matomo(turn: usize) -> String {
    let ((name, path, value), site) = (facts(turn), id("matomo"));
    let path = path.replace('?', "%3F").replace('=', "%3D");
    format!(
        "?idsite={site}&rec=1&url=https%3A%2F%2F{DOMAIN}{path}&e_c=pro&e_a={name}&e_v={value}&dimension1={EVENT}&_id={VISITOR}"
    )
}

fn ga4_path() -> String {
    format!("/mp/collect?measurement_id={}", id("ga4"))
}

/// The browser is named in the body: headers are a server's.
fn ga4(turn: usize, events: usize) -> String {
    let one = |turn| {
        let (name, path, value) = facts(turn);
        format!(
            r#"{{"name":"{name}","params":{{"order":"{EVENT}","page_location":"https://{DOMAIN}{path}","session_id":"{SESSION}","plan":"pro","value":{value}}}}}"#
        )
    };
    let events = list(events, |nth| one(turn + nth));
    let agent = BROWSERS[turn % BROWSERS.len()];
    format!(r#"{{"events":[{events}],"client_id":"{VISITOR}","user_agent":"{agent}"}}"#)
}
