//! What callers send: our own ways in and out, and those of other programs for the same purpose, for
//! comparisons.

use std::fmt::Write as _;

use hyper::Method;
use serde_json::{Value, json};

use super::random::Random;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// `POST /track`: custom events (`--events` in each request)
    Track,
    /// `POST /`: a page view as the tracker script sends it
    Page,
    /// `POST /batch`: page views (`--events` in each request)
    Batch,
    /// `GET /<slug>`: short links, which answer with a redirect
    Redirect,
    /// `GET /public/v1/flags/bulk`: all flags for a visitor
    Flags,
    /// `POST /v1/query`: what a dashboard asks, over the last 30 days
    Query,
    /// `POST /api/send`: a page view in the shape of Umami
    Umami,
    /// `POST /api/event`: a page view in the shape of Plausible
    Plausible,
    /// `POST /api/event`: a page view in the shape of liwan
    Liwan,
}

/// What requests are filled in with.
#[derive(Debug, Clone)]
pub struct Words {
    /// The website: its public client id, or whatever the other program calls it.
    pub website: String,
    /// The website's domain, in the addresses of pages.
    pub domain: String,
    /// An API key, sent as `x-api-key`.
    pub key: Option<String>,
    /// Slugs of short links.
    pub slugs: Vec<String>,
    /// Events in a request that may have several.
    pub events: usize,
    /// Visitors who take turns.
    pub visitors: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) method: Method,
    /// Path and query.
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    pub(super) events: u64,
}

const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
];
const PAGES: [&str; 8] = [
    "/",
    "/pricing",
    "/blog/first-steps",
    "/docs/install",
    "/blog/what-is-new",
    "/about",
    "/contact",
    "/docs/faq",
];
const REFERRERS: [&str; 4] = [
    "",
    "https://www.google.com/",
    "https://news.ycombinator.com/",
    "https://duckduckgo.com/",
];
const NAMES: [&str; 4] = ["signup", "search", "add_to_cart", "purchase"];
/// What dashboards ask.
const TYPES: [&str; 6] = [
    "summary_metrics",
    "top_pages",
    "top_referrers",
    "country",
    "browser_name",
    "device_type",
];

/// A visitor on a page.
struct Visit<'a> {
    visitor: u64,
    agent: &'a str,
    page: &'a str,
    referrer: &'a str,
    domain: &'a str,
}

impl Visit<'_> {
    fn url(&self) -> String {
        format!("https://{}{}", self.domain, self.page)
    }
}

impl Shape {
    /// The next request of this kind; `number` is how many there were, in all connections.
    pub(super) fn call(self, words: &Words, random: &mut Random, number: u64) -> Call {
        let visit = Visit {
            visitor: random.below(words.visitors.max(1)),
            agent: random.pick(&AGENTS),
            page: random.pick(&PAGES),
            referrer: random.pick(&REFERRERS),
            domain: &words.domain,
        };
        let website = &words.website;
        match self {
            Self::Track => {
                let event = |at| custom(words, &visit, (number, at));
                let path = format!("/track?website_id={website}");
                several(words, &visit, path, event)
            }
            Self::Page => new_call(
                words,
                &visit,
                page_path("/", website),
                &page(&visit, (number, 0)),
                1,
            ),
            Self::Batch => {
                let event = |at| page(&visit, (number, at));
                several(words, &visit, page_path("/batch", website), event)
            }
            Self::Redirect => {
                let slugs: Vec<&str> = words.slugs.iter().map(String::as_str).collect();
                read(words, &visit, format!("/{}", random.pick(&slugs)))
            }
            Self::Flags => {
                let visitor = visit.visitor;
                let path =
                    format!("/public/v1/flags/bulk?clientId={website}&userId=user-{visitor}");
                read(words, &visit, path)
            }
            Self::Query => {
                let parameter = random.pick(&TYPES);
                let body = json!({ "parameters": [parameter], "preset": "last_30d", "limit": 10 });
                new_call(
                    words,
                    &visit,
                    format!("/v1/query?website_id={website}"),
                    &body,
                    0,
                )
            }
            Self::Umami | Self::Plausible | Self::Liwan => self.third_party_call(words, &visit),
        }
    }

    /// A page view as another program takes it.
    fn third_party_call(self, words: &Words, visit: &Visit<'_>) -> Call {
        let (website, page, referrer) = (&words.website, visit.url(), visit.referrer);
        let (path, body) = match self {
            Self::Umami => ("/api/send", umami(website, visit)),
            Self::Plausible => (
                "/api/event",
                json!({ "name": "pageview", "url": page, "domain": visit.domain, "referrer": referrer }),
            ),
            _ => (
                "/api/event",
                json!({ "entity_id": website, "name": "pageview", "url": page, "referrer": referrer }),
            ),
        };
        new_call(words, visit, path.to_owned(), &body, 1)
    }
}

fn page_path(path: &str, website: &str) -> String {
    format!("{path}?client_id={website}")
}

fn custom(words: &Words, visit: &Visit<'_>, (number, at): (u64, usize)) -> Value {
    json!({
        "name": NAMES[(number as usize + at) % NAMES.len()], "eventId": format!("load-{number}-{at}"),
        "websiteId": words.website, "anonymousId": format!("anon_{}", visit.visitor),
        "sessionId": format!("sess_{}", visit.visitor), "path": visit.url(),
        "properties": { "plan": "pro", "value": number % 100 },
    })
}

fn page(visit: &Visit<'_>, (number, at): (u64, usize)) -> Value {
    json!({
        "type": "track", "name": "screen_view", "eventId": format!("load-{number}-{at}"), "path": visit.url(),
        "title": "A page", "referrer": visit.referrer, "anonymousId": format!("anon_{}", visit.visitor),
        "sessionId": format!("sess_{}", visit.visitor), "language": "en-US", "timezone": "Europe/Berlin",
        "screen_resolution": "1920x1080", "viewport_size": "1280x720",
    })
}

fn umami(website: &str, visit: &Visit<'_>) -> Value {
    json!({
        "type": "event",
        "payload": {
            "website": website, "hostname": visit.domain, "url": visit.page, "referrer": visit.referrer,
            "title": "A page", "language": "en-US", "screen": "1920x1080",
        },
    })
}

fn several(words: &Words, visit: &Visit<'_>, path: String, event: impl Fn(usize) -> Value) -> Call {
    if words.events == 1 && !path.starts_with("/batch") {
        return new_call(words, visit, path, &event(0), 1);
    }
    let all: Vec<Value> = (0..words.events).map(event).collect();
    new_call(words, visit, path, &Value::Array(all), words.events as u64)
}

fn new_call(words: &Words, visit: &Visit<'_>, path: String, body: &Value, events: u64) -> Call {
    let mut headers = headers(words, visit);
    headers.push(("content-type", "application/json".to_owned()));
    headers.push(("origin", format!("https://{}", visit.domain)));
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{body}");
    Call {
        method: Method::POST,
        path,
        headers,
        body: text,
        events,
    }
}

fn read(words: &Words, visit: &Visit<'_>, path: String) -> Call {
    Call {
        method: Method::GET,
        path,
        headers: headers(words, visit),
        body: String::new(),
        events: 0,
    }
}

fn headers(words: &Words, visit: &Visit<'_>) -> Vec<(&'static str, String)> {
    let mut headers = vec![("user-agent", visit.agent.to_owned())];
    if let Some(key) = &words.key {
        headers.push(("x-api-key", key.clone()));
    }
    headers
}
