//! Monitors as their users meet them: made over HTTP, checked on schedule, asked about.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use pharos::access::Role;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

use crate::{
    app::{Answer, App, until},
    cast::Cast,
    people::post::Post,
    status_pages,
};

const OPEN: &str = "egress.allow = ['127.0.0.0/8']\nlimits.query_requests = 0\n";
const MINUTE: Duration = Duration::from_mins(1);

/// Something to watch: says this status, and counts who asks.
pub struct Target {
    pub url: String,
    status: Arc<AtomicU16>,
    hits: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl Target {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/health", listener.local_addr().unwrap());
        let (status, hits) = (Arc::new(AtomicU16::new(200)), Arc::new(AtomicUsize::new(0)));
        let (says, counts) = (Arc::clone(&status), Arc::clone(&hits));
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = [0; 4096];
                let _ = stream.read(&mut head).await;
                counts.fetch_add(1, SeqCst);
                let body = r#"{"status":"ok","services":{"db":{"latency_ms":3}},"secret":"s3cr3t"}"#;
                let answer = format!(
                    "HTTP/1.1 {} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    says.load(SeqCst),
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self {
            url,
            status,
            hits,
            _task: task,
        }
    }

    pub fn hits(&self) -> usize {
        self.hits.load(SeqCst)
    }

    pub fn says(&self, status: u16) {
        self.status.store(status, SeqCst);
    }
}

async fn call(app: &App, procedure: &str, body: Value) -> Answer {
    app.post(format!("{}/uptime/{procedure}", app.base), &body)
        .await
}

pub async fn call_ok(app: &App, procedure: &str, body: Value) -> Value {
    let answer = call(app, procedure, body.clone()).await;
    assert_eq!(answer.status, 200, "{procedure} {body}: {}", answer.text);
    answer.body
}

pub async fn create(app: &App, fields: Value) -> String {
    let made = call_ok(app, "createSchedule", fields).await;
    made["scheduleId"].as_str().unwrap().to_owned()
}

async fn rows(app: &App, id: &str, parameter: &str) -> Vec<Value> {
    let url = format!("{}/v1/query?schedule_id={id}", app.base);
    let body = json!({ "parameters": [parameter], "preset": "last_7d", "limit": 1000 });
    let answer = app.post(url, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.rows(0)
}

async fn checks(app: &App, id: &str) -> Vec<Value> {
    rows(app, id, "uptime_recent_checks").await
}

/// Waits until there are so many checks.
pub async fn checked(app: &App, id: &str, times: usize) -> Vec<Value> {
    until("checks are stored", async || {
        checks(app, id).await.len() >= times
    })
    .await;
    checks(app, id).await
}

#[actix::test]
async fn a_monitor_is_checked_at_once_and_then_on_schedule() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(
        &app,
        json!({ "url": target.url, "name": "API", "granularity": "minute" }),
    )
    .await;
    let first = checked(&app, &id, 1).await;
    assert_eq!(first[0]["url"], target.url);
    assert_eq!(
        (&first[0]["status"], &first[0]["http_code"]),
        (&json!(1), &json!(200))
    );
    assert_eq!(first[0]["probe_region"], "local");
    assert_eq!(first[0]["probe_ip"], "127.0.0.1");
    for minute in 1..=3 {
        app.clock.advance(MINUTE);
        checked(&app, &id, 1 + minute).await;
    }
    // Nothing happens by itself while the clock is stopped.
    assert_eq!(target.hits(), 4);
    let overview = &rows(&app, &id, "uptime_overview").await[0];
    assert_eq!(overview["uptime_percentage"], 100.0);
    assert_eq!(overview["total_checks"], 4);
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(
        (&shown["state"], &shown["qstashStatus"]),
        (&json!("up"), &json!("active"))
    );
    let phases = shown["lastCheck"]["phases"].as_object().unwrap();
    let sum: u64 = phases.values().map(|micros| micros.as_u64().unwrap()).sum();
    assert_eq!(shown["lastCheck"]["total"], sum);
    assert!(phases["tcp"].as_u64().unwrap() > 0 && phases["ttfb"].as_u64().unwrap() > 0);
    assert_eq!(shown["lastCheck"]["parts"]["services.db"]["latency"], 3.0);
    assert!(!shown.to_string().contains("s3cr3t"));
    app.finish().await;
}

/// Answers as the path says: not at all, half of a body, or a redirect that brings a name and a password.
async fn misbehaving() -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut task = JoinSet::new();
    task.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let length = stream.read(&mut head).await.unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let answer = match head.split(' ').nth(1) {
                Some("/silent") => continue,
                Some("/short") => "HTTP/1.1 200 X\r\ncontent-length: 10\r\n\r\nshort".to_owned(),
                Some("/moved") => format!(
                    "HTTP/1.1 302 X\r\nlocation: http://anna:secret@{address}/fine\r\ncontent-length: 0\r\n\r\n"
                ),
                _ => "HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n".to_owned(),
            };
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (format!("http://{address}"), task)
}

#[actix::test]
async fn a_failed_check_names_what_is_missing_and_follows_no_redirect_with_a_password() {
    let app = App::with(OPEN).await;
    let (url, _task) = misbehaving().await;
    for (path, error) in [
        (
            "silent",
            "the other side closed the connection without an answer",
        ),
        (
            "short",
            "the other side closed the connection before the end of the answer",
        ),
        (
            "moved",
            "a redirect leads to an address with a user name or a password",
        ),
    ] {
        let fields = json!({
            "url": format!("{url}/{path}"), "name": path, "granularity": "hour", "retries": 0,
        });
        let id = create(&app, fields).await;
        let check = checked(&app, &id, 1).await.remove(0);
        let said = check["error"].as_str().unwrap_or_default();
        assert_eq!(
            (&check["status"], said.contains(error)),
            (&json!(0), true),
            "{check}"
        );
        assert!(!check.to_string().contains("secret"), "{check}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_response_time_is_the_same_number_wherever_it_is_shown() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let fields = json!({ "url": target.url, "name": "API", "granularity": "minute" });
    let id = create(&app, fields).await;
    for minute in 1..=5 {
        checked(&app, &id, minute).await;
        app.clock.advance(MINUTE);
    }
    checked(&app, &id, 6).await;
    let page = json!({ "name": "Example", "slug": "example" });
    let page = app
        .post(format!("{}/statusPage/create", app.base), &page)
        .await;
    let add = json!({ "statusPageId": page.body["id"], "uptimeScheduleId": id });
    let added = app
        .post(format!("{}/statusPage/addMonitor", app.base), &add)
        .await;
    assert_eq!(added.status, 200, "{}", added.text);
    let overview = rows(&app, &id, "uptime_overview").await.remove(0);
    let asked = overview["avg_response_time"].as_f64().unwrap();
    let shown = status_pages::until_seen(&app, "six checks are shown", |shown| {
        shown["monitors"][0]["dailyData"][89]["total_checks"] == 6
    })
    .await;
    let shown = &shown["monitors"][0]["dailyData"][89]["avg_response_time"];
    assert_eq!(shown.as_f64(), Some(asked), "{overview}");
    let history = call_ok(
        &app,
        "getScheduleHistory",
        json!({ "scheduleId": id, "days": 1 }),
    )
    .await;
    assert_eq!(
        history["days"][0]["avgResponseTime"].as_f64(),
        Some(asked),
        "{history}"
    );
    app.finish().await;
}

#[actix::test]
async fn it_goes_down_after_its_rechecks_and_is_up_again_with_one_success() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(&app, json!({ "url": target.url, "granularity": "hour" })).await;
    checked(&app, &id, 1).await;
    target.status.store(503, SeqCst);
    app.clock.advance(Duration::from_hours(1));
    checked(&app, &id, 2).await;
    for recheck in 0..3 {
        app.clock.advance(Duration::from_secs(31));
        checked(&app, &id, 3 + recheck).await;
    }
    let state = |shown: &Value| shown["state"].as_str().unwrap().to_owned();
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(state(&shown), "down");
    assert_eq!(shown["lastCheck"]["errorClass"], "status");
    assert_eq!(shown["lastCheck"]["error"], "HTTP 503: Service Unavailable");
    target.status.store(204, SeqCst);
    app.clock.advance(Duration::from_secs(1));
    call_ok(&app, "manualCheck", json!({ "scheduleId": id })).await;
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(state(&shown), "up");
    let all = checks(&app, &id).await;
    let statuses: Vec<u64> = all
        .iter()
        .rev()
        .map(|row| row["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [1, 2, 2, 2, 0, 1]);
    let history = call_ok(
        &app,
        "getScheduleHistory",
        json!({ "scheduleId": id, "days": 3 }),
    )
    .await;
    let changes = history["changes"].as_array().unwrap();
    let to: Vec<&str> = changes
        .iter()
        .map(|change| change["to"].as_str().unwrap())
        .collect();
    assert_eq!(to, ["up", "down", "up"]);
    assert_eq!(history["days"].as_array().unwrap().len(), 3);
    assert_eq!(history["days"][2]["date"], "2026-10-14");
    assert_eq!(history["days"][2]["failedChecks"], 1);
    app.finish().await;
}

#[actix::test]
async fn slots_in_which_the_program_did_not_run_are_missed_and_count_nowhere() {
    let mut app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(&app, json!({ "url": target.url, "granularity": "minute" })).await;
    checked(&app, &id, 1).await;
    app.clock.advance(MINUTE);
    checked(&app, &id, 2).await;
    app.restart_after(async |_| {}).await;
    let clock = app.clock.clone();
    app.restart_after(async |_| clock.advance(10 * MINUTE))
        .await;
    let all = checked(&app, &id, 12).await;
    assert_eq!(all.len(), 12);
    let missed = all.iter().filter(|row| row["status"] == 4).count();
    assert_eq!((missed, target.hits()), (9, 3));
    let overview = &rows(&app, &id, "uptime_overview").await[0];
    assert_eq!(
        (&overview["uptime_percentage"], &overview["total_checks"]),
        (&json!(100), &json!(3))
    );
    app.finish().await;
}

#[actix::test]
async fn a_paused_monitor_is_left_alone_and_a_deleted_one_is_gone() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(&app, json!({ "url": target.url, "granularity": "minute" })).await;
    checked(&app, &id, 1).await;
    let body = json!({ "scheduleId": id });
    app.clock.advance(Duration::from_secs(1));
    let paused = call_ok(
        &app,
        "togglePause",
        json!({ "scheduleId": id, "pause": true }),
    )
    .await;
    assert_eq!(paused, json!({ "success": true, "isPaused": true }));
    for (procedure, body) in [
        ("togglePause", json!({ "scheduleId": id, "pause": true })),
        ("pauseSchedule", body.clone()),
        ("manualCheck", body.clone()),
    ] {
        assert_eq!(call(&app, procedure, body).await.status, 400, "{procedure}");
    }
    app.clock.advance(5 * MINUTE);
    let other = Target::start().await;
    let second = create(&app, json!({ "url": other.url, "granularity": "minute" })).await;
    checked(&app, &second, 1).await;
    assert_eq!(
        target.hits(),
        1,
        "the other one was checked meanwhile, this one was not"
    );
    call_ok(&app, "resumeSchedule", body.clone()).await;
    let all = checked(&app, &id, 3).await;
    let statuses: Vec<u64> = all
        .iter()
        .rev()
        .map(|row| row["status"].as_u64().unwrap())
        .collect();
    assert_eq!(
        statuses,
        [1, 4, 1],
        "what the first one said ends with the pause"
    );
    call_ok(&app, "deleteSchedule", body.clone()).await;
    assert_eq!(call(&app, "getSchedule", body).await.status, 404);
    app.finish().await;
}

#[actix::test]
async fn what_cannot_be_watched_is_refused_by_name() {
    let app = App::spawn().await;
    let url = "https://example.com/";
    for (fields, field) in [
        (
            json!({ "url": "http://127.0.0.1/", "granularity": "minute" }),
            "url",
        ),
        (
            json!({ "url": "http://localhost:9/", "granularity": "minute" }),
            "url",
        ),
        (
            json!({ "url": "https://example.com:22/", "granularity": "minute" }),
            "url",
        ),
        (
            json!({ "url": "ftp://example.com/", "granularity": "minute" }),
            "url",
        ),
        (json!({ "granularity": "minute" }), "url"),
        (json!({ "url": url }), "granularity"),
        (json!({ "url": url, "cron": "* * *" }), "cron"),
        (
            json!({ "url": url, "granularity": "minute", "timeout": 999 }),
            "timeout",
        ),
        (
            json!({ "url": url, "granularity": "minute", "expect": { "matches": "(" } }),
            "expect.matches",
        ),
        (
            json!({ "url": url, "granularity": "minute", "dependsOn": ["nobody"] }),
            "dependsOn",
        ),
    ] {
        let answer = call(&app, "createSchedule", fields.clone()).await;
        assert_eq!(answer.status, 400, "{fields}: {}", answer.text);
        assert_eq!(
            answer.body["data"]["issues"][0]["path"],
            json!(field.split('.').collect::<Vec<_>>()),
            "{}",
            answer.text
        );
    }
    let typed = json!({ "url": url, "granularity": "minute", "request": { "auth": { "type": "basic", "username": 7 } } });
    for (fields, path) in [
        (
            json!({ "url": url, "granularity": "minute", "timeout": "long" }),
            "timeout",
        ),
        (typed, "request.auth"),
        (
            json!({ "url": url, "granularity": "minute", "tiemout": 1 }),
            "tiemout",
        ),
    ] {
        let answer = call(&app, "createSchedule", fields).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        let found = answer.body["data"]["issues"][0]["path"]
            .as_array()
            .unwrap()
            .clone();
        let found: Vec<&str> = found.iter().filter_map(Value::as_str).collect();
        assert!(found.join(".").starts_with(path), "{}", answer.text);
    }
    let sometimes = json!({ "url": url, "granularity": "sometimes" });
    let answer = call(&app, "createSchedule", sometimes).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("thirty_seconds"), "{}", answer.text);
    assert_eq!(call_ok(&app, "listSchedules", json!({})).await, json!([]));
    app.finish().await;
}

#[actix::test]
async fn a_target_is_watched_once_and_a_change_keeps_what_it_does_not_name() {
    let app = App::spawn().await;
    let fields = json!({
        "url": "example.com", "granularity": "day", "name": "A", "tags": ["x"], "group": "G",
        "request": { "auth": { "type": "bearer", "token": "t0k3n" }, "headers": { "X-Api-Key": "k3y", "X-Plain": "p" } },
    });
    let id = create(&app, fields.clone()).await;
    let again = call(
        &app,
        "createSchedule",
        json!({ "url": "https://EXAMPLE.com/", "granularity": "hour" }),
    )
    .await;
    assert_eq!(
        (again.status, &again.body["code"]),
        (409, &json!("CONFLICT")),
        "{}",
        again.text
    );
    let changed = call_ok(
        &app,
        "updateSchedule",
        json!({ "scheduleId": id, "granularity": "hour" }),
    )
    .await;
    assert_eq!(
        (&changed["name"], &changed["cron"]),
        (&json!("A"), &json!("0 * * * *"))
    );
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(
        shown["request"]["headers"],
        json!({ "X-Api-Key": "", "X-Plain": "p" })
    );
    let text = shown.to_string();
    assert!(!text.contains("t0k3n") && !text.contains("k3y"), "{text}");
    let tagged = |tag: &str| json!({ "tag": tag, "group": "G" });
    assert_eq!(
        call_ok(&app, "listSchedules", tagged("x"))
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        call_ok(&app, "listSchedules", tagged("y"))
            .await
            .as_array()
            .unwrap()
            .len(),
        0
    );
    let unknown = call(
        &app,
        "updateSchedule",
        json!({ "scheduleId": id, "nonsense": 1 }),
    )
    .await;
    assert_eq!(unknown.status, 400);
    app.finish().await;
}

#[actix::test]
async fn manual_checks_are_five_a_minute() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(&app, json!({ "url": target.url, "granularity": "day" })).await;
    checked(&app, &id, 1).await;
    let body = json!({ "scheduleId": id });
    for check in 0..5 {
        app.clock.advance(Duration::from_millis(1));
        call_ok(&app, "manualCheck", body.clone()).await;
        assert_eq!(checks(&app, &id).await.len(), 2 + check);
    }
    let sixth = call(&app, "manualCheck", body).await;
    assert_eq!(
        (sixth.status, &sixth.body["code"]),
        (429, &json!("RATE_LIMITED"))
    );
    assert!(!sixth.header("retry-after").is_empty());
    assert_eq!(target.hits(), 6);
    app.finish().await;
}

#[actix::test]
async fn a_heartbeat_that_stays_away_is_down() {
    let app = App::spawn().await;
    let fields = json!({ "kind": "push", "name": "Backup", "granularity": "hour", "grace": 60 });
    let made = call_ok(&app, "createSchedule", fields).await;
    let id = made["scheduleId"].as_str().unwrap().to_owned();
    let url = made["pushUrl"].as_str().unwrap().to_owned();
    let call_in = async |path: &str| Answer::send(app.http.post(format!("{url}{path}"))).await;
    assert_eq!(call_in("/start").await.body, json!({ "success": true }));
    app.clock.advance(Duration::from_secs(7));
    assert_eq!(call_in("").await.status, 200);
    let row = &checks(&app, &id).await[0];
    assert_eq!(
        (&row["status"], &row["total_ms"]),
        (&json!(1), &json!(7_000))
    );
    // Within the interval and the grace nothing happens; then it is down at once.
    app.clock.advance(Duration::from_secs(3_600 + 59));
    assert_eq!(checks(&app, &id).await.len(), 1);
    app.clock.advance(Duration::from_secs(1));
    let rows = checked(&app, &id, 2).await;
    assert_eq!(rows[0]["status"], 0);
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(call_in("/fail").await.status, 200);
    assert_eq!(call_in("").await.status, 200);
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(shown["state"], "up");
    let renewed = call_ok(&app, "renewPushUrl", json!({ "scheduleId": id })).await;
    assert_ne!(renewed["pushUrl"], json!(url));
    assert_eq!(call_in("").await.status, 404);
    app.finish().await;
}

#[actix::test]
async fn the_metrics_say_how_late_checks_begin() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let id = create(&app, json!({ "url": target.url, "granularity": "minute" })).await;
    checked(&app, &id, 1).await;
    app.clock.advance(MINUTE);
    checked(&app, &id, 2).await;
    let text = app.get(format!("{}/metrics", app.base)).await.text;
    assert!(text.contains("pharos_monitors 1"), "{text}");
    assert!(text.contains("pharos_monitor_checks_total 1"), "{text}");
    assert!(
        text.contains("pharos_monitor_lateness_p99_seconds"),
        "{text}"
    );
    app.finish().await;
}

/// The transitions of a monitor, newest first.
async fn changes(app: &App, id: &str) -> Vec<Value> {
    let body = json!({ "scheduleId": id });
    let history = call_ok(app, "getScheduleHistory", body).await;
    history["changes"].as_array().unwrap().clone()
}

#[actix::test]
async fn owners_are_told_once_and_not_about_what_hangs_on_something_that_is_down() {
    let post = Post::open().await;
    let mail = format!(
        "{OPEN}mail.smtp_url = '{}'\nmail.from = 'Pharos <pharos@example.com>'\nmonitors.retries = 0",
        post.url
    );
    let app = App::with(&mail).await;
    let (above, below) = (Target::start().await, Target::start().await);
    let parent = create(
        &app,
        json!({ "url": above.url, "name": "Gateway", "granularity": "day" }),
    )
    .await;
    let child =
        json!({ "url": below.url, "name": "Shop", "granularity": "day", "dependsOn": [parent] });
    let child = create(&app, child).await;
    checked(&app, &parent, 1).await;
    checked(&app, &child, 1).await;
    let check = async |id: &str, target: &Target, status: u16| {
        target.status.store(status, SeqCst);
        app.clock.advance(MINUTE);
        call_ok(&app, "manualCheck", json!({ "scheduleId": id })).await;
    };
    check(&parent, &above, 500).await;
    check(&child, &below, 500).await;
    let change = &changes(&app, &child).await[0];
    assert_eq!(
        (&change["to"], &change["becauseOf"]),
        (&json!("down"), &json!(parent))
    );
    assert_eq!(changes(&app, &parent).await[0]["becauseOf"], Value::Null);
    let emails = post.wait_for(1).await;
    assert!(
        emails[0].contains("Subject: Down: Gateway"),
        "{}",
        emails[0]
    );
    assert!(
        emails[0].contains("HTTP 500: Internal Server Error"),
        "{}",
        emails[0]
    );
    // The dependency is up again, and this one is still down: now its owners get emails.
    check(&parent, &above, 200).await;
    check(&child, &below, 500).await;
    check(&child, &below, 500).await;
    check(&child, &below, 200).await;
    let emails = post.wait_for(4).await;
    let subjects: Vec<&str> = emails
        .iter()
        .filter_map(|email| {
            email
                .lines()
                .find_map(|line| line.strip_prefix("Subject: "))
        })
        .collect();
    let mut sorted = subjects.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "Down: Gateway",
            "Down: Shop",
            "Recovered: Gateway",
            "Recovered: Shop"
        ]
    );
    app.finish().await;
}

#[actix::test]
async fn checks_in_maintenance_are_made_and_count_nowhere() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    target.status.store(500, SeqCst);
    let window = json!({ "startsAt": "2026-10-14T11:00:00Z", "endsAt": "2026-10-14T13:00:00Z", "title": "Move" });
    let fields =
        json!({ "url": target.url, "granularity": "hour", "retries": 0, "maintenance": [window] });
    let id = create(&app, fields).await;
    let rows = checked(&app, &id, 1).await;
    assert_eq!(rows[0]["status"], 3);
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(
        (&shown["state"], &shown["inMaintenance"]),
        (&json!("unknown"), &json!(true))
    );
    app.clock.advance(Duration::from_hours(1));
    checked(&app, &id, 2).await;
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert_eq!(
        (&shown["state"], &shown["inMaintenance"]),
        (&json!("down"), &json!(false))
    );
    app.finish().await;
}

#[actix::test]
async fn monitors_of_others_and_of_nobody_look_the_same_and_are_not_queried() {
    let cast = Cast::spawn().await;
    let own = cast.person(Role::Owner);
    let fields = json!({ "kind": "push", "granularity": "hour" });
    let made = cast
        .call_ok(cast.stranger(), "/uptime/createSchedule", &fields)
        .await;
    let foreign = made["scheduleId"].as_str().unwrap();
    let mut answers = Vec::new();
    for id in [foreign, "no-such-monitor"] {
        let query = format!("/v1/query?schedule_id={id}");
        let body = json!({ "parameters": ["uptime_overview"], "preset": "today" });
        let queried = cast.post(&own, &query, &body).await;
        assert_eq!(queried.status, 403, "{}", queried.text);
        let asked = cast
            .post(&own, "/uptime/getSchedule", &json!({ "scheduleId": id }))
            .await;
        assert_eq!(asked.status, 404, "{}", asked.text);
        answers.push((queried.text.replace(id, "ID"), asked.text.replace(id, "ID")));
    }
    assert_eq!(answers[0], answers[1]);
    // Viewers see monitors, but not the addresses that programs call.
    let made = cast.call_ok(&own, "/uptime/createSchedule", &fields).await;
    assert!(made["pushUrl"].is_string());
    let body = json!({ "scheduleId": made["scheduleId"] });
    let seen = cast
        .call_ok(&cast.person(Role::Viewer), "/uptime/getSchedule", &body)
        .await;
    assert_eq!(seen["pushUrl"], Value::Null);
    cast.app.finish().await;
}

#[actix::test]
async fn the_target_of_a_link_is_watched_as_long_as_the_link_wants_it() {
    let app = App::with(OPEN).await;
    let (target, other) = (Target::start().await, Target::start().await);
    let fields = json!({ "name": "Shop", "targetUrl": target.url, "watchTarget": true });
    let link = app
        .post(format!("{}/links/create", app.base), &fields)
        .await
        .body;
    let watching = async || call_ok(&app, "listSchedules", json!({})).await;
    until("the link has a monitor", async || {
        watching().await[0]["linkId"] == link["id"]
    })
    .await;
    assert_eq!(watching().await[0]["granularity"], "hour");
    let id = watching().await[0]["id"].as_str().unwrap().to_owned();
    checked(&app, &id, 1).await;
    let change = json!({ "id": link["id"], "targetUrl": other.url });
    app.post(format!("{}/links/update", app.base), &change)
        .await;
    until("the monitor follows", async || {
        watching().await[0]["url"] == other.url
    })
    .await;
    let change = json!({ "id": link["id"], "watchTarget": null });
    app.post(format!("{}/links/update", app.base), &change)
        .await;
    until("the monitor is gone", async || {
        watching().await == json!([])
    })
    .await;
    app.finish().await;
}
