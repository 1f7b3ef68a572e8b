//! Every limit is a setting.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    limits::is_answered,
    people::browser::Browser,
};

/// How many of ten requests are let in.
async fn admitted(app: &App, (method, url, key): (&str, &str, bool), body: &Value) -> usize {
    let mut count = 0;
    for _ in 0..10 {
        let method = method.parse().unwrap();
        let mut request = app.http.request(method, url).json(body);
        if key {
            request = request.header("x-api-key", &app.key);
        }
        let answer = Answer::send(request).await;
        assert_ne!(answer.status, 503, "{url}: {}", answer.text);
        count += usize::from(answer.status != 429);
    }
    count
}

/// Where the last request of a connection says that it is the last.
const LAST: &str = "LAST";

/// A request as bytes, for as many of them in a connection as fit into its buffers.
fn request_bytes(
    app: &App,
    (method, url, key): (&str, &str, bool),
    body: &Value,
) -> (String, String) {
    let rest = url.trim_start_matches("http://");
    let (address, path) = rest.split_at(rest.find('/').unwrap());
    let key = if key {
        format!("x-api-key: {}\r\n", app.key)
    } else {
        String::new()
    };
    let body = match method {
        "GET" => String::new(),
        _ => body.to_string(),
    };
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{key}Content-Type: application/json\r\nContent-Length: {length}\r\n{LAST}\r\n{body}"
    );
    (address.to_owned(), request)
}

/// The statuses of so many requests, without a client that looks at every answer: thousands take seconds.
fn statuses(address: &str, request: &str, count: usize) -> Vec<u16> {
    const AT_ONCE: usize = 100;
    let mut statuses = Vec::new();
    while statuses.len() < count {
        let now = AT_ONCE.min(count - statuses.len());
        let mut stream = TcpStream::connect(address).unwrap();
        let mut text = request.replacen(LAST, "", 1).repeat(now - 1);
        text += &request.replacen(LAST, "Connection: close\r\n", 1);
        stream.write_all(text.as_bytes()).unwrap();
        let mut answers = Vec::new();
        stream.read_to_end(&mut answers).unwrap();
        let answers = String::from_utf8_lossy(&answers);
        let came = answers.split("HTTP/1.1 ").skip(1);
        let came: Vec<u16> = came.map(|one| one[..3].parse().unwrap()).collect();
        assert_eq!(came.len(), now, "{answers}");
        statuses.extend(came);
    }
    statuses
}

#[actix::test]
async fn every_window_takes_as_many_as_is_said_and_all_when_0_is_said() {
    let settings = |most: [u32; 7]| {
        let [track, mcp, query, stranger, compile, compiling, flags] = most;
        format!(
            "[limits]\ntrack_requests = {track}\nmcp_requests = {mcp}\nquery_requests = {query}\n\
             query_requests_anonymous = {stranger}\ncompile_requests = {compile}\n\
             compile_requests_anonymous = {compiling}\nflags_requests = {flags}\n"
        )
    };
    // What the windows take when nothing is said: without an end they take one more.
    let usual = [600, 6_000, 120, 60, 300, 60, 600];
    for most in [[1, 2, 3, 4, 5, 6, 7], [0; 7]] {
        let app = App::with(&settings(most)).await;
        let (query, compile) = (app.query_url(), format!("{}/v1/query/compile", app.base));
        let event = json!({ "name": "e", "websiteId": app.website });
        let ask = json!({ "parameters": ["country"], "preset": "today" });
        let doors = [
            ("POST", format!("{}/track", app.track), true, &event),
            ("POST", format!("{}/mcp", app.track), true, &event),
            ("POST", query.clone(), true, &ask),
            ("POST", query, false, &ask),
            ("POST", compile.clone(), true, &ask),
            ("POST", compile, false, &ask),
            (
                "GET",
                format!(
                    "{}/public/v1/flags/bulk?clientId={}&userId=u",
                    app.base, app.website
                ),
                false,
                &Value::Null,
            ),
        ];
        for (((method, url, key, body), most), usual) in doors.iter().zip(most).zip(usual) {
            if most > 0 {
                let admitted = admitted(&app, (method, url, *key), body).await;
                assert_eq!(admitted, most as usize, "{url}");
                continue;
            }
            let (address, request) = request_bytes(&app, (method, url, *key), body);
            let asking =
                tokio::task::spawn_blocking(move || statuses(&address, &request, usual + 1));
            let odd = |status: &u16| [429, 503].contains(status);
            assert_eq!(
                asking.await.unwrap().iter().find(|one| odd(one)),
                None,
                "{url}"
            );
        }
        app.finish().await;
    }
}

#[actix::test]
async fn a_keys_usual_quota_and_its_running_requests_are_the_operators_choice() {
    let app = App::with("limits.key_requests = 4\nlimits.key_in_flight = 1").await;
    let key = json!({ "name": "few", "organizationId": app.organization, "scopes": ["read:data"], "rateLimit": { "enabled": true } });
    let owner = Browser::owner(&app).await;
    let made = owner.post("/apikeys/create", &key).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let secret = made.body["secret"].as_str().unwrap();
    let list = async || {
        let request = app.http.get(format!("{}/v1/query/websites", app.base));
        Answer::send(request.header("x-api-key", secret))
            .await
            .status
    };
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(list().await);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 429]);

    // The first request holds the only place until its body has come.
    let body = json!({ "name": "slow", "websiteId": app.website }).to_string();
    let (own, length) = (&app.key, body.len());
    let head = format!(
        "POST /track HTTP/1.1\r\nHost: x\r\nx-api-key: {own}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let begin = || {
        let mut slow = TcpStream::connect(app.track.trim_start_matches("http://")).unwrap();
        slow.write_all(head.as_bytes()).unwrap();
        slow
    };
    let mut slow = begin();
    let url = format!("{}/v1/query/websites", app.base);
    until("the place is taken", async || {
        // Where a look had the only place when it came, it was refused, and comes again.
        if is_answered(&slow) {
            slow = begin();
        }
        app.get(url.clone()).await.status == 429
    })
    .await;
    let refused = app.get(url.clone()).await;
    assert_eq!(refused.header("x-ratelimit-limit"), "1");
    let answered = tokio::task::spawn_blocking(move || {
        slow.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        slow.read_to_string(&mut answer).unwrap();
        answer
    });
    let answered = answered.await.unwrap();
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    until("the place is free", async || {
        app.get(url.clone()).await.status == 200
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn bodies_are_as_large_as_the_operator_allows() {
    let app = App::with("limits.body_bytes = 1000").await;
    let event = |length: usize| {
        let without = json!({ "name": "e", "websiteId": app.website, "properties": { "p": "" } });
        let rest = length - without.to_string().len();
        json!({ "name": "e", "websiteId": app.website, "properties": { "p": "x".repeat(rest) } })
    };
    assert_eq!(app.send(&event(1000)).await.status, 200);
    let refused = app.send(&event(1001)).await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (413, &json!("PAYLOAD_TOO_LARGE")),
        "{}",
        refused.text
    );
    app.finish().await;
}

#[actix::test]
async fn who_tries_keys_that_nobody_has_is_stopped_where_the_operator_says() {
    let app = App::with("limits.key_failures = 3").await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let request = app.http.post(format!("{}/websites/list", app.base)).header(
            "x-api-key",
            "svc_000000000000000000000000000000000000000000000000",
        );
        statuses.push(Answer::send(request.json(&json!({}))).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 429]);
    app.finish().await;
}
