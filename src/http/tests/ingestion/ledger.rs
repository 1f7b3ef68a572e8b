//! Everything that was sent is stored or counted, under its tenant and reason.

use super::*;
use crate::{
    actors::websites::{SettingsChange, UpdateSettings},
    fault::Fault,
};

const BOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

impl TestApp {
    /// `(website or 0, reason, origin or "", number)` of everything that concerns the organization, or none.
    async fn read_balance(&self, organization: i64) -> Vec<(bool, String, String, i64)> {
        self.shared.events.settle().await;
        let statement = Statement {
            spilling: None,
            text: "SELECT website = 0 AS nobodys, name, coalesce(host, '') AS host, \
                   CAST(sum(value) AS BIGINT) AS n FROM {received} WHERE kind = 100 \
                   GROUP BY nobodys, name, host ORDER BY nobodys, name, host"
                .into(),
            binds: Vec::new(),
            scope: Rows {
                organization,
                website: None,
                from: 0,
                to: i64::MAX,
            },
        };
        let rows = self.shared.events.query(statement).await.unwrap().rows;
        let read = |row: &Vec<Cell>| match row.as_slice() {
            [
                Cell::Bool(nobodys),
                Cell::Text(name),
                Cell::Text(host),
                Cell::Int(n),
            ] => (!nobodys, name.clone(), host.clone(), *n),
            other => panic!("{other:?}"),
        };
        rows.iter().map(read).collect()
    }

    fn organization_key(&self) -> i64 {
        let view = self.shared.organizations.view();
        view.tenant(self.organization().as_str()).unwrap().key.0
    }

    /// What concerns the website: reason, origin, number.
    async fn balance(&self) -> Vec<(String, String, i64)> {
        let all = self.read_balance(self.organization_key()).await;
        let own = all.into_iter().filter(|(of_website, ..)| *of_website);
        own.map(|(_, name, host, n)| (name, host, n)).collect()
    }

    async fn set(&self, change: SettingsChange) {
        let message = UpdateSettings {
            id: self.website(),
            change,
        };
        self.shared
            .websites
            .ask(message)
            .await
            .map_err(Fault::from)
            .unwrap();
    }
}

fn as_rows(expected: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    let own = |(reason, host, n): &(&str, &str, i64)| ((*reason).into(), (*host).into(), *n);
    expected.iter().map(own).collect()
}

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

#[actix::test]
async fn refusals_count_for_the_website_that_the_request_names() {
    let app = TestApp::open().await;
    let track = app.path("/track?website_id=ID");
    let evil = ("origin", "https://Evil.example:8443");
    for (path, headers, body) in [
        (&*track, &[evil][..], json!([{"name": "a"}, {"name": "b"}])),
        ("/?client_id=ID", &[evil], page("1")),
        (
            "/track?website_id=ID",
            &[],
            json!([{"name": "a"}, {"name": ""}, {}]),
        ),
        ("/vitals?client_id=ID", &[], json!([{"path": 7}])),
        ("/errors?client_id=ID", &[], json!("nonsense")),
        (
            "/errors?client_id=ID",
            &[("content-encoding", "br")],
            json!([]),
        ),
        (
            "/track?website_id=ID",
            &[("x-api-key", "svc_nonsense")],
            json!({"name": "a"}),
        ),
        (
            "/track",
            &[],
            json!({"name": "a", "websiteId": app.website().as_str(), "properties": {"k": "x".repeat(40_000)}}),
        ),
    ] {
        let answer = app.track(&app.path(path), headers, &body).await;
        assert!(answer.status.is_client_error(), "{path}");
    }
    let expected = [
        ("invalid_body", "", 3 + 1 + 1),
        ("invalid_key", "", 1),
        ("origin_not_authorized", "https://evil.example:8443", 2),
        ("too_large", "", 1),
        ("unsupported_encoding", "", 1),
    ];
    assert_eq!(app.balance().await, as_rows(&expected));
    assert!(app.read_balance(0).await.is_empty());
    assert!(app.stored("name").await.is_empty());
    app.close().await;
}

#[actix::test]
async fn what_concerns_no_known_website_is_the_organizations_or_nobodys() {
    let app = TestApp::open().await;
    let (key, reader) = (app.key(), app.key_with(&[Scope::ReadData]).await);
    let event = json!({"name": "a"});
    for (path, key) in [
        ("/track", None),
        ("/track?website_id=unknown", None),
        ("/vitals?client_id=unknown", None),
        ("/track?website_id=unknown", Some(&key)),
        ("/track", Some(&reader)),
    ] {
        let headers: Vec<_> = key.iter().map(|key| ("x-api-key", key.as_str())).collect();
        let answer = app.track(path, &headers, &event).await;
        assert!(answer.status.is_client_error(), "{path}");
    }
    // What is no ingestion is not counted at all.
    for path in ["/nowhere", "/health", "/identify", "/identify?client_id=ID"] {
        app.track(&app.path(path), &[], &event).await;
    }
    let none = String::new;
    let nobodys = app.read_balance(0).await;
    assert_eq!(
        nobodys,
        [
            (false, "no_credentials".to_owned(), none(), 1),
            (false, "unknown_website".to_owned(), none(), 2)
        ]
    );
    let own = app.read_balance(app.organization_key()).await;
    assert_eq!(
        own,
        [
            (false, "missing_scope".to_owned(), none(), 1),
            (false, "unknown_website".to_owned(), none(), 1)
        ]
    );
    app.close().await;
}

#[actix::test]
async fn limits_count_requests_for_whom_they_are() {
    let limits = Limits {
        track_requests: 1,
        ..Limits::default()
    };
    let app = TestApp::with(limits, Options::default()).await;
    let key = app.key();
    let path = app.path("/track?website_id=ID");
    let two = json!([{"name": "a"}, {"name": "b"}]);
    for headers in [vec![], vec![("x-api-key", key.as_str())]] {
        assert_eq!(app.track(&path, &headers, &two).await.status, 200);
        for _ in 0..3 {
            assert_eq!(app.track(&path, &headers, &two).await.status, 429);
        }
    }
    assert_eq!(app.balance().await, as_rows(&[("rate_limited", "", 6)]));
    app.close().await;
}

#[actix::test]
async fn what_is_left_out_counts_every_event() {
    let app = TestApp::open().await;
    let (bot, gpc) = (("user-agent", BOT), ("sec-gpc", "1"));
    let two = json!([{"name": "a"}, {"name": "b"}]);
    for (path, headers, body) in [
        ("/track?website_id=ID", &[bot][..], two.clone()),
        ("/?client_id=ID", &[bot], page("1")),
        (
            "/vitals?client_id=ID",
            &[bot],
            json!([vital(), vital(), vital()]),
        ),
        ("/batch?client_id=ID", &[bot], json!([page("1"), {}, 7])),
        ("/track?website_id=ID", &[gpc], two),
        ("/batch?client_id=ID", &[gpc], json!([page("1")])),
        (
            "/batch?client_id=ID",
            &[],
            json!([page("2"), page("2"), {"eventId": "3"}, page("3"), 7]),
        ),
    ] {
        let answer = app.track(&app.path(path), headers, &body).await;
        assert_eq!(answer.status, 200, "{path}");
    }
    let expected = [
        ("bot", "", 2 + 1 + 3 + 2),
        ("duplicate", "", 1),
        ("invalid_body", "", 1 + 2),
        ("opted_out", "", 2 + 1),
    ];
    assert_eq!(app.balance().await, as_rows(&expected));
    // Beside the books: two pages that the agent was seen on.
    assert_eq!(app.stored("kind").await.len(), 2 + 2);
    app.close().await;
}

#[actix::test]
async fn exclusions_are_answered_with_success_and_act_on_the_next_request() {
    let app = TestApp::open().await;
    let at = |path: &str, id: &str| {
        let mut page = page(id);
        page["path"] = json!(format!("http://{path}"));
        page
    };
    let batch = json!([
        at("localhost/a", "1"),
        at("localhost/admin/x", "2"),
        at("staging.example/a", "3")
    ]);
    let id = app.website();
    let headers = [("databuddy-client-id", id.as_str())];
    app.set(SettingsChange {
        excluded_paths: Some(list(&["/admin/*"])),
        excluded_hosts: Some(list(&["staging.example"])),
        ..SettingsChange::default()
    })
    .await;
    let answer = app.track("/batch", &headers, &batch).await.json();
    assert_eq!(answer["batched"]["track"], 3, "{answer}");
    assert_eq!(app.stored("path").await, ["/a"]);
    let mut expected = vec![("excluded_host", "", 1), ("excluded_path", "", 1)];
    assert_eq!(app.balance().await, as_rows(&expected));

    // The harness calls from 192.0.2.10.
    app.set(SettingsChange {
        excluded_ips: Some(list(&["192.0.2.0/28"])),
        excluded_paths: Some(list(&[])),
        excluded_hosts: Some(list(&[])),
        ..SettingsChange::default()
    })
    .await;
    let event = json!([{"name": "a"}, {"name": "b"}]);
    let path = app.path("/track?website_id=ID");
    assert_eq!(app.track(&path, &[], &event).await.json()["count"], 2);
    let key = app.key();
    let by_key = app.track(&path, &[("x-api-key", &key)], &event).await;
    assert_eq!(by_key.json()["count"], 2);
    expected.insert(1, ("excluded_ip", "", 2));
    assert_eq!(app.balance().await, as_rows(&expected));
    assert_eq!(
        app.stored("name").await,
        ["a", "b", "screen_view"],
        "a server's address is no visitor's"
    );

    app.set(SettingsChange {
        excluded_ips: Some(list(&["192.0.2.16/28"])),
        ..SettingsChange::default()
    })
    .await;
    app.track(&path, &[], &event).await;
    assert_eq!(
        app.stored("name").await.len(),
        5,
        "the neighbours of a network"
    );
    app.close().await;
}

#[actix::test]
async fn only_listed_origins_and_addresses_may_send() {
    let app = TestApp::open().await;
    app.set(SettingsChange {
        allowed_origins: Some(list(&["*.partner.example"])),
        ..SettingsChange::default()
    })
    .await;
    let path = app.path("/track?website_id=ID");
    let event = json!({"name": "n"});
    let send = async |origin: Option<&str>| {
        let headers: Vec<_> = origin
            .map(|origin| ("origin", origin))
            .into_iter()
            .collect();
        app.track(&path, &headers, &event).await.code()
    };
    let refused = (403, "ORIGIN_NOT_AUTHORIZED".to_owned());
    assert_eq!(send(None).await, refused, "curl without an origin");
    assert_eq!(send(Some("https://partner.example")).await, refused);
    assert_eq!(send(Some("https://a.partner.example")).await.0, 200);
    assert_eq!(send(Some("http://localhost:3000")).await.0, 200, "its own");
    let key = app.key();
    let by_key = app.track(&path, &[("x-api-key", &key)], &event).await;
    assert_eq!(by_key.status, 200, "keys need no origin");
    assert_eq!(app.stored("trust").await, ["0", "0", "1"]);
    // Browsers name no origin when they fetch an image, but the page.
    for page in [
        "https://a.partner.example/page",
        "https://partner.example/page",
    ] {
        let image = app.path(
            "/px.jpg?client_id=ID&eventId=i&name=screen_view&path=https://a.partner.example/page",
        );
        let request = TestRequest::get()
            .uri(&image)
            .insert_header(("referer", page));
        assert_eq!(app.send(Host::Track, request).await.status, 200);
    }
    assert_eq!(app.stored("kind").await, ["1", "2", "2", "2"]);

    app.set(SettingsChange {
        allowed_origins: Some(list(&[])),
        allowed_ips: Some(list(&["192.0.2.11", "198.51.100.0/24"])),
        ..SettingsChange::default()
    })
    .await;
    assert_eq!(send(None).await, (403, "IP_NOT_AUTHORIZED".to_owned()));
    app.set(SettingsChange {
        allowed_ips: Some(list(&["192.0.2.10"])),
        ..SettingsChange::default()
    })
    .await;
    assert_eq!(send(None).await.0, 200);
    let expected = [
        ("ip_not_authorized", "", 1),
        ("origin_missing", "", 1),
        ("origin_not_authorized", "https://partner.example", 2),
    ];
    assert_eq!(app.balance().await, as_rows(&expected));
    app.close().await;
}
