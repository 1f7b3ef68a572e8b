//! Status pages as their users meet them.

use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    database,
};

pub(crate) async fn call(app: &App, procedure: &str, body: Value) -> Answer {
    app.post(format!("{}/statusPage/{procedure}", app.base), &body)
        .await
}

pub(crate) async fn call_ok(app: &App, procedure: &str, body: Value) -> Value {
    let answer = call(app, procedure, body.clone()).await;
    assert_eq!(answer.status, 200, "{procedure} {body}: {}", answer.text);
    answer.body
}

pub(crate) async fn get_page(app: &App, slug: &str) -> Value {
    let url = format!("{}/statusPage/getBySlug", app.base);
    let answer = app.post_anonymously(url, &json!({ "slug": slug })).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Waits until the world sees something, and gives what it sees. It may look 120 times a minute only.
pub(crate) async fn until_seen(app: &App, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let pause = std::time::Duration::from_millis(250);
    for _ in 0..80 {
        let shown = get_page(app, "example").await;
        if fits(&shown) {
            return shown;
        }
        tokio::time::sleep(pause).await;
    }
    panic!("it never happened: {what}");
}

/// A page with a push monitor on it: the page's id, the monitor's id there, and its heartbeat address.
pub(crate) async fn page(app: &App) -> (String, String, String) {
    let url = format!("{}/uptime/createSchedule", app.base);
    let fields = json!({ "kind": "push", "granularity": "hour", "name": "Job", "retries": 0 });
    let monitor = app.post(url, &fields).await.body;
    let made = call_ok(
        app,
        "create",
        json!({ "name": "Example", "slug": "example" }),
    )
    .await;
    let add = json!({ "statusPageId": made["id"], "uptimeScheduleId": monitor["scheduleId"] });
    let listed = call_ok(app, "addMonitor", add.clone()).await;
    assert_eq!(listed["uptimeSchedule"]["name"], "Job");
    assert_eq!(call(app, "addMonitor", add).await.status, 400);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (
        text(&made["id"]),
        text(&listed["id"]),
        text(&monitor["pushUrl"]),
    )
}

#[actix::test]
async fn the_world_sees_how_monitors_stand_and_what_is_said() {
    let mut app = App::with("egress.allow = ['127.0.0.0/8']").await;
    let (page, monitor, push) = page(&app).await;
    let first = get_page(&app, "example").await;
    assert_eq!(first["overallStatus"], "unknown");
    assert_eq!(first["monitors"][0]["freshness"], "unknown");
    assert_eq!(
        first["monitors"][0]["dailyData"].as_array().unwrap().len(),
        90
    );
    assert_eq!(first["statusPage"]["name"], "Example");

    Answer::send(app.http.post(&push)).await;
    until_seen(&app, "it is up", |shown| {
        shown["overallStatus"] == "operational"
    })
    .await;
    Answer::send(app.http.post(format!("{push}/fail"))).await;
    until_seen(&app, "it is down", |shown| {
        shown["overallStatus"] == "outage"
    })
    .await;
    Answer::send(app.http.post(&push)).await;
    until_seen(&app, "its days are known", |shown| {
        shown["monitors"][0]["dailyData"][89]["total_checks"] == 3
    })
    .await;

    let hide =
        json!({ "monitorId": monitor, "displayName": "Nightly", "hideUptimePercentage": true });
    call_ok(&app, "updateMonitorSettings", hide).await;
    let shown = get_page(&app, "example").await;
    assert_eq!(shown["monitors"][0]["name"], "Nightly");
    assert_eq!(
        shown["monitors"][0]["dailyData"][89]["p95_response_time"],
        0
    );
    assert!(shown["monitors"][0].get("uptimePercentage").is_none());
    assert!(
        shown["monitors"][0]["dailyData"][89]
            .get("uptime_percentage")
            .is_none()
    );

    let affected = json!([{ "statusPageMonitorId": monitor, "impact": "down" }]);
    let tell = json!({ "statusPageId": page, "title": "Slow", "message": "We look.", "affectedMonitors": affected });
    let told = call_ok(&app, "createIncident", tell).await;
    assert_eq!(
        (&told["status"], &told["severity"]),
        (&json!("investigating"), &json!("minor"))
    );
    assert_eq!(told["affectedMonitors"][0]["monitorName"], "Nightly");
    let shown = get_page(&app, "example").await;
    assert_eq!(shown["overallStatus"], "outage");
    assert_eq!(shown["monitors"][0]["currentStatus"], "down", "as is said");
    let summary = door(&app, "/api/v2/summary.json", &[]).await.body;
    assert_eq!(summary["components"][0]["status"], "major_outage");
    app.restart().await;
    let say =
        |status: &str| json!({ "incidentId": told["id"], "status": status, "message": "More." });
    let over = call_ok(&app, "updateIncident", say("resolved")).await;
    assert_eq!(over["updates"][0]["status"], "resolved");
    assert!(over["resolvedAt"].is_string());
    let shown = get_page(&app, "example").await;
    assert_eq!(shown["overallStatus"], "operational", "{shown}");
    assert_eq!(
        shown["incidents"][0]["updates"].as_array().unwrap().len(),
        2
    );
    let again = call_ok(&app, "updateIncident", say("monitoring")).await;
    assert_eq!(again["resolvedAt"], Value::Null);
    let wrong = call(&app, "updateIncident", say("completed")).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let gone = call_ok(&app, "deleteIncident", json!({ "incidentId": told["id"] })).await;
    assert_eq!(gone, json!({ "deleted": true }));
    call_ok(&app, "delete", json!({ "statusPageId": page })).await;
    let url = format!("{}/statusPage/getBySlug", app.base);
    let answer = app
        .post_anonymously(url, &json!({ "slug": "example" }))
        .await;
    assert_eq!(answer.status, 404);
    app.finish().await;
}

#[actix::test]
async fn maintenance_is_planned_and_changes_nothing_of_how_all_stands() {
    let app = App::spawn().await;
    let (page, ..) = page(&app).await;
    let plan = json!({ "statusPageId": page, "title": "Disks", "message": "New ones.",
        "startsAt": "2026-10-15T22:00:00Z", "endsAt": "2026-10-15T23:00:00Z" });
    let told = call_ok(&app, "createIncident", plan.clone()).await;
    assert_eq!(
        (&told["kind"], &told["status"]),
        (&json!("maintenance"), &json!("scheduled"))
    );
    assert_eq!(told["startsAt"], "2026-10-15T22:00:00.000Z");
    assert_eq!(get_page(&app, "example").await["overallStatus"], "unknown");
    for (status, overall) in [
        ("in_progress", "maintenance"),
        ("verifying", "maintenance"),
        ("completed", "unknown"),
    ] {
        let say = json!({ "incidentId": told["id"], "status": status, "message": "More." });
        let now = call_ok(&app, "updateIncident", say).await;
        assert_eq!(now["status"], status);
        assert_eq!(get_page(&app, "example").await["overallStatus"], overall);
    }
    for (field, value) in [
        ("endsAt", json!("2026-10-15T21:00:00Z")),
        ("endsAt", Value::Null),
        ("startsAt", json!("soon")),
    ] {
        let mut wrong = plan.clone();
        wrong[field] = value;
        assert_eq!(
            call(&app, "createIncident", wrong.clone()).await.status,
            400,
            "{wrong}"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn slugs_are_one_of_a_kind_and_what_is_wrong_is_said_with_its_place() {
    let app = App::spawn().await;
    let made = call_ok(&app, "create", json!({ "name": "A", "slug": "a" })).await;
    let taken = call(&app, "create", json!({ "name": "B", "slug": "a" })).await;
    assert_eq!(
        (taken.status, &taken.body["code"]),
        (409, &json!("CONFLICT"))
    );
    for (more, place) in [
        (json!({ "slug": "A" }), "slug"),
        (json!({ "slug": "api" }), "slug"),
        (json!({ "name": " " }), "name"),
        (json!({ "logoUrl": "http://a.example/x.png" }), "logoUrl"),
        (json!({ "supportUrl": "javascript:alert(1)" }), "supportUrl"),
        (json!({ "theme": "pink" }), "theme"),
        (json!({ "nmae": "x" }), "nmae"),
    ] {
        let mut fields = json!({ "name": "C", "slug": "c" });
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let answer = call(&app, "create", fields).await;
        assert_eq!(answer.status, 400, "{more}: {}", answer.text);
        assert_eq!(
            answer.body["data"]["issues"][0]["path"],
            json!([place]),
            "{}",
            answer.text
        );
    }
    let asked = json!({ "statusPageId": made["id"] });
    let upload = call(&app, "createAssetUploadUrl", asked).await;
    assert_eq!(upload.status, 400);
    assert!(upload.text.contains("`logoUrl`"), "{}", upload.text);
    let listed = call_ok(&app, "list", json!({})).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let public = app
        .post_anonymously(format!("{}/statusPage/listPublic", app.base), &json!({}))
        .await;
    assert_eq!(
        public.body,
        json!([{ "slug": "a", "updatedAt": made["updatedAt"] }])
    );
    // A slug is free at once.
    call_ok(
        &app,
        "update",
        json!({ "statusPageId": made["id"], "slug": "b" }),
    )
    .await;
    call_ok(&app, "create", json!({ "name": "B", "slug": "a" })).await;
    // Without one it is made of the name.
    for (name, slug) in [
        ("Acme  Status!", "acme-status"),
        ("acme status", "acme-status-2"),
        ("Docs", "docs-2"),
        ("状态", "status-page"),
    ] {
        let made = call_ok(&app, "create", json!({ "name": name })).await;
        assert_eq!(made["slug"], slug, "{name}");
    }
    app.finish().await;
}

pub(crate) async fn door(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = app.http.get(format!("{}/status/example{path}", app.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::send(request).await
}

#[actix::test]
async fn every_door_is_for_everybody_and_is_asked_again_for_nothing() {
    let app = App::spawn().await;
    let (page, monitor, _) = page(&app).await;
    let tell = json!({ "statusPageId": page, "title": "Slow & <b>bold</b>", "message": "We **look**.\n\n<script>x</script>" });
    call_ok(&app, "createIncident", tell).await;
    let plan = json!({ "statusPageId": page, "title": "Disks; all, of them", "message": "New.",
        "startsAt": "2026-10-15T22:00:00Z", "endsAt": "2026-10-15T23:00:00Z" });
    call_ok(&app, "createIncident", plan).await;
    let one = format!("/monitors/{monitor}/badge.svg?metric=uptime&window=7d");
    for (path, media) in [
        ("", "text/html"),
        ("/feed.rss", "application/rss+xml"),
        ("/feed.atom", "application/atom+xml"),
        ("/feed.json", "application/feed+json"),
        ("/maintenance.ics", "text/calendar"),
        ("/badge.svg", "image/svg+xml"),
        (one.as_str(), "image/svg+xml"),
        ("/api/v2/summary.json", "application/json"),
        ("/api/v2/status.json", "application/json"),
        ("/api/v2/components.json", "application/json"),
        ("/api/v2/incidents.json", "application/json"),
        ("/api/v2/incidents/unresolved.json", "application/json"),
        ("/api/v2/scheduled-maintenances.json", "application/json"),
    ] {
        let first = door(&app, path, &[("origin", "https://elsewhere.example")]).await;
        assert_eq!(first.status, 200, "{path}: {}", first.text);
        assert!(first.header("content-type").starts_with(media), "{path}");
        assert_eq!(first.header("access-control-allow-origin"), "*", "{path}");
        let tag = first.header("etag").to_owned();
        let again = door(&app, path, &[("if-none-match", &tag)]).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
        let head = app.http.head(format!("{}/status/example{path}", app.base));
        let head = Answer::send(head).await;
        assert_eq!(
            (head.status, head.header("etag")),
            (200, tag.as_str()),
            "{path}"
        );
    }
    for (path, entries) in [("/feed.rss", 2), ("/feed.atom", 2), ("/feed.json", 2)] {
        let text = door(&app, path, &[]).await.text;
        let feed = feed_rs::parser::parse(text.as_bytes()).unwrap();
        assert_eq!(feed.entries.len(), entries, "{path}");
        let titles: Vec<String> = feed
            .entries
            .iter()
            .map(|one| one.title.clone().unwrap().content)
            .collect();
        assert!(
            titles.contains(&"Slow & <b>bold</b>".to_owned()),
            "{path}: {titles:?}"
        );
    }
    let calendar = door(&app, "/maintenance.ics", &[]).await.text;
    assert!(
        calendar.contains("DTSTART:20261015T220000Z\r\n"),
        "{calendar}"
    );
    assert!(
        calendar.contains("SUMMARY:Disks\\; all\\, of them\r\n"),
        "{calendar}"
    );
    let summary = door(&app, "/api/v2/summary.json", &[]).await.body;
    assert_eq!(summary["status"]["indicator"], "minor");
    assert_eq!(summary["components"][0]["name"], "Job");
    assert_eq!(summary["incidents"][0]["impact"], "minor");
    assert_eq!(
        summary["scheduled_maintenances"][0]["scheduled_for"],
        "2026-10-15T22:00:00.000Z"
    );
    let unknown = Answer::send(app.http.get(format!("{}/status/nobody", app.base))).await;
    assert_eq!(unknown.status, 404);
    app.finish().await;
}

#[actix::test]
async fn nothing_that_is_written_on_a_page_does_anything() {
    let app = App::spawn().await;
    let (page, monitor, _) = page(&app).await;
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "'><svg onload=alert(1)>",
        "</style><script>alert(1)</script>",
        "</title><script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "<javascript:alert(1)>",
        "![x](x\" onerror=\"alert(1))",
    ];
    for text in hostile {
        let fields = json!({ "statusPageId": page, "name": text, "description": text });
        call_ok(&app, "update", fields).await;
        let fields = json!({ "monitorId": monitor, "displayName": text, "group": text });
        call_ok(&app, "updateMonitorSettings", fields).await;
        let affected = json!([{ "statusPageMonitorId": monitor, "impact": "down" }]);
        let tell = json!({ "statusPageId": page, "title": text, "message": text, "affectedMonitors": affected });
        call_ok(&app, "createIncident", tell).await;
        for path in ["", "/badge.svg"] {
            let shown = door(&app, path, &[]).await;
            for word in ["<script", "<img", "<svg onload", "href=\"javascript"] {
                assert!(!shown.text.contains(word), "{path} {text}: {word}");
            }
        }
    }
    let shown = door(&app, "", &[]).await;
    let policy = shown.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(
        !policy.contains("unsafe") && !policy.contains("script-src"),
        "{policy}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_page_of_twenty_monitors_is_small() {
    let app = App::spawn().await;
    let (page, ..) = page(&app).await;
    for nth in 0..19 {
        let url = format!("{}/uptime/createSchedule", app.base);
        let fields = json!({ "kind": "push", "granularity": "hour", "name": format!("Job {nth}") });
        let monitor = app.post(url, &fields).await.body;
        let add = json!({ "statusPageId": page, "uptimeScheduleId": monitor["scheduleId"] });
        call_ok(&app, "addMonitor", add).await;
    }
    let whole = door(&app, "", &[]).await;
    assert_eq!(whole.text.matches("<section class=\"one\"").count(), 20);
    assert_eq!(whole.text.matches("<i class=").count(), 20 * 90);
    let request = app.http.get(format!("{}/status/example", app.base));
    let packed = request
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let bytes = packed.bytes().await.unwrap().len();
    assert!((1_000..40 << 10).contains(&bytes), "{bytes} bytes");
    app.finish().await;
}

#[actix::test]
async fn what_was_learned_of_an_incident_is_told_once_it_is_over() {
    let app = App::spawn().await;
    let (page, ..) = page(&app).await;
    let tell = json!({ "statusPageId": page, "title": "Slow", "message": "We look." });
    let told = call_ok(&app, "createIncident", tell).await;
    let learn = |message: Value| json!({ "incidentId": told["id"], "message": message });
    let early = call(&app, "setPostmortem", learn(json!("A disk."))).await;
    assert_eq!(early.status, 400, "{}", early.text);
    let over = json!({ "incidentId": told["id"], "status": "resolved", "message": "Fast." });
    call_ok(&app, "updateIncident", over).await;
    let learned = call_ok(&app, "setPostmortem", learn(json!("A **disk**."))).await;
    assert_eq!(learned["postmortem"], "A **disk**.");
    assert!(learned["postmortemAt"].is_string());
    let shown = door(&app, "", &[]).await.text;
    assert!(shown.contains("<p>A <strong>disk</strong>.</p>"), "{shown}");
    let incidents = door(&app, "/api/v2/incidents.json", &[]).await.body;
    assert_eq!(incidents["incidents"][0]["postmortem_body"], "A **disk**.");
    let taken = call_ok(&app, "setPostmortem", learn(Value::Null)).await;
    assert_eq!(taken["postmortem"], Value::Null);
    let unknown = json!({ "incidentId": "nothing", "message": "x" });
    assert_eq!(call(&app, "setPostmortem", unknown).await.status, 404);
    app.finish().await;
}

#[actix::test]
async fn a_page_that_is_not_there_is_told_to_people_as_a_page() {
    let app = App::spawn().await;
    let url = format!("{}/status/nobody", app.base);
    let people = Answer::send(app.http.get(&url).header("accept", "text/html,*/*")).await;
    assert_eq!(people.status, 404);
    assert!(people.header("content-type").starts_with("text/html"));
    assert!(people.text.contains("<h1>Status page not found</h1>"));
    let program = Answer::send(app.http.get(&url)).await;
    assert_eq!(program.status, 404);
    assert!(
        program
            .header("content-type")
            .starts_with("application/json")
    );
    app.finish().await;
}

#[actix::test]
async fn a_page_is_shown_while_the_database_is_away() {
    let app = App::spawn().await;
    let (page, monitor, _) = page(&app).await;
    let tell = json!({ "statusPageId": page, "title": "Slow", "message": "We look." });
    call_ok(&app, "createIncident", tell.clone()).await;
    let state = database::open(app.directory()).await;
    for table in ["status_pages", "monitors", "monitor_days", "organizations"] {
        let away = format!("ALTER TABLE {table} RENAME TO {table}_away");
        state.writer().execute_unprepared(&away).await.unwrap();
    }
    let refused = call(&app, "createIncident", tell).await;
    assert!(refused.status >= 500, "{}", refused.text);
    let shown = door(&app, "", &[]).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert!(shown.text.contains("<h3>Slow</h3>"), "{}", shown.text);
    let badge = format!("/monitors/{monitor}/badge.svg");
    for path in ["/feed.atom", "/api/v2/summary.json", &badge] {
        assert_eq!(door(&app, path, &[]).await.status, 200, "{path}");
    }
    assert_eq!(
        get_page(&app, "example").await["incidents"][0]["title"],
        "Slow"
    );
    app.finish().await;
}
