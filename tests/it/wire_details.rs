//! Details of the wire that published clients rely on.

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    cast::{Cast, OTHER},
};

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

async fn post(app: &App, path: &str, body: Value) -> Answer {
    app.post(format!("{}{path}", app.base), &body).await
}

async fn call_ok(app: &App, path: &str, body: Value) -> Value {
    let answer = post(app, path, body.clone()).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

#[actix::test]
async fn a_page_of_another_origin_can_ask_again_for_flags_that_it_has() {
    let app = App::spawn().await;
    let url = format!(
        "{}/public/v1/flags/{}/ofrep/v1/evaluate/flags",
        app.base, app.website
    );
    let origin = "https://shop.example";
    let preflight = app
        .http
        .request(reqwest::Method::OPTIONS, &url)
        .header("origin", origin)
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "content-type,if-none-match",
        );
    let preflight = Answer::send(preflight).await;
    let allowed = preflight.header("access-control-allow-headers");
    assert!(
        allowed.to_lowercase().contains("if-none-match"),
        "{allowed}"
    );
    let ask = |tag: &str| {
        let request = app.http.post(&url).header("origin", origin);
        let request = request.header("if-none-match", tag.to_owned());
        request.json(&json!({ "context": {} }))
    };
    let first = Answer::send(ask("\"none\"")).await;
    let exposed = first.header("access-control-expose-headers").to_lowercase();
    for name in ["etag", "retry-after"] {
        assert!(
            exposed.split(", ").any(|one| one == name),
            "{name}: {exposed}"
        );
    }
    assert_eq!(Answer::send(ask(first.header("etag"))).await.status, 304);
    app.finish().await;
}

#[actix::test]
async fn refused_definitions_have_an_empty_list_of_flags() {
    let app = App::spawn().await;
    let url = format!(
        "{}/public/v1/flags/definitions?clientId={}",
        app.base, app.website
    );
    for key in [None, Some("svc_unknown-key")] {
        let request = app.http.get(&url);
        let request = match key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        };
        let answer = Answer::send(request).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
        assert_eq!(answer.body["flags"], json!([]), "{}", answer.text);
        assert!(answer.body["error"].is_string(), "{}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn an_answer_to_somebody_is_never_kept_for_others() {
    let app = App::spawn().await;
    for route in ["evaluate?key=a&", "bulk?"] {
        let kept = async |more: &str| {
            let url = format!(
                "{}/public/v1/flags/{route}clientId={}{more}",
                app.base, app.website
            );
            let answer = Answer::send(app.http.get(url)).await;
            answer.header("cache-control").to_owned()
        };
        assert!(kept("").await.starts_with("public, max-age=15"), "{route}");
        for more in [
            "&properties={}",
            "&userId=",
            "&email=a@b.example",
            "&teamId=t",
        ] {
            assert_eq!(kept(more).await, "private, no-store", "{route}{more}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn a_flag_belongs_to_who_is_named_and_is_found_there_alone() {
    let app = App::spawn().await;
    let nobody = post(&app, "/flags/create", json!({ "key": "a" })).await;
    assert_eq!(nobody.status, 400, "{}", nobody.text);
    assert_eq!(
        nobody.body["data"]["issues"][0]["path"],
        json!(["websiteId"]),
        "{}",
        nobody.text
    );

    // Without variants it is its default.
    let fields = json!({ "websiteId": app.website, "key": "plain", "type": "multivariant", "defaultValue": true });
    let flag = call_ok(&app, "/flags/create", fields).await;
    let url = format!(
        "{}/public/v1/flags/evaluate?clientId={}&key=plain",
        app.base, app.website
    );
    let decided = Answer::send(app.http.get(url)).await.body;
    assert_eq!(
        (&decided["value"], &decided["reason"]),
        (&json!(true), &json!("BOOLEAN_DEFAULT"))
    );

    let other = json!({ "name": "Second", "domain": "second.example" });
    let other = call_ok(&app, "/websites/create", other).await["id"].clone();
    let group = json!({ "websiteId": app.website, "name": "g", "color": "#112233", "rules": [] });
    let group = call_ok(&app, "/target-groups/create", group).await;
    for (path, id, resource) in [
        ("/flags/getById", &flag["id"], "Flag"),
        ("/target-groups/getById", &group["id"], "Target group"),
    ] {
        call_ok(&app, path, json!({ "id": id })).await;
        call_ok(&app, path, json!({ "id": id, "websiteId": app.website })).await;
        for wrong in [
            json!({ "id": id, "websiteId": other }),
            json!({ "id": UNKNOWN, "websiteId": app.website }),
            json!({ "id": UNKNOWN }),
        ] {
            let answer = post(&app, path, wrong.clone()).await;
            assert_eq!(answer.status, 404, "{path} {wrong}: {}", answer.text);
            assert_eq!(answer.body["message"], format!("{resource} not found"));
            assert_eq!(answer.body["data"]["resourceType"], resource);
        }
    }
    let patch = json!({ "clientId": app.website, "status": "active" });
    let url = format!("{}/public/v1/flags/{UNKNOWN}", app.base);
    let request = app
        .http
        .patch(url)
        .header("x-api-key", &app.key)
        .json(&patch);
    let answer = Answer::send(request).await;
    assert_eq!(
        (answer.status, &answer.body["error"]),
        (404, &json!("Flag not found"))
    );
    app.finish().await;
}

#[actix::test]
async fn flags_of_foreign_and_unknown_clients_are_refused_with_the_same_bytes() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let key = cast.key(&[Scope::ManageFlags]).await;
    let base = format!("{}/public/v1/flags", app.base);
    let ask = async |client: &str| {
        let flag = json!({ "clientId": client, "key": "a" });
        let requests = [
            app.http
                .get(format!("{base}/definitions?clientId={client}")),
            app.http.post(&base).json(&flag),
            app.http.patch(format!("{base}/{UNKNOWN}")).json(&flag),
            app.http
                .delete(format!("{base}/{UNKNOWN}?clientId={client}")),
        ];
        let mut answers = Vec::new();
        for request in requests {
            let answer = Answer::send(key.on(request).header("x-request-id", "same")).await;
            answers.push((answer.status, answer.text.replace(client, "<id>")));
        }
        answers
    };
    let unknown = ask(UNKNOWN).await;
    for (status, text) in &unknown {
        assert_eq!(*status, 404, "{text}");
    }
    for foreign in [cast.foreign_website.as_str(), OTHER] {
        assert_eq!(ask(foreign).await, unknown, "{foreign}");
    }
    cast.app.finish().await;
}

#[actix::test]
async fn what_is_wrong_with_a_link_is_said_with_its_place() {
    let app = App::spawn().await;
    let link = |field: &str, value: Value| {
        let mut link = json!({ "name": "a", "targetUrl": "https://target.example/" });
        link[field] = value;
        link
    };
    for (path, body, place) in [
        ("/links/create", link("slug", json!("")), json!(["slug"])),
        ("/links/create", link("slug", json!(5)), json!(["slug"])),
        (
            "/links/create",
            link("maxClicks", json!("many")),
            json!(["maxClicks"]),
        ),
        (
            "/links/create",
            link("tags", json!(["a", 5])),
            json!(["tags", 1]),
        ),
        (
            "/links/create",
            link(
                "variants",
                json!([{ "url": "https://a.example", "weight": "x" }]),
            ),
            json!(["variants", 0, "weight"]),
        ),
        (
            "/links/list",
            json!({ "externalId": 5 }),
            json!(["externalId"]),
        ),
        (
            "/flags/list",
            json!({ "websiteId": 5 }),
            json!(["websiteId"]),
        ),
    ] {
        let answer = post(&app, path, body.clone()).await;
        assert_eq!(answer.status, 400, "{path} {body}: {}", answer.text);
        assert_eq!(
            answer.body["data"]["issues"][0]["path"], place,
            "{body}: {}",
            answer.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn an_export_without_a_format_is_json() {
    let app = App::spawn().await;
    let file = call_ok(
        &app,
        "/websites/exportDownload",
        json!({ "websiteId": app.website }),
    )
    .await;
    assert_eq!(file["metadata"]["format"], "json", "{file}");
    assert!(
        file["filename"].as_str().unwrap().rsplit('.').next() == Some("json"),
        "{file}"
    );
    app.finish().await;
}

#[actix::test]
async fn roots_of_interfaces_ask_for_credentials() {
    let app = App::spawn().await;
    for path in ["/v1", "/v1/", "/v2", "/api", "/api/v1"] {
        let answer = Answer::send(app.http.get(format!("{}{path}", app.base))).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.text);
        assert_eq!(
            (&answer.body["success"], &answer.body["code"]),
            (&json!(false), &json!("AUTH_REQUIRED")),
            "{path}: {}",
            answer.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn the_tracking_host_says_how_its_services_are() {
    let app = App::spawn().await;
    let answer = Answer::send(app.http.get(format!("{}/health/status", app.track))).await;
    assert_eq!(
        (answer.status, &answer.body["status"]),
        (200, &json!("ok")),
        "{}",
        answer.text
    );
    let services = answer.body["services"].as_object().unwrap();
    assert!(services.contains_key("event_store"), "{}", answer.text);
    for (name, service) in services {
        assert_eq!(service["status"], "ok", "{name}");
        assert!(service["latency_ms"].is_u64(), "{name}");
    }
    app.finish().await;
}

#[actix::test]
async fn the_address_of_the_card_takes_messages_too() {
    let app = App::spawn().await;
    let url = format!("{}/.well-known/mcp", app.base);
    let card = Answer::send(app.http.get(&url)).await;
    assert_eq!(card.status, 200, "{}", card.text);
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let ask = |key: Option<&str>| {
        let request = app.http.post(&url).json(&message);
        let request = request
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25");
        match key {
            Some(key) => request.header("x-api-key", key.to_owned()),
            None => request,
        }
    };
    let listed = Answer::send(ask(Some(&app.key))).await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    assert!(listed.body["result"]["tools"].is_array(), "{}", listed.text);
    let refused = Answer::send(ask(None)).await;
    assert_eq!(refused.status, 401, "{}", refused.text);
    assert!(
        refused
            .header("www-authenticate")
            .contains("resource_metadata")
    );
    app.finish().await;
}
