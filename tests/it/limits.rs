//! The limits at their real numbers, with exact refusals and a clock that is moved by hand.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use pharos::{
    access::Scope,
    actors::keys::{CreateKey, KeyQuota},
    ids::OrganizationId,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App, NOW, until},
    people::browser::Browser,
};

/// One limited caller of one endpoint.
struct Limited<'a> {
    app: &'a App,
    url: String,
    key: Option<&'a str>,
}

impl Limited<'_> {
    async fn ask(&self) -> Answer {
        // A body that is refused later: it has counted all the same.
        let request = self.app.http.post(&self.url).body("[]");
        Answer::send(match self.key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        })
        .await
    }

    async fn admitted(&self, times: u32) {
        for time in 1..=times {
            let answer = self.ask().await;
            assert_ne!(
                answer.status, 429,
                "request {time} of {times} to {}: {}",
                self.url, answer.text
            );
        }
    }

    /// The five headers and the body of a 429; gives the body back.
    async fn refused(&self, limit: u32, reset: i64, seconds: i64) -> Value {
        let answer = self.ask().await;
        assert_eq!(answer.status, 429, "{}: {}", self.url, answer.text);
        for (name, value) in [
            ("retry-after", seconds.to_string()),
            ("x-ratelimit-limit", limit.to_string()),
            ("x-ratelimit-remaining", "0".to_owned()),
            ("x-ratelimit-reset", reset.to_string()),
        ] {
            assert_eq!(answer.header(name), value, "{name}");
        }
        let id = answer.header("x-request-id");
        assert!(!id.is_empty());
        for (name, value) in [
            ("success", json!(false)),
            ("error", json!("Rate limit exceeded")),
            ("code", json!("RATE_LIMITED")),
            ("requestId", json!(id)),
            ("limit", json!(limit)),
            ("remaining", json!(0)),
            ("reset", json!(reset)),
            ("retryAfter", json!(seconds)),
        ] {
            assert_eq!(answer.body[name], value, "{name}");
        }
        answer.body
    }

    /// Fills the window in two halves, 20 seconds apart, and sees it open in two halves again.
    async fn rolls(&self, limit: u32) -> Value {
        let clock = &self.app.clock;
        let begin = clock.now_ms();
        self.admitted(limit / 2).await;
        clock.advance(Duration::from_secs(20));
        self.admitted(limit - limit / 2).await;
        let body = self.refused(limit, begin + 60_000, 40).await;
        clock.advance(Duration::from_millis(39_001));
        self.refused(limit, begin + 60_000, 1).await;
        clock.advance(Duration::from_millis(999));
        self.admitted(limit / 2).await;
        self.refused(limit, begin + 80_000, 20).await;
        body
    }
}

fn fields(body: &Value) -> Vec<&str> {
    body.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

const FIELDS: [&str; 8] = [
    "success",
    "error",
    "code",
    "requestId",
    "limit",
    "remaining",
    "reset",
    "retryAfter",
];

#[actix::test]
async fn queries_120_with_a_key_and_60_without() {
    let app = App::spawn().await;
    let limited = |key| Limited {
        app: &app,
        url: app.query_url(),
        key,
    };
    let body = limited(Some(&app.key)).rolls(120).await;
    assert_eq!(fields(&body), FIELDS);
    // Still full for the key, and for no other caller.
    let body = limited(None).rolls(60).await;
    assert_eq!(fields(&body), FIELDS);
    app.finish().await;
}

#[actix::test]
async fn compilations_300_with_a_key_and_60_without_apart_from_queries() {
    let app = App::spawn().await;
    let url = format!("{}/v1/query/compile?website_id={}", app.base, app.website);
    let limited = |key| Limited {
        app: &app,
        url: url.clone(),
        key,
    };
    let body = limited(Some(&app.key)).rolls(300).await;
    assert_eq!(fields(&body), FIELDS);
    limited(None).rolls(60).await;
    let body = json!({ "parameters": ["country"], "preset": "today" });
    app.ask(&body).await;
    app.finish().await;
}

#[actix::test]
async fn events_600_per_key_and_600_per_website_and_address() {
    let app = App::spawn().await;
    let create = json!({ "name": "Shop", "domain": "shop.example" });
    let made = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    let limited = |key, website: &str| Limited {
        app: &app,
        url: format!("{}/track?website_id={website}", app.track),
        key,
    };
    let anonymous = limited(None, &app.website);
    anonymous.admitted(600).await;
    let body = anonymous.refused(600, NOW + 60_000, 60).await;
    for (field, value) in [
        ("status", json!("error")),
        ("message", json!("Rate limit exceeded")),
        ("retryable", json!(true)),
    ] {
        assert_eq!(body[field], value, "{field}");
    }
    limited(None, made.body["id"].as_str().unwrap())
        .admitted(1)
        .await;
    let with_key = limited(Some(&app.key), &app.website);
    with_key.admitted(600).await;
    with_key.refused(600, NOW + 60_000, 60).await;

    app.clock.advance(Duration::from_mins(1));
    let event = json!({ "name": "later", "websiteId": app.website });
    assert_eq!(
        app.send(&event).await.status,
        200,
        "the window has rolled on"
    );
    assert_eq!(
        app.rows("custom_events").await.len(),
        1,
        "what was refused is not stored"
    );
    app.finish().await;
}

#[actix::test]
async fn people_600_per_key_and_60_per_website_and_address_apart_from_events() {
    let app = App::spawn().await;
    let limited = |key| Limited {
        app: &app,
        url: format!("{}/identify?client_id={}", app.track, app.website),
        key,
    };
    let body = limited(None).rolls(60).await;
    assert_eq!(body["retryable"], true);
    limited(Some(&app.key)).rolls(600).await;
    let event = json!({ "name": "a" });
    let url = format!("{}/track?website_id={}", app.track, app.website);
    assert_eq!(app.post_anonymously(url, &event).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_keys_own_quota_counts_on_all_hosts_in_every_style() {
    let app = App::spawn().await;
    let key = app
        .make_key(CreateKey {
            organization: Some(OrganizationId::from(app.organization.as_str())),
            scopes: Scope::ALL.to_vec(),
            quota: KeyQuota {
                enabled: true,
                max: 4,
                window_seconds: 10,
            },
            ..CreateKey::named("few")
        })
        .await;
    let ask = async |url: String, body: &Value| {
        Answer::send(app.http.post(url).header("x-api-key", &key).json(body)).await
    };
    let query = json!({ "parameters": ["country"], "preset": "today" });
    let event = json!({ "name": "a", "websiteId": app.website });
    let routes = [
        (app.query_url(), query),
        (format!("{}/track", app.track), event),
        (format!("{}/websites/list", app.base), json!({})),
        (format!("{}/rpc/websites/list", app.base), json!({})),
    ];
    for (url, body) in &routes {
        assert_eq!(ask(url.clone(), body).await.status, 200, "{url}");
    }
    for (url, body) in &routes {
        let refused = ask(url.clone(), body).await;
        assert_eq!(refused.status, 429, "{url}: {}", refused.text);
        assert_eq!(refused.body["code"], "RATE_LIMITED", "{url}");
        for (name, value) in [
            ("retry-after", "10"),
            ("x-ratelimit-limit", "4"),
            ("x-ratelimit-remaining", "0"),
        ] {
            assert_eq!(refused.header(name), value, "{url} {name}");
        }
        assert_eq!(
            refused.header("x-ratelimit-reset"),
            (NOW + 10_000).to_string()
        );
        assert!(!refused.header("x-request-id").is_empty());
    }
    let enveloped = ask(routes[3].0.clone(), &json!({ "json": {} })).await;
    assert_eq!(enveloped.body["json"]["code"], "RATE_LIMITED");
    app.clock.advance(Duration::from_secs(10));
    assert_eq!(ask(routes[0].0.clone(), &routes[0].1).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_key_has_20_requests_in_flight_on_all_hosts_and_gets_its_slots_back() {
    let app = App::spawn().await;
    let body = format!(r#"{{"name":"slow","websiteId":"{}"}}"#, app.website);
    let address = app.track.trim_start_matches("http://");
    // Heads without their bodies: each holds a slot until the body has come.
    let knock = || {
        let mut stream = TcpStream::connect(address).unwrap();
        let (key, length) = (&app.key, body.len());
        let head = format!(
            "POST /track HTTP/1.1\r\nHost: x\r\nx-api-key: {key}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let mut slow: Vec<TcpStream> = (0..20).map(|_| knock()).collect();
    let url = format!("{}/v1/query/websites", app.base);
    until("all slots are taken", async || {
        // Requests that came while this query held the last slot were refused.
        for stream in slow.iter_mut().filter(|stream| is_answered(stream)) {
            *stream = knock();
        }
        app.get(url.clone()).await.status == 429
    })
    .await;
    let refused = app.get(url.clone()).await;
    assert_eq!(
        refused.body,
        json!({
            "success": false, "error": "Too many concurrent API key requests", "code": "RATE_LIMITED",
            "requestId": refused.header("x-request-id"), "limit": 20, "remaining": 0, "reset": NOW + 1_000,
            "retryAfter": 1,
        })
    );
    for (name, value) in [
        ("retry-after", "1"),
        ("x-ratelimit-limit", "20"),
        ("x-ratelimit-remaining", "0"),
    ] {
        assert_eq!(refused.header(name), value, "{name}");
    }
    assert_eq!(
        refused.header("x-ratelimit-reset"),
        (NOW + 1_000).to_string()
    );
    let other = app.key_with(&Scope::ALL).await;
    let free = app.http.get(&url).header("x-api-key", other);
    assert_eq!(
        Answer::send(free).await.status,
        200,
        "another key has slots of its own"
    );

    let finishing = tokio::task::spawn_blocking(move || {
        for mut stream in slow {
            stream.write_all(body.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        }
    });
    finishing.await.unwrap();
    until("the slots are back", async || {
        app.get(url.clone()).await.status == 200
    })
    .await;
    assert_eq!(app.rows("custom_events").await[0]["total_events"], 20);
    app.finish().await;
}

/// Threat T41: made-up client ids share one window, and known ones keep their own.
#[actix::test]
async fn made_up_client_ids_of_flags_share_one_window() {
    let app = App::with("limits.flags_requests = 20").await;
    let native = format!("{}/public/v1/flags", app.base);
    let bulk = async |client: &str| {
        let url = format!("{native}/bulk?clientId={client}");
        Answer::send(app.http.get(url)).await.status
    };
    for number in 0..20 {
        assert_eq!(bulk(&format!("made-up-{number}")).await, 200, "{number}");
    }
    assert_eq!(bulk("made-up-20").await, 429);
    assert_eq!(bulk(&"long".repeat(100)).await, 429);
    let evaluate = format!("{native}/evaluate?key=a&clientId=made-up-21");
    assert_eq!(Answer::send(app.http.get(evaluate)).await.status, 429);
    let ofrep = format!("{native}/made-up-22/ofrep/v1/evaluate/flags");
    let ofrep = app.http.post(ofrep).json(&json!({ "context": {} }));
    assert_eq!(Answer::send(ofrep).await.status, 429);

    for id in [&app.website, &app.organization] {
        for _ in 0..20 {
            assert_eq!(bulk(id).await, 200, "{id}");
        }
        assert_eq!(bulk(id).await, 429, "{id}");
    }
    app.finish().await;
}

/// Whether something came back, or the connection has ended.
pub fn is_answered(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let came = stream.peek(&mut [0]).is_ok();
    stream.set_nonblocking(false).unwrap();
    came
}

/// Threat T41: hundreds of made-up addresses are one sender; behind a trusted proxy each client is its own.
#[actix::test]
async fn made_up_addresses_share_a_window_and_clients_of_a_trusted_proxy_do_not() {
    const SPOOFED: [&str; 4] = [
        "x-forwarded-for",
        "forwarded",
        "cf-connecting-ip",
        "x-real-ip",
    ];
    let send = async |app: &App, headers: &[(&str, String)]| {
        let mut request = app
            .http
            .post(format!("{}/track?website_id={}", app.track, app.website))
            .json(&json!([]));
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        Answer::send(request).await.status
    };
    let app = App::with("limits.track_requests = 60").await;
    let mut statuses = Vec::new();
    for n in 0..250 {
        let address = format!("203.0.{}.{}", n % 3, n % 251);
        let headers = SPOOFED.map(|name| (name, address.clone()));
        statuses.push(send(&app, &headers).await);
    }
    let (admitted, refused) = statuses.split_at(60);
    assert!(admitted.iter().all(|status| *status == 200));
    assert!(refused.iter().all(|status| *status == 429), "{refused:?}");
    app.finish().await;

    let settings = "limits.track_requests = 2\nserver.trusted_proxies = [\"127.0.0.0/8\"]";
    let app = App::with(settings).await;
    let via = async |forwarded: &str| {
        let header = ("x-forwarded-for", forwarded.to_owned());
        send(&app, &[header]).await
    };
    for client in [
        "203.0.113.1",
        "203.0.113.2",
        "2001:db8:0:1::1",
        "2001:db8:0:2::1",
    ] {
        for expected in [200, 200, 429] {
            assert_eq!(via(client).await, expected, "{client}");
        }
        assert_eq!(
            via(&format!("198.51.100.77, {client}")).await,
            429,
            "what it made up before {client}"
        );
    }
    assert_eq!(
        via("2001:db8:0:1:ffff::9").await,
        429,
        "a /64 is one client"
    );
    assert_eq!(via("2001:db8:0:3::1").await, 200);
    app.finish().await;
}

#[actix::test]
async fn every_family_of_questions_has_a_window_of_its_own() {
    let app = App::with("limits.query_requests = 3\nlimits.query_requests_anonymous = 2").await;
    let share = format!("/share/{}", app.website);
    let families = [
        (Method::POST, "/v1/query"),
        (Method::POST, "/mcp"),
        (Method::POST, "/insights/capabilities"),
        (Method::POST, "/agent-chats/send"),
        (Method::GET, &share),
    ];
    for (key, limit) in [(Some(&app.key), 3), (None, 2)] {
        for (method, path) in &families {
            let ask = || {
                let request = app
                    .http
                    .request(method.clone(), format!("{}{path}", app.base));
                let request = request.body("[]");
                Answer::send(match key {
                    Some(key) => request.header("x-api-key", key),
                    None => request,
                })
            };
            for time in 0..limit {
                assert_ne!(ask().await.status, 429, "{path}, {time}");
            }
            let refused = ask().await;
            assert_eq!(refused.status, 429, "{path}: {}", refused.text);
            assert_eq!(
                refused.header("x-ratelimit-limit"),
                limit.to_string(),
                "{path}"
            );
        }
    }
    app.finish().await;
}

#[actix::test]
async fn the_console_counts_600_pages_a_minute_by_session_and_says_when_to_come_back() {
    let app = App::with("limits.query_requests = 2").await;
    let (first, second) = (Browser::owner(&app).await, Browser::owner(&app).await);
    let page = format!("/console/site/{}/nothing", app.website);
    for time in 0..600 {
        assert_ne!(first.get(&page).await.status, 429, "page {time}");
    }
    app.clock.advance(Duration::from_secs(20));
    let refused = first.get("/").await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert_eq!(refused.header("retry-after"), "40");
    assert!(
        refused.text.contains("Try again in 40 seconds."),
        "{}",
        refused.text
    );
    // The same person elsewhere, files, and what the API counts have nothing to do with it.
    assert_ne!(second.get(&page).await.status, 429);
    assert_ne!(first.get("/console/assets/nothing.css").await.status, 429);
    assert_ne!(first.get("/login").await.status, 429);
    app.clock.advance(Duration::from_secs(40));
    assert_ne!(first.get(&page).await.status, 429);
    app.finish().await;
}
