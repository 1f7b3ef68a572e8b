//! Agents: the MCP endpoint by the protocol's own client and byte by byte, and what programs read before they talk to us.

pub mod answers;
mod chats;
mod client;
mod discovery;
mod injection;
mod insights;
mod memory;
mod revisions;
mod rights;

use serde_json::{Value, json};

use crate::app::{Answer, App};

/// Posts a message with headers and nothing else.
async fn post(app: &App, headers: &[(&str, &str)], body: &str) -> Answer {
    let request = app
        .http
        .post(format!("{}/v1/mcp", app.base))
        .body(body.to_owned());
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    Answer::send(request).await
}

/// Asks as a client of 2025-11-25 does that says no more than it has to.
async fn ask(app: &App, key: &str, method: &str, params: Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let headers = [
        ("x-api-key", key),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    post(app, &headers, &body.to_string()).await
}

/// Calls a tool; what it gave back, and whether it is an error.
async fn call(app: &App, key: &str, tool: &str, arguments: Value) -> (Value, bool) {
    let params = json!({ "name": tool, "arguments": arguments });
    let answer = ask(app, key, "tools/call", params).await;
    assert_eq!(answer.status, 200, "{tool}: {}", answer.text);
    let result = &answer.body["result"];
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{tool}: {}", answer.text));
    let told: Value = serde_json::from_str(text).unwrap();
    let failed = result["isError"] == true;
    if !failed {
        assert_eq!(result["structuredContent"], told, "{tool}");
    }
    (told, failed)
}

/// Calls a tool that has to work.
async fn call_ok(app: &App, tool: &str, arguments: Value) -> Value {
    let (told, failed) = call(app, &app.key, tool, arguments).await;
    assert!(!failed, "{tool}: {told}");
    told
}

/// The tools that a key sees.
pub async fn tools(app: &App, key: &str) -> Vec<Value> {
    let listed = ask(app, key, "tools/list", json!({})).await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    listed.body["result"]["tools"].as_array().unwrap().clone()
}

/// One of each thing that tools are about: its id by the router that has it.
async fn things(app: &App, name: &str) -> Vec<(&'static str, String)> {
    let made = async |path: &str, body: Value| {
        let answer = app.post(format!("{}{path}", app.base), &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        let id = [&answer.body["id"], &answer.body["scheduleId"]]
            .into_iter()
            .find_map(Value::as_str);
        id.unwrap_or_else(|| panic!("{path}: {}", answer.text))
            .to_owned()
    };
    let website = &app.website;
    let flag = made(
        "/flags/create",
        json!({ "websiteId": website, "key": name }),
    )
    .await;
    let group = json!({ "websiteId": website, "name": name, "color": "#112233", "rules": [] });
    let plan = json!({ "flagId": flag, "type": "enable", "scheduledAt": "2027-01-01T00:00:00Z" });
    let monitor = json!({ "name": name, "kind": "push", "granularity": "hour" });
    let [goal, funnel, note, alarm] = studied(website, name);
    vec![
        ("websites", website.clone()),
        ("targetGroups", made("/target-groups/create", group).await),
        ("flagSchedules", made("/flag-schedules/create", plan).await),
        (
            "links",
            made(
                "/links/create",
                json!({ "name": name, "targetUrl": "https://example.com" }),
            )
            .await,
        ),
        (
            "linkFolders",
            made("/link-folders/create", json!({ "name": name })).await,
        ),
        ("uptime", made("/uptime/createSchedule", monitor).await),
        ("goals", made("/goals/create", goal).await),
        ("funnels", made("/funnels/create", funnel).await),
        ("annotations", made("/annotations/create", note).await),
        ("alarms", made("/alarms/create", alarm).await),
        (
            "statusPage",
            made("/statusPage/create", json!({ "name": name, "slug": name })).await,
        ),
        (
            "agentMemory",
            made("/agent-memory/save", json!({ "text": name })).await,
        ),
        ("flags", flag),
    ]
}

/// What makes a goal, a funnel, an annotation and an alarm.
fn studied(website: &str, name: &str) -> [Value; 4] {
    let step = json!({ "type": "EVENT", "target": name, "name": name });
    let range =
        json!({ "start_date": "2026-01-01", "end_date": "2026-01-02", "granularity": "daily" });
    let telegram = json!({ "type": "telegram", "identifier": "1", "config": { "token": "1:t" } });
    [
        json!({ "websiteId": website, "type": "EVENT", "target": name, "name": name }),
        json!({ "websiteId": website, "name": name, "steps": [step, step] }),
        json!({
            "websiteId": website, "chartType": "metrics", "annotationType": "point", "xValue": "2026-01-01",
            "text": name, "chartContext": { "dateRange": range },
        }),
        json!({ "name": name, "destinations": [telegram] }),
    ]
}

/// Arguments with which a tool finds something, as its schema asks for them.
fn arguments(tool: &Value, things: &[(&'static str, String)], website: &str) -> Value {
    let procedure = tool["_meta"]["pharos/procedure"].as_str().unwrap();
    let router = procedure.split('.').next().unwrap();
    let id = |router: &str| {
        let known = things.iter().find(|(known, _)| *known == router);
        known.map_or_else(|| "none".to_owned(), |(_, id)| id.clone())
    };
    let schema = &tool["inputSchema"];
    let mut arguments = json!({});
    if schema["properties"].get("websiteId").is_some() {
        arguments["websiteId"] = json!(website);
    }
    if router == "insights" && schema["properties"].get("type").is_some() {
        arguments["type"] = json!("top_pages");
    }
    for field in schema["required"].as_array().into_iter().flatten() {
        let field = field.as_str().unwrap();
        arguments[field] = match field {
            "id" => json!(id(router)),
            "scheduleId" => json!(id("uptime")),
            "flagId" => json!(id("flags")),
            "goalId" => json!(id("goals")),
            "funnelId" => json!(id("funnels")),
            "alarmId" => json!(id("alarms")),
            "statusPageId" => json!(id("statusPage")),
            "websiteId" => json!(website),
            "key" => json!("sample"),
            "steps" => ["/", "/thanks"]
                .map(|path| json!({ "type": "PAGE_VIEW", "target": path, "name": path }))
                .into(),
            "type" => json!("top_pages"),
            "days" => json!(7),
            "change" => json!({ "defaultValue": true }),
            _ => match schema["properties"][field]["type"].as_str() {
                Some("integer" | "number") => json!(1),
                Some("boolean") => json!(true),
                Some("array") => json!([]),
                Some("object") => json!({}),
                _ => json!("none"),
            },
        };
    }
    arguments
}
