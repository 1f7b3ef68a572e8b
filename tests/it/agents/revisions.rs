//! What each revision of the protocol asks for, byte by byte (threat T42).

use serde_json::{Value, json};

use super::{ask, post};
use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

const JSON: (&str, &str) = ("content-type", "application/json");
const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

fn code(answer: &Answer) -> Value {
    answer.body["error"]["code"].clone()
}

#[actix::test]
async fn every_older_revision_says_hello_and_goes_on_without_a_session() {
    let app = App::spawn().await;
    let key = ("x-api-key", app.key.as_str());
    for (asked, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-12-31", "2025-11-25"),
    ] {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        } });
        let answer = post(&app, &[key, JSON, BOTH], &hello.to_string()).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("mcp-session-id"), "");
        let result = &answer.body["result"];
        assert_eq!(result["protocolVersion"], agreed);
        assert_eq!(result["serverInfo"]["name"], "pharos");
        assert!(result["capabilities"]["tools"].is_object());
        let version = ("mcp-protocol-version", agreed);
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let told = post(&app, &[key, JSON, BOTH, version], ready).await;
        assert_eq!((told.status, told.text.as_str()), (202, ""));
        let reply = r#"{"jsonrpc":"2.0","id":4,"result":{}}"#;
        assert_eq!(
            post(&app, &[key, JSON, BOTH, version], reply).await.status,
            202
        );
        // A session of another client's making means nothing.
        let session = ("mcp-session-id", "stolen");
        let listed = post(&app, &[key, JSON, BOTH, version, session], LIST).await;
        assert!(listed.body["result"]["tools"].is_array(), "{}", listed.text);
        assert!(listed.body["result"].get("resultType").is_none());
        let ping = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
        let pong = post(&app, &[key, JSON, BOTH, version], ping).await;
        assert_eq!(
            pong.body,
            json!({ "jsonrpc": "2.0", "id": "a", "result": {} })
        );
        let none = r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#;
        let none = post(&app, &[key, JSON, BOTH, version], none).await;
        assert_eq!((none.status, code(&none)), (200, json!(-32601)));
    }
    app.finish().await;
}

#[actix::test]
async fn batches_are_the_first_revisions_alone() {
    let app = App::spawn().await;
    let key = ("x-api-key", app.key.as_str());
    let batch = format!(
        r#"[{LIST},{{"jsonrpc":"2.0","method":"notifications/initialized"}},{{"jsonrpc":"2.0","id":2,"method":"ping"}}]"#
    );
    for headers in [
        &[key, JSON, BOTH][..],
        &[key, JSON, BOTH, ("mcp-protocol-version", "2025-03-26")],
    ] {
        let answer = post(&app, headers, &batch).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let ids: Vec<_> = answer
            .body
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].clone())
            .collect();
        assert_eq!(ids, [json!(1), json!(2)]);
    }
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let answer = post(
            &app,
            &[key, JSON, BOTH, ("mcp-protocol-version", version)],
            &batch,
        )
        .await;
        assert_eq!(
            (answer.status, code(&answer)),
            (400, json!(-32600)),
            "{version}"
        );
    }
    let told = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    assert_eq!(post(&app, &[key, JSON, BOTH], told).await.status, 202);
    let many = format!("[{}]", vec![LIST; 21].join(","));
    for wrong in ["[]", &many] {
        assert_eq!(post(&app, &[key, JSON, BOTH], wrong).await.status, 400);
    }
    app.finish().await;
}

#[actix::test]
async fn the_last_revision_stands_for_itself_and_its_headers_are_its_body() {
    let app = App::spawn().await;
    let key = ("x-api-key", app.key.as_str());
    let last = ("mcp-protocol-version", "2026-07-28");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = |method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string()
    };
    let ask = async |method: &str, body: &str, more: &[(&str, &str)]| {
        let mut headers = vec![key, JSON, BOTH, last];
        if !method.is_empty() {
            headers.push(("mcp-method", method));
        }
        headers.extend(more);
        post(&app, &headers, body).await
    };
    let found = ask("server/discover", &body("server/discover", json!({})), &[]).await;
    assert_eq!(found.status, 200, "{}", found.text);
    let result = &found.body["result"];
    let versions = json!(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(result["supportedVersions"], versions);
    assert_eq!(
        (&result["resultType"], &result["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    assert!(result["ttlMs"].is_u64());
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "pharos"
    );

    let call = body(
        "tools/call",
        json!({ "name": "list_flags", "arguments": {} }),
    );
    let name = [("mcp-name", "list_flags")];
    let good = ask("tools/call", &call, &name).await;
    assert_eq!(good.body["result"]["isError"], false, "{}", good.text);
    for (method, body, more, status, expected) in [
        ("tools/call", call.as_str(), &[][..], 400, -32020),
        (
            "tools/call",
            call.as_str(),
            &[("mcp-name", "delete_link")],
            400,
            -32020,
        ),
        ("tools/list", call.as_str(), &name, 400, -32020),
        ("", call.as_str(), &name, 400, -32020),
        ("tools/list", LIST, &[], 400, -32602),
        ("ping", body("ping", json!({})).as_str(), &[], 404, -32601),
        (
            "no/such",
            body("no/such", json!({})).as_str(),
            &[],
            404,
            -32601,
        ),
        (
            "tools/call",
            body("tools/call", json!({ "name": "none" })).as_str(),
            &[("mcp-name", "none")],
            200,
            -32602,
        ),
    ] {
        let answer = ask(method, body, more).await;
        assert_eq!(
            (answer.status, code(&answer)),
            (status, json!(expected)),
            "{method} {body}: {}",
            answer.text
        );
    }
    let told = r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#;
    assert_eq!(ask("notifications/cancelled", told, &[]).await.status, 202);
    assert_eq!(ask("tools/list", told, &[]).await.status, 400);
    let listed = [
        key,
        JSON,
        last,
        ("mcp-method", "tools/list"),
        ("accept", "application/json"),
    ];
    let one_type = post(&app, &listed, &body("tools/list", json!({}))).await;
    assert_eq!(one_type.status, 406);
    app.finish().await;
}

#[actix::test]
async fn what_is_no_message_is_told_so() {
    let app = App::spawn().await;
    let key = ("x-api-key", app.key.as_str());
    for version in ["2024-11-05", "2030-01-01", "x"] {
        let answer = post(
            &app,
            &[key, JSON, BOTH, ("mcp-protocol-version", version)],
            LIST,
        )
        .await;
        assert_eq!(
            (answer.status, code(&answer)),
            (400, json!(-32022)),
            "{version}"
        );
        assert_eq!(answer.body["error"]["data"]["requested"], version);
    }
    for (body, expected) in [
        ("{", -32700),
        ("7", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    ] {
        let answer = post(&app, &[key, JSON, BOTH], body).await;
        assert_eq!(
            (answer.status, code(&answer)),
            (400, json!(expected)),
            "{body}"
        );
    }
    let plain = post(&app, &[key, ("content-type", "text/plain"), BOTH], LIST).await;
    assert_eq!(plain.status, 415);
    let page = post(&app, &[key, JSON, ("accept", "text/html")], LIST).await;
    assert_eq!(page.status, 406);
    for accept in ["*/*", "application/json"] {
        assert_eq!(
            post(&app, &[key, JSON, ("accept", accept)], LIST)
                .await
                .status,
            200
        );
    }
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        for path in ["/v1/mcp", "/v1/mcp/", "/mcp"] {
            let request = app
                .http
                .request(method.clone(), format!("{}{path}", app.base));
            let answer = Answer::send(request.header("x-api-key", &app.key)).await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "POST"),
                "{method} {path}"
            );
        }
    }
    let (hello, other) = (
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#,
        ("mcp-protocol-version", "2025-11-25"),
    );
    assert_eq!(
        post(&app, &[key, JSON, BOTH, other], hello).await.status,
        400
    );
    app.finish().await;
}

#[actix::test]
async fn only_our_own_pages_and_names_may_speak_to_it() {
    let app = App::with("server.allowed_origins = [\"https://console.example\"]").await;
    let key = ("x-api-key", app.key.as_str());
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let answer = post(&app, &[key, JSON, BOTH, ("origin", origin)], LIST).await;
        assert_eq!(answer.status, 403, "{origin}");
        assert!(
            answer.text.contains("server.allowed_origins"),
            "{}",
            answer.text
        );
    }
    for origin in [app.base.as_str(), "https://console.example"] {
        assert_eq!(
            post(&app, &[key, JSON, BOTH, ("origin", origin)], LIST)
                .await
                .status,
            200,
            "{origin}"
        );
    }
    for (host, status) in [
        ("evil.example", 403),
        ("rebound.evil.example:8080", 403),
        ("localhost:9", 200),
        ("console.example", 200),
        ("192.168.7.7", 200),
    ] {
        let answer = post(&app, &[key, JSON, BOTH, ("host", host)], LIST).await;
        assert_eq!(answer.status, status, "{host}: {}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn without_credentials_it_says_how_to_get_some() {
    let app = App::spawn().await;
    let metadata = format!("{}/.well-known/oauth-protected-resource/v1/mcp", app.base);
    for headers in [
        &[JSON, BOTH][..],
        &[JSON, BOTH, ("x-api-key", "svc_unknown")],
        &[JSON, BOTH, ("authorization", "Bearer x")],
    ] {
        let answer = post(&app, headers, LIST).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
        let challenge = answer.header("www-authenticate");
        assert!(
            challenge.starts_with("Bearer ") && challenge.contains(&metadata),
            "{challenge}"
        );
    }
    let read = Answer::send(app.http.get(&metadata)).await;
    assert_eq!(read.body["resource"], format!("{}/v1/mcp", app.base));
    assert_eq!(read.body["authorization_servers"], json!([app.base]));
    // A person in a session speaks to it as well, from our own pages.
    let owner = Browser::owner(&app).await;
    let body: Value = serde_json::from_str(LIST).unwrap();
    let listed = owner.post("/v1/mcp", &body).await;
    assert!(
        listed.body["result"]["tools"].as_array().unwrap().len() > 25,
        "{}",
        listed.text
    );
    let bearer = format!("Bearer {}", app.key);
    assert_eq!(
        post(&app, &[JSON, BOTH, ("authorization", &bearer)], LIST)
            .await
            .status,
        200
    );
    assert_eq!(
        ask(&app, &app.key, "tools/list", json!({})).await.status,
        200
    );
    app.finish().await;
}
