//! Hosts and their addresses.

use std::fs;

use reqwest::Method;
use rustix::process::Signal;
use serde_json::json;

use crate::{
    app::{Answer, App, until},
    people::browser::Browser,
    process::{Process, pharos, set_up, start},
};

#[actix::test]
async fn public_addresses_are_the_operators_wherever_one_is_written() {
    let settings = "server.base_url = 'https://api.example'\nserver.track_url = 'https://in.example'\n\
                    server.links_url = 'https://go.example'\nserver.docs_url = 'https://docs.example'";
    let app = App::with(settings).await;
    let document = app.get(format!("{}/openapi.json", app.base)).await;
    assert_eq!(
        document.body["servers"][0]["url"], "https://api.example",
        "{}",
        document.body["servers"]
    );
    assert!(
        document.text.contains("https://in.example"),
        "where events go"
    );
    let link = json!({ "name": "a", "slug": "spring", "targetUrl": "https://a.example/" });
    let link = app.post(format!("{}/links/create", app.base), &link).await;
    assert!(
        link.text.contains("https://go.example/spring"),
        "{}",
        link.text
    );
    let guide = app.get(format!("{}/llms.txt", app.base)).await;
    assert!(
        guide.text.contains("https://docs.example"),
        "{}",
        guide.text
    );
    for answer in [&document, &link, &guide] {
        let own = app.base.trim_start_matches("http://");
        assert!(!answer.text.contains(own), "{}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn further_origins_of_the_operator_act_with_cookies_and_others_do_not() {
    let app = App::with("server.allowed_origins = ['https://console.example']").await;
    let cookie = Browser::owner(&app).await.cookie();
    let act = async |origin: &str| {
        let request = app.http.post(format!("{}/websites/list", app.base));
        let request = request.header("cookie", &cookie).header("origin", origin);
        Answer::send(request.json(&json!({}))).await
    };
    let allowed = act("https://console.example").await;
    assert_eq!(allowed.status, 200, "{}", allowed.text);
    assert_eq!(
        allowed.header("access-control-allow-origin"),
        "https://console.example"
    );
    assert_eq!(allowed.header("access-control-allow-credentials"), "true");
    let foreign = act("https://other.example").await;
    assert_eq!(foreign.status, 403, "{}", foreign.text);
    assert_eq!(foreign.header("access-control-allow-credentials"), "");
    app.finish().await;
}

#[actix::test]
async fn every_door_of_every_host_is_where_it_was_promised() {
    let app = App::with("egress.allow = ['127.0.0.0/8']").await;
    let answer = async |method: Method, url: String| {
        let request = app
            .http
            .request(method, url)
            .header("content-type", "application/json");
        Answer::send(request.header("accept", "*/*").body("{}")).await
    };
    let own = |path: &str| format!("{}{path}", app.base);
    for path in [
        "/health",
        "/health/ready",
        "/openapi.json",
        "/docs",
        "/llms.txt",
        "/.well-known/oauth-protected-resource",
    ] {
        let found = answer(Method::GET, own(path)).await;
        assert_eq!(found.status, 200, "{path}: {}", found.text);
        assert!(!found.header("x-request-id").is_empty(), "{path}");
    }
    assert_eq!(
        answer(Method::GET, own("/metrics")).await.status,
        200,
        "from this machine"
    );
    let forwarded = app
        .http
        .get(own("/metrics"))
        .header("x-forwarded-for", "198.51.100.7");
    assert_eq!(
        Answer::send(forwarded).await.status,
        401,
        "not for whom a proxy lets in"
    );
    let port = app.base.rsplit(':').next().unwrap();
    for (host, expected) in [
        ("localhost", 200),
        ("LOCALHOST:", 200),
        ("127.0.0.1:", 200),
        ("[::1]:", 200),
        ("[::1]", 200),
        ("rebound.example:", 401),
        ("rebound.example", 401),
        ("localhost.rebound.example:", 401),
        ("198.51.100.7:", 401),
    ] {
        let port = if host.ends_with(':') { port } else { "" };
        let asked = app
            .http
            .get(own("/metrics"))
            .header("host", format!("{host}{port}"));
        let found = Answer::send(asked).await;
        assert_eq!(found.status, expected, "{host}: {}", found.text);
    }
    // What is there but not for a stranger, or not as a bare request, says something else than 404.
    for (method, path) in [
        ("POST", "/v1/query"),
        ("POST", "/v1/query/compile"),
        ("GET", "/v1/query/types"),
        ("GET", "/v1/query/websites"),
        ("POST", "/v1/mcp"),
        ("GET", "/public/v1/flags/bulk"),
        ("POST", "/ofrep/v1/evaluate/flags"),
        ("POST", "/api/auth/sign-in/email"),
        ("POST", "/websites/list"),
        ("POST", "/rpc/websites/list"),
        ("GET", "/login"),
        ("GET", "/"),
    ] {
        let found = answer(method.parse().unwrap(), own(path)).await;
        assert!(
            ![404, 405, 500, 503].contains(&found.status),
            "{method} {path}: {} {}",
            found.status,
            found.text
        );
    }
    let listed = app
        .post(own("/rpc/websites/list"), &json!({ "json": {} }))
        .await;
    assert!(listed.body["json"].is_array(), "{}", listed.text);
    let plain = app.post(own("/rpc/websites/list"), &json!({})).await;
    assert!(plain.body.is_array(), "{}", plain.text);
    for path in ["/health", "/pharos.js", "/databuddy.js"] {
        let found = answer(Method::GET, format!("{}{path}", app.track)).await;
        assert_eq!(found.status, 200, "{path}");
    }
    let healthy = answer(Method::GET, format!("{}/health", app.links)).await;
    assert_eq!(
        (healthy.status, &healthy.body),
        (200, &json!({ "status": "ok" }))
    );
    app.finish().await;
}

#[actix::test]
async fn links_redirect_heartbeats_beat_and_codes_are_drawn_where_it_was_promised() {
    let app = App::spawn().await;
    let http = crate::web::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let link = json!({ "name": "a", "slug": "spring", "targetUrl": "https://a.example/page" });
    let link = app
        .post(format!("{}/links/create", app.base), &link)
        .await
        .body;
    let led = Answer::send(http.get(format!("{}/spring", app.links))).await;
    assert!((300..400).contains(&led.status), "{}", led.status);
    assert!(
        led.header("location").starts_with("https://a.example/page"),
        "{}",
        led.header("location")
    );
    for kind in ["svg", "png"] {
        let url = format!(
            "{}/links/{}/qr.{kind}",
            app.base,
            link["id"].as_str().unwrap()
        );
        assert_eq!(app.get(url.clone()).await.status, 200, "{url}");
        assert_eq!(
            Answer::send(http.get(url)).await.status,
            401,
            "for who may read links"
        );
    }
    let beat = json!({ "kind": "push", "name": "job", "granularity": "hour" });
    let made = app
        .post(format!("{}/uptime/createSchedule", app.base), &beat)
        .await
        .body;
    let push = made["pushUrl"].as_str().unwrap().to_owned();
    let path = &push[push.find("/push/").unwrap()..];
    for more in ["/start", "/fail", ""] {
        let found = Answer::send(http.get(format!("{}{path}{more}", app.base))).await;
        assert_eq!(found.status, 200, "{more}: {}", found.text);
    }
    app.finish().await;
}

/// How many strangers are let in before one is refused.
async fn strangers(process: &Process) -> usize {
    for count in 0..100 {
        let request = crate::web::client().post(format!("{}/v1/query", process.base));
        if Answer::send(request.json(&json!({}))).await.status == 429 {
            return count;
        }
    }
    100
}

#[actix::test]
async fn the_environment_counts_more_than_the_file() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    // Without `--config` the usual file beside the program counts.
    fs::create_dir(data.path().join("config")).unwrap();
    fs::write(
        data.path().join("config/pharos.toml"),
        "[limits]\nquery_requests_anonymous = 3\n",
    )
    .unwrap();
    for (said, expected) in [(None, 3), (Some("2"), 2)] {
        let mut command = pharos(data.path());
        if let Some(said) = said {
            command.env("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", said);
        }
        let process = start(command).await;
        assert_eq!(strangers(&process).await, expected);
        process.stop();
    }
}

#[actix::test]
async fn plans_egress_and_what_is_logged_follow_the_file() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let file = data.path().join("mine.toml");
    fs::write(&file, "").unwrap();
    let mut command = pharos(data.path());
    command.arg("serve").arg("--config").arg(&file);
    let process = start(command).await;
    let post = async |path: &str, body: serde_json::Value| {
        let request = crate::web::client().post(format!("{}{path}", process.base));
        Answer::send(request.header("x-api-key", &made.key).json(&body)).await
    };
    let monitor =
        |port: u16| json!({ "url": format!("http://127.0.0.1:{port}/"), "granularity": "day" });
    assert_eq!(
        post("/uptime/createSchedule", monitor(8991)).await.status,
        400
    );
    let edit = "egress.allow = [\"127.0.0.0/8\"]\nlog.level = \"debug\"\nplans.enabled = true\nplans.free.links = 1\n";
    fs::write(&file, edit).unwrap();
    process.signal(Signal::HUP);
    until("what may be reached follows", async || {
        post("/uptime/createSchedule", monitor(8992)).await.status == 200
    })
    .await;
    let link =
        |slug: &str| json!({ "name": slug, "slug": slug, "targetUrl": "https://a.example/" });
    assert_eq!(post("/links/create", link("one")).await.status, 200);
    assert_eq!(
        post("/links/create", link("two")).await.status,
        402,
        "the plan holds"
    );
    until("more is logged", async || {
        process.count_log_lines("\"level\":\"DEBUG\"") > 0
    })
    .await;
    process.stop();
}

#[actix::test]
async fn a_listener_has_as_many_workers_as_is_said() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let workers = async |count: &str| {
        let mut command = pharos(data.path());
        command.arg("serve").env("PHAROS__SERVER__WORKERS", count);
        let process = start(command).await;
        // Workers are there once every listener answers.
        for host in [&process.base, &process.track, &process.links] {
            let health = Answer::send(crate::web::client().get(format!("{host}/health"))).await;
            assert_eq!(health.status, 200);
        }
        let names = tasks(&process);
        process.stop();
        names
    };
    let (one, three) = (workers("1").await, workers("3").await);
    assert_eq!(three, one + 3 * 2, "three listeners");
}

/// Threads of the HTTP server.
fn tasks(process: &Process) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.child.id())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    names
        .filter(|name| name.contains("actix") || name.contains("worker"))
        .count()
}

#[actix::test]
async fn where_a_cdn_says_the_visitor_is_counts_from_trusted_proxies() {
    for (trusted, country) in [("['127.0.0.0/8']", "NZ"), ("[]", "")] {
        let app = App::with(&format!(
            "server.trusted_proxies = {trusted}\ngeo.country_header = 'X-Land'\ngeo.region_header = 'X-Teil'\n\
             geo.city_header = 'X-Stadt'"
        ))
        .await;
        let page = json!({ "eventId": "1", "name": "screen_view", "path": "https://localhost/" });
        let request = app
            .http
            .post(format!("{}/?client_id={}", app.track, app.website))
            .json(&page);
        let request = request
            .header("x-land", "NZ")
            .header("x-teil", "Otago")
            .header("x-stadt", "Dunedin");
        assert_eq!(
            Answer::send(request.header("x-forwarded-for", "203.0.113.9"))
                .await
                .status,
            200
        );
        let first = async |kind: &str, field: &str| {
            let rows = app.rows(kind).await;
            rows.first().map_or_else(String::new, |row| {
                row[field].as_str().unwrap_or_default().to_owned()
            })
        };
        assert_eq!(first("country", "country_code").await, country);
        let city = first("city", "city").await;
        assert_eq!(city == "Dunedin", !country.is_empty(), "{city}");
        let region = first("region", "region").await;
        assert_eq!(region.contains("Otago"), !country.is_empty(), "{region}");
        app.finish().await;
    }
}

#[actix::test]
async fn without_mail_a_mail_destination_is_refused_with_the_reason() {
    let app = App::spawn().await;
    let alarm = json!({
        "name": "a", "organizationId": app.organization, "triggerType": "uptime", "triggerConditions": {},
        "destinations": [{ "type": "email", "identifier": "oncall@example.com" }],
    });
    let refused = app
        .post(format!("{}/alarms/create", app.base), &alarm)
        .await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("mail.smtp_url"), "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn public_documents_have_a_strong_tag_and_are_sent_once() {
    let app = App::spawn().await;
    for path in [
        "/openapi.json",
        "/docs",
        "/llms.txt",
        "/.well-known/oauth-protected-resource",
        "/.well-known/api-catalog",
        "/.well-known/mcp",
        "/.well-known/mcp.json",
        "/.well-known/agent.json",
    ] {
        let url = format!("{}{path}", app.base);
        let ask = async |encoding: &str, known: &str| {
            let request = app.http.get(&url).header("accept-encoding", encoding);
            request.header("if-none-match", known).send().await.unwrap()
        };
        let mut tags = Vec::new();
        let mut texts = Vec::new();
        for encoding in ["identity", "gzip"] {
            let whole = ask(encoding, "").await;
            assert_eq!(whole.status(), 200, "{path}");
            let tag = whole.headers()["etag"].to_str().unwrap().to_owned();
            assert!(tag.starts_with('"') && tag.len() > 2, "{path}: {tag}");
            assert_eq!(whole.headers()["vary"], "accept-encoding", "{path}");
            let packed = whole.headers().get("content-encoding");
            assert_eq!(packed.is_some(), encoding == "gzip", "{path}");
            let media = whole.headers()["content-type"].clone();
            let bytes = whole.bytes().await.unwrap();
            texts.push(match encoding {
                "gzip" => pharos::http::track::unpack(&bytes, 1 << 24).unwrap(),
                _ => bytes,
            });
            let known = ask(encoding, &tag).await;
            assert_eq!(known.status(), 304, "{path}");
            assert_eq!(known.headers()["etag"], tag.as_str(), "{path}");
            assert_eq!(known.bytes().await.unwrap().len(), 0, "{path}");
            assert!(!media.is_empty(), "{path}");
            tags.push(tag);
        }
        assert_ne!(tags[0], tags[1], "{path}");
        assert_eq!(texts[0], texts[1], "{path}");
    }
    app.finish().await;
}
