//! The real program at the loudest log level, called from marked addresses by every route; then its files are searched.

use std::{
    net::{IpAddr, SocketAddr},
    path::Path,
};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt as _, net::TcpSocket};

use super::{MARKED_PEER, MARKED_V4, MARKED_V6, forms, holding, holds};
use crate::{
    app::Answer,
    process::{Credentials, Process, pharos, set_up, start},
};

/// Headers and a body.
type Call<'a> = (&'a [(&'a str, &'a str)], &'a [u8]);

const BOT: &str = "Googlebot/2.1 (+http://www.google.com/bot.html)";

/// A client with a marked address.
struct Visitor {
    http: reqwest::Client,
    headers: Vec<(&'static str, String)>,
}

impl Visitor {
    /// By the socket alone.
    fn direct() -> Self {
        let peer: IpAddr = MARKED_PEER.parse().unwrap();
        Self {
            http: crate::web::builder()
                .redirect(reqwest::redirect::Policy::none())
                .local_address(peer)
                .build()
                .unwrap(),
            headers: Vec::new(),
        }
    }

    /// By what a proxy writes, in every header that proxies are known to write.
    fn behind_proxy(address: &str) -> Self {
        let bracketed = match address.parse().unwrap() {
            IpAddr::V4(_) => address.to_owned(),
            IpAddr::V6(_) => format!("\"[{address}]\""),
        };
        Self {
            headers: vec![
                ("x-forwarded-for", address.to_owned()),
                ("x-real-ip", address.to_owned()),
                ("cf-connecting-ip", address.to_owned()),
                ("true-client-ip", address.to_owned()),
                ("forwarded", format!("for={bracketed};proto=https")),
            ],
            ..Self::direct()
        }
    }

    /// By a header that is not what it should be.
    fn garbled(address: &str) -> Self {
        Self {
            headers: vec![(
                "x-forwarded-for",
                format!("nonsense, {address}:http, {address}, -"),
            )],
            ..Self::direct()
        }
    }

    async fn call(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Answer {
        let mut request = self.http.request(method, url).body(body);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::send(request).await
    }

    async fn post(&self, url: &str, headers: &[(&str, &str)], body: &Value) -> u16 {
        let body = body.to_string().into_bytes();
        self.call(Method::POST, url, headers, body).await.status
    }
}

/// What is sent to the tracking host and taken.
fn accepted_requests(website: &str) -> Vec<(String, Value)> {
    let page = |id: &str| json!({ "eventId": id, "name": "screen_view", "path": "https://localhost/marked-page", "anonymousId": "anon_marked" });
    let id = uuid::Uuid::new_v4().to_string();
    vec![
        (format!("/?client_id={website}"), page(&id)),
        (
            format!("/batch?client_id={website}"),
            json!([page(&format!("{id}-b"))]),
        ),
        (
            format!("/track?website_id={website}"),
            json!({ "name": "marked" }),
        ),
        (
            format!("/identify?client_id={website}"),
            json!({ "profileId": "marked", "anonymousId": "anon_marked", "traits": { "email": "marked@example.com" } }),
        ),
        (format!("/errors?client_id={website}"), json!([])),
        (format!("/vitals?client_id={website}"), json!([])),
    ]
}

/// Follows short links: an open one, one with a password, an unknown one.
async fn follow(visitor: &Visitor, process: &Process) {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let mut statuses = Vec::new();
    for (method, path, body) in [
        (Method::GET, "open", ""),
        (Method::HEAD, "open", ""),
        (Method::GET, "vault", ""),
        (Method::POST, "vault", "password=wrong"),
        (Method::POST, "vault", "password=open+sesame"),
        (Method::GET, "nothing", ""),
    ] {
        let url = format!("{}/{path}", process.links);
        let answer = visitor.call(method, &url, &form, body.into()).await;
        statuses.push(answer.status);
    }
    assert_eq!(statuses, [302, 302, 403, 403, 303, 404]);
}

/// Every documented operation at both hosts, with and without a key, with nothing sensible in its body. The visitors take turns,
/// each at another position for each operation: every operation is called by all of them.
async fn everything(visitors: &[Visitor], process: &Process, key: &str) {
    let documented = visitors[0]
        .call(
            Method::GET,
            &format!("{}/openapi.json", process.base),
            &[],
            Vec::new(),
        )
        .await;
    let paths = documented.body["paths"].as_object().unwrap();
    assert!(paths.len() > 20, "{}", paths.len());
    // A stream has no end to wait for.
    let paths = paths.iter().filter(|(path, _)| !path.ends_with("/stream"));
    let mut turns = visitors.iter().cycle();
    for (path, item) in paths {
        for method in item
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| *name != "servers")
        {
            let method: Method = method.to_uppercase().parse().unwrap();
            for host in [&process.base, &process.track] {
                let url = format!("{host}{path}");
                let calls: [Call<'_>; 4] = [
                    (&[], b"{}"),
                    (&[("x-api-key", key)], b"{}"),
                    (&[("x-api-key", "svc_wrong")], b"{}"),
                    (&[], b"\xff["),
                ];
                for (headers, body) in calls {
                    let visitor = turns.next().unwrap();
                    visitor
                        .call(method.clone(), &url, headers, body.to_vec())
                        .await;
                }
            }
        }
    }
}

/// Refusals by every rule of ingestion that looks at more than the body.
async fn refusals(visitor: &Visitor, process: &Process, made: &Credentials, closed: &str) {
    let event = json!({ "name": "refused" });
    let url =
        |path: &str, id: &str| format!("{}{path}?website_id={id}&client_id={id}", process.track);
    let own = url("/track", &made.website);
    let statuses = [
        visitor
            .post(&own, &[("origin", "https://evil.example")], &event)
            .await,
        visitor.post(&url("/track", closed), &[], &event).await,
        visitor.post(&url("/track", "nobody"), &[], &event).await,
        visitor
            .post(&own, &[("content-encoding", "gzip")], &event)
            .await,
        visitor.post(&own, &[("user-agent", BOT)], &event).await,
        visitor.post(&own, &[("sec-gpc", "1")], &event).await,
    ];
    assert_eq!(statuses, [403, 403, 404, 400, 200, 200]);
    let large = visitor
        .call(Method::POST, &own, &[], vec![b' '; 2_097_153])
        .await;
    assert_eq!(large.status, 413);
    let mut limited = 0;
    let person = json!({ "profileId": "marked" });
    for _ in 0..61 {
        let status = visitor
            .post(&url("/identify", &made.website), &[], &person)
            .await;
        limited += usize::from(status == 429);
    }
    assert!(limited > 0);
    let sign_in = format!("{}/api/auth/sign-in/email", process.base);
    let wrong = json!({ "email": "admin@localhost", "password": "wrong" });
    for _ in 0..12 {
        assert_ne!(visitor.post(&sign_in, &[], &wrong).await, 200);
    }
}

/// What no HTTP library would send.
async fn raw(process: &Process) {
    let heads: [&[u8]; 5] = [
        b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 145.97.219.46\r\nbad header\r\n\r\n",
        b"POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"",
    ];
    for host in [&process.base, &process.track, &process.links] {
        let address: SocketAddr = host.trim_start_matches("http://").parse().unwrap();
        for head in heads {
            let socket = TcpSocket::new_v4().unwrap();
            socket
                .bind(format!("{MARKED_PEER}:0").parse().unwrap())
                .unwrap();
            let mut stream = socket.connect(address).await.unwrap();
            stream.write_all(head).await.unwrap();
        }
    }
}

/// Searches files and log for every marked address.
fn is_nowhere(directory: &Path, log: &[String], trusted: &str) {
    assert!(
        log.len() > 100 && log.iter().any(|line| line.contains("\"TRACE\"")),
        "{}",
        log.len()
    );
    let log = log.join("\n").to_ascii_lowercase();
    let kept = [b"marked-page".to_vec()];
    assert!(
        !holding(directory, &kept).is_empty(),
        "what is kept is found"
    );
    for address in [MARKED_V4, MARKED_V6, MARKED_PEER] {
        let forms = forms(address);
        let found = holding(directory, &forms);
        assert!(found.is_empty(), "{address} with {trusted:?}: {found:?}");
        for form in forms {
            let line = log.lines().find(|line| holds(line.as_bytes(), &form));
            assert_eq!(line, None, "{address} with {trusted:?}");
        }
    }
}

async fn leaves_no_address(trusted: &str) -> Vec<Value> {
    let directory = tempfile::tempdir().unwrap();
    let made = set_up(directory.path());
    let mut command = pharos(directory.path());
    command
        .env("PHAROS__LOG__LEVEL", "trace")
        .env("PHAROS__SERVER__TRUSTED_PROXIES", trusted);
    let process = start(command).await;
    let admin = crate::web::client();
    let ask = async |path: &str, body: Value| {
        let request = admin.post(format!("{}{path}", process.base));
        let answer = Answer::send(request.header("x-api-key", &made.key).json(&body)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.body
    };
    let closed = ask(
        "/websites/create",
        json!({ "name": "Closed", "domain": "closed.example" }),
    )
    .await;
    let closed = closed["id"].as_str().unwrap().to_owned();
    let rule = json!({ "id": closed, "settings": { "allowedIps": ["192.0.2.1"] } });
    ask("/websites/updateSettings", rule).await;

    let target = "https://localhost/";
    for link in [
        json!({ "name": "open", "slug": "open", "targetUrl": target }),
        json!({ "name": "vault", "slug": "vault", "targetUrl": target, "password": "open sesame" }),
    ] {
        ask("/links/create", link).await;
    }
    let visitors = [
        Visitor::direct(),
        Visitor::behind_proxy(MARKED_V4),
        Visitor::behind_proxy(MARKED_V6),
        Visitor::garbled(MARKED_V4),
    ];
    for visitor in &visitors {
        for (path, body) in accepted_requests(&made.website) {
            let status = visitor
                .post(&format!("{}{path}", process.track), &[], &body)
                .await;
            assert_eq!(status, 200, "{path}");
        }
    }
    for visitor in &visitors {
        follow(visitor, &process).await;
    }
    // Some have the same address, and use up its limits.
    for visitor in &visitors {
        refusals(visitor, &process, &made, &closed).await;
    }
    everything(&visitors[..3], &process, &made.key).await;
    raw(&process).await;
    let countries = json!({ "parameters": ["country"], "preset": "today" });
    let query = format!("/v1/query?website_id={}", made.website);
    let countries = ask(&query, countries).await["data"][0]["data"].clone();

    is_nowhere(directory.path(), &process.stop(), trusted);
    countries.as_array().unwrap().clone()
}

#[actix::test]
async fn no_address_is_in_any_file_or_log_where_proxies_are_trusted() {
    let countries = leaves_no_address("127.0.0.0/8").await;
    let dutch = countries.iter().any(|row| row["country_code"] == "NL");
    assert!(dutch, "the addresses were read: {countries:?}");
}

#[actix::test]
async fn no_address_is_in_any_file_or_log_where_nobody_is_trusted() {
    let countries = leaves_no_address("").await;
    assert!(countries.iter().all(|row| row["country_code"].is_null()));
}
