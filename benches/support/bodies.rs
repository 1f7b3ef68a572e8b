//! What trackers and servers send.

use crate::{
    load::{EVENT, SESSION, VISITOR},
    wire::post,
};

/// Domain of the website.
pub(crate) const DOMAIN: &str = "shop.example";
/// Protocols of other products, with what their clients name the website by.
pub(crate) const PROTOCOLS: [(&str, &str); 6] = [
    ("segment", "write-key"),
    ("plausible", DOMAIN),
    ("umami", "7f2c3f7e-6c1d-4f0a-9d5e-0d8f5f9f3b51"),
    ("posthog", "phc_bench"),
    ("matomo", "7"),
    ("ga4", "G-BENCH"),
];

/// Browsers as they come.
pub(crate) const BROWSERS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
];

pub(crate) const NAMES: [&str; 5] = ["signup", "purchase", "add_to_cart", "search", "share"];
pub(crate) const PATHS: [&str; 6] = [
    "/",
    "/pricing",
    "/blog/web-vitals",
    "/docs/install",
    "/checkout",
    "/search?q=lamp",
];

/// A kind of request.
pub(crate) struct Case {
    /// What it is, for the table.
    pub(crate) name: String,
    /// Requests with placeholders.
    pub(crate) requests: Vec<Vec<u8>>,
    /// Events in each.
    pub(crate) events: u64,
}

/// What is measured.
pub(crate) fn cases(website: &str, key: &str) -> Vec<Case> {
    let single = |headers: fn(usize, &str) -> String, secret: &str| -> Vec<Vec<u8>> {
        (0..BROWSERS.len())
            .map(|turn| post("/track", &headers(turn, secret), &event(website, turn)))
            .collect()
    };
    vec![
        Case {
            name: "POST /track, one event, client id (browser)".to_owned(),
            requests: single(|turn, _| browser(turn), ""),
            events: 1,
        },
        Case {
            name: "POST /track, one event, API key (server)".to_owned(),
            requests: single(|_, key| server(key), key),
            events: 1,
        },
        array(website),
        Case {
            name: "POST /track, arrays of 100, API key (server)".to_owned(),
            requests: vec![post("/track", &server(key), &events(website))],
            events: 100,
        },
    ]
}

/// Arrays of a hundred events.
pub(crate) fn array(website: &str) -> Case {
    Case {
        name: "POST /track, arrays of 100, client id (browser)".to_owned(),
        requests: (0..BROWSERS.len())
            .map(|turn| post("/track", &browser(turn), &events(website)))
            .collect(),
        events: 100,
    }
}

pub(crate) fn browser(turn: usize) -> String {
    let agent = BROWSERS[turn % BROWSERS.len()];
    format!(
        "user-agent: {agent}\r\naccept: */*\r\naccept-language: en-US,en;q=0.9\r\norigin: https://{DOMAIN}\r\n\
         referer: https://{DOMAIN}/\r\nsec-fetch-mode: cors\r\nsec-fetch-site: cross-site\r\n"
    )
}

fn server(key: &str) -> String {
    format!("user-agent: node\r\naccept: */*\r\nx-api-key: {key}\r\n")
}

fn event(website: &str, turn: usize) -> String {
    let (name, path) = (NAMES[turn % NAMES.len()], PATHS[turn % PATHS.len()]);
    format!(
        r#"{{"name":"{name}","eventId":"evt_{EVENT}","websiteId":"{website}","anonymousId":"anon_{VISITOR}","sessionId":"sess_{SESSION}","path":"https://{DOMAIN}{path}","properties":{{"plan":"pro","value":{value},"currency":"EUR","coupon":null}}}}"#,
        value = 10 * turn + 5
    )
}

fn events(website: &str) -> String {
    let all: Vec<String> = (0..100).map(|turn| event(website, turn)).collect();
    format!("[{}]", all.join(","))
}
