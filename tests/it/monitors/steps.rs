use serde_json::{Value, json};

use super::{OPEN, check_all, last_check, servers::Web};
use crate::{
    app::App,
    uptime::{call_ok, create},
};

const TOKEN: &str = "a\"b{}";

/// A shop that wants a token and a cookie after its sign-in.
fn shop(request: &str) -> String {
    let line = request.lines().next().unwrap_or_default();
    let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
    match line.rsplit_once(' ').map_or("", |(line, _)| line) {
        "POST /login" if body == r#"{"user":"m","password":"right"}"# => {
            let token = json!({ "token": TOKEN, "user": { "id": 7 } });
            format!("200 OK\nset-cookie: session=s1; Path=/\n\n{token}")
        }
        "POST /login" => "401 Unauthorized\n\n".to_owned(),
        "GET /users/7?of=a%22b%7B%7D" if request.contains("session=s1\r\n") => {
            "200 OK\n\n<input name=\"csrf\" value=\"c<1>\">".to_owned()
        }
        "POST /orders" if request.contains("Bearer a\"b{}\r\n") => {
            let sent: Value = serde_json::from_str(body).unwrap();
            let good = sent == json!({ "token": TOKEN, "user": 7, "csrf": "c<1>" });
            let status = if good {
                "201 Created"
            } else {
                "400 Bad Request"
            };
            format!("{status}\n\n{{\"state\":\"new\"}}")
        }
        _ => "404 Not Found\n\n".to_owned(),
    }
}

fn sign_in(password: &str) -> Value {
    json!({
        "name": "Sign in", "url": "login", "method": "POST",
        "body": format!("{{\"user\":\"m\",\"password\":\"{password}\"}}"),
        "save": { "token": "$.token", "id": "$.user.id", "session": "header:Set-Cookie:session=([^;]+)" },
    })
}

fn user() -> Value {
    json!({
        "url": "/users/{{id}}?of={{token}}", "headers": { "Cookie": "session={{session}}" },
        "save": { "csrf": "name=\"csrf\" value=\"([^\"]+)\"" }, "expect": { "contains": "csrf" },
    })
}

fn order() -> Value {
    json!({
        "name": "Order", "url": "/orders", "method": "POST", "headers": { "Content-Type": "application/json" },
        "auth": { "type": "bearer", "token": "{{token}}" },
        "body": "{\"token\":\"{{token}}\",\"user\":{{id}},\"csrf\":{{csrf}}}",
    })
}

#[actix::test]
async fn later_steps_use_what_earlier_ones_found() {
    let web = Web::start(shop).await;
    let app = App::with(OPEN).await;
    let at = |path: &str, steps: Value, expect: Value| json!({ "url": format!("{}{path}", web.url), "steps": steps, "expect": expect });
    let created = json!({ "status": ["201"], "json": [{ "path": "state", "equals": "new" }] });
    let all = json!([sign_in("right"), user(), order()]);
    let lost =
        json!([sign_in("right"), { "url": "/users/7?of={{token}}", "save": { "gone": "$.gone" } }]);
    check_all(
        &app,
        vec![
            (at("/?1", all.clone(), created), None),
            (at("/?2", all, json!({ "status": ["200"] })), Some("status")),
            (at("/?3", json!([sign_in("wrong"), user()]), json!({})), Some("status")),
            (at("/?4", lost, json!({})), Some("status")),
            (at("/?5", json!([{ "url": "/login", "expect": { "status": ["404"] }, "save": { "a": "(x)" } }]), json!({})), Some("assertion")),
        ],
    )
    .await;
    let steps = json!([sign_in("wrong")]);
    let id = create(
        &app,
        json!({ "url": format!("{}/?6", web.url), "granularity": "hour", "steps": steps }),
    )
    .await;
    let error = last_check(&app, &id).await["error"].clone();
    assert_eq!(error, "step 1 (Sign in): HTTP 401: Unauthorized");
    app.finish().await;
}

#[actix::test]
async fn steps_that_cannot_be_made_are_refused_and_name_their_place() {
    let app = App::with(OPEN).await;
    let many: Vec<Value> = (0..11).map(|_| json!({ "url": "/" })).collect();
    for (steps, field) in [
        (json!([]), "steps"),
        (json!(many), "steps"),
        (json!([{ "url": "/{{token}}" }]), "steps.0.save"),
        (
            json!([sign_in("a"), { "url": "https://{{token}}/" }]),
            "steps.1.url",
        ),
        (json!([{ "url": "ftp://example.com/" }]), "steps.0.url"),
        (json!([{ "headers": { "Host": "a" } }]), "steps.0.headers"),
        (json!([{ "save": { "a b": "$.a" } }]), "steps.0.save"),
        (json!([{ "save": { "a": "(" } }]), "steps.0.save"),
        (
            json!([{ "expect": { "certificateDays": 5 } }]),
            "steps.0.expect",
        ),
    ] {
        let body = json!({ "url": "https://example.com", "granularity": "hour", "steps": steps });
        let url = format!("{}/uptime/createSchedule", app.base);
        let answer = app.post(url, &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        let path = answer.body["data"]["issues"][0]["path"].as_array();
        let parts = path.unwrap().iter();
        let parts = parts.map(|part| part.to_string().trim_matches('"').to_owned());
        let place = parts.collect::<Vec<_>>().join(".");
        assert_eq!(place, field, "{body}: {}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn secrets_of_steps_are_hidden_and_stay_when_they_are_sent_back_as_shown() {
    let web = Web::start(|request| {
        let is_known = request.contains("authorization: Basic dTpzM2NyM3Q=\r\n")
            && request.to_lowercase().contains("x-api-key: s3cr3t\r\n");
        let status = if is_known {
            "200 OK"
        } else {
            "401 Unauthorized"
        };
        format!("{status}\n\n")
    })
    .await;
    let app = App::with(OPEN).await;
    let step = json!({
        "url": "/a", "headers": { "X-Api-Key": "s3cr3t" }, "auth": { "type": "basic", "username": "u", "password": "s3cr3t" },
    });
    let url = format!("{}/", web.url);
    let id = create(
        &app,
        json!({ "url": url, "granularity": "hour", "steps": [step] }),
    )
    .await;
    assert_eq!(last_check(&app, &id).await["errorClass"], Value::Null);
    let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
    assert!(!shown.to_string().contains("s3cr3t"), "{shown}");
    let mut steps = shown["steps"].clone();
    steps[0]["name"] = json!("Front page");
    let change = json!({ "scheduleId": id, "steps": steps });
    call_ok(&app, "updateSchedule", change).await;
    let checked = shown["lastCheckedAt"].clone();
    app.clock.advance(std::time::Duration::from_hours(1));
    crate::app::until("it is checked again", async || {
        let shown = call_ok(&app, "getSchedule", json!({ "scheduleId": id })).await;
        shown["lastCheckedAt"] != checked
    })
    .await;
    assert_eq!(last_check(&app, &id).await["errorClass"], Value::Null);
    app.finish().await;
}
