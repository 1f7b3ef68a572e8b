//! Random traffic of every sort, with what has to become of it: an oracle that knows the rules and no code.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

/// 2026-01-01: what happened long ago is received today.
const LONG_AGO: i64 = 1_767_225_600_000;
const BOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
/// The reasons of requests, with and without a website.
pub type Balance = BTreeMap<&'static str, u64>;

/// A generator of traffic and the balance that it has to leave.
pub struct Mix {
    random: u64,
    website: String,
    key: String,
    /// Requests that one sender may make; 0 = any number. The clock is stopped.
    limit: u32,
    /// Requests so far: of strangers for the website, of strangers for unknown ones, of the key.
    windows: [u32; 3],
    /// What was stored, by route and whether it was sent with a key.
    known: BTreeMap<(&'static str, bool), Vec<String>>,
    next: u64,
    /// What the website's ledger says.
    pub own: Balance,
    /// Requests without a known website.
    pub nobodys: Balance,
}

/// One request.
pub struct Shot {
    pub method: Method,
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// The status that it has to get.
    pub status: u16,
}

/// The routes, and whether they take arrays only.
const ROUTES: [(&str, bool); 9] = [
    ("/track", false),
    ("/", false),
    ("/batch", true),
    ("/vitals", true),
    ("/errors", true),
    ("/engagement", true),
    ("/events", true),
    (PIXEL, false),
    (CALLS, true),
];
/// Always answered with the image.
const PIXEL: &str = "/px.jpg";
/// Only with a key; its records have no ids.
const CALLS: &str = "/mcp";

/// What is wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Twist {
    Nothing,
    Bot,
    OptedOut,
    Torn,
    OneBad,
    Encoding,
    Origin,
    Unknown,
    Nobody,
    BadKey,
}

impl Mix {
    pub fn new(seed: u64, website: &str, key: &str, limit: u32) -> Self {
        Self {
            random: seed,
            website: website.to_owned(),
            key: key.to_owned(),
            limit,
            windows: [0; 3],
            known: BTreeMap::new(),
            next: 0,
            own: Balance::new(),
            nobodys: Balance::new(),
        }
    }

    /// Limits are the process's.
    pub fn after_a_restart(mut self) -> Self {
        self.windows = [0; 3];
        self
    }

    fn below(&mut self, most: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % most
    }

    /// The next request, its outcome booked.
    pub fn shot(&mut self) -> Shot {
        let (route, array) = ROUTES[self.below(ROUTES.len() as u64) as usize];
        let twist = match self.below(20) {
            0 => Twist::Bot,
            1 => Twist::OptedOut,
            2 => Twist::Torn,
            3 => Twist::OneBad,
            4 => Twist::Encoding,
            5 => Twist::Origin,
            6 => Twist::Unknown,
            7 => Twist::Nobody,
            8 => Twist::BadKey,
            _ => Twist::Nothing,
        };
        let may_key = route == CALLS || (route == "/track" && self.below(3) == 0);
        let with_key = may_key && twist != Twist::Nobody;
        let count = if array || route == "/track" {
            1 + self.below(4)
        } else {
            1
        };
        let ids: Vec<String> = (0..count).map(|_| self.id(route)).collect();
        let mut events: Vec<Value> = ids.iter().map(|id| event(route, id)).collect();
        if twist == Twist::OneBad {
            events[0] = json!({ "eventId": 7 });
        }
        let whole = array || (route == "/track" && count > 1);
        let mut body = if whole {
            json!(events)
        } else {
            events[0].clone()
        }
        .to_string();
        if twist == Twist::Torn {
            body.pop();
        }
        let mut status = self.book(route, twist, with_key, whole, &ids);
        let mut path = self.path(route, twist);
        let method = if route == PIXEL {
            status = 200;
            path.push_str(&pixel(&ids[0], twist));
            Method::GET
        } else {
            Method::POST
        };
        if (route, status) == (CALLS, 200) {
            status = 202;
        }
        Shot {
            method,
            path,
            headers: self.headers(twist, with_key),
            body,
            status,
        }
    }

    /// The id of an event: often a new one, sometimes one that was stored.
    fn id(&mut self, route: &'static str) -> String {
        let sides = [false, true].map(|with_key| self.known.get(&(route, with_key)));
        let known: Vec<String> = sides.into_iter().flatten().flatten().cloned().collect();
        if !known.is_empty() && self.below(3) == 0 {
            let at = self.below(known.len() as u64) as usize;
            return known[at].clone();
        }
        self.next += 1;
        format!("{route}-{}", self.next)
    }

    fn path(&self, route: &str, twist: Twist) -> String {
        let website = match twist {
            Twist::Nobody => return route.to_owned(),
            Twist::Unknown => "unknown",
            _ => &self.website,
        };
        let parameter = if matches!(route, "/track" | CALLS) {
            "website_id"
        } else {
            "client_id"
        };
        format!("{route}?{parameter}={website}")
    }

    fn headers(&self, twist: Twist, with_key: bool) -> Vec<(&'static str, String)> {
        let mut headers = match twist {
            Twist::Bot => vec![("user-agent", BOT.to_owned())],
            Twist::OptedOut => vec![("sec-gpc", "1".to_owned())],
            Twist::Encoding => vec![("content-encoding", "br".to_owned())],
            Twist::Origin => vec![("origin", "https://else.example".to_owned())],
            Twist::BadKey => vec![("x-api-key", "svc_nonsense".to_owned())],
            _ => Vec::new(),
        };
        if with_key && twist != Twist::BadKey {
            headers.push(("x-api-key", self.key.clone()));
        }
        headers
    }

    /// Books a request as the rules want it, and says its status.
    fn book(
        &mut self,
        route: &'static str,
        twist: Twist,
        with_key: bool,
        whole: bool,
        ids: &[String],
    ) -> u16 {
        let count = ids.len() as u64;
        if twist == Twist::BadKey {
            return self.refuse("invalid_key", 1, 401);
        }
        // A key's window is looked at before the body is read, a stranger's when the body says whose it is.
        if with_key && route != CALLS && self.is_full(2) {
            return self.refuse("rate_limited", 1, 429);
        }
        if twist == Twist::Nobody {
            *self.nobodys.entry("no_credentials").or_default() += 1;
            return 401;
        }
        if twist == Twist::Unknown {
            if with_key {
                *self.nobodys.entry("organizations").or_default() += 1;
                return 404;
            }
            let full = self.is_full(1);
            let (reason, status) = if full {
                ("rate_limited", 429)
            } else {
                ("unknown_website", 404)
            };
            *self.nobodys.entry(reason).or_default() += 1;
            return status;
        }
        if !with_key {
            if self.is_full(0) {
                return self.refuse("rate_limited", 1, 429);
            }
            if twist == Twist::Origin {
                return self.refuse("origin_not_authorized", 1, 403);
            }
        }
        match twist {
            Twist::Encoding if route != PIXEL => self.refuse("unsupported_encoding", 1, 415),
            Twist::OptedOut if !with_key => self.refuse("opted_out", count, 200),
            Twist::Bot if !with_key => self.refuse("bot", count, 200),
            Twist::Torn => self.refuse("invalid_body", 1, 400),
            Twist::OneBad if route == "/batch" => {
                self.refuse("invalid_body", 1, 200);
                self.store(route, with_key, &ids[1..])
            }
            Twist::OneBad => {
                let refused = if whole { count } else { 1 };
                self.refuse("invalid_body", refused, 400)
            }
            _ => self.store(route, with_key, ids),
        }
    }

    fn refuse(&mut self, reason: &'static str, count: u64, status: u16) -> u16 {
        *self.own.entry(reason).or_default() += count;
        status
    }

    /// An id with a key and one without are two.
    fn store(&mut self, route: &'static str, with_key: bool, ids: &[String]) -> u16 {
        if route == CALLS {
            *self.own.entry("stored").or_default() += ids.len() as u64;
            return 200;
        }
        for id in ids {
            let known = self.known.entry((route, with_key)).or_default();
            let outcome = if known.contains(id) {
                "duplicate"
            } else {
                known.push(id.clone());
                "stored"
            };
            *self.own.entry(outcome).or_default() += 1;
        }
        200
    }

    fn is_full(&mut self, window: usize) -> bool {
        if self.limit == 0 {
            return false;
        }
        let full = self.windows[window] >= self.limit;
        self.windows[window] += u32::from(!full);
        full
    }
}

fn event(route: &str, id: &str) -> Value {
    let page = "https://localhost/";
    match route {
        "/track" => json!({ "name": "signup", "eventId": id }),
        "/events" => {
            json!({ "eventName": "signup", "eventId": id, "timestamp": LONG_AGO, "path": page })
        }
        "/vitals" => json!({
            "eventId": id, "timestamp": LONG_AGO, "path": page, "metricName": "LCP", "metricValue": 900,
        }),
        "/errors" => json!({
            "eventId": id, "timestamp": LONG_AGO, "path": page, "message": "x is undefined",
        }),
        "/engagement" => json!({
            "eventId": id, "timestamp": LONG_AGO, "path": page, "pageIndex": 1, "exitType": "spa", "timeOnPage": 9,
            "activeTime": 4, "timeToFirstInteraction": 100, "maxScrollDepth": 50, "scrollCount": 1, "clickCount": 1,
            "keyCount": 0, "interactionCount": 2, "copyCount": 0, "rageClickCount": 0, "deadClickCount": 0,
            "formFieldCount": 0, "formSubmitCount": 0, "errorCount": 0,
        }),
        CALLS => json!({ "tool": "search", "durationMs": 12 }),
        _ => json!({ "eventId": id, "name": "screen_view", "path": page }),
    }
}

/// The event of an image, as the rest of its query string.
fn pixel(id: &str, twist: Twist) -> String {
    let name = match twist {
        Twist::Torn | Twist::OneBad => "",
        _ => "&name=screen_view",
    };
    let first = if twist == Twist::Nobody { '?' } else { '&' };
    format!("{first}eventId={id}&path=https://localhost/{name}")
}
