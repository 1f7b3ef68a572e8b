//! The published schema matches the program.

mod pinned;

use pharos::http::{Urls, openapi};
use serde_json::{Value, json};

use crate::{
    agents,
    app::{Answer, App},
    process::pharos,
    schema,
};

/// Public addresses that do not change from run to run.
fn urls() -> Urls {
    Urls {
        base: "https://api.pharos.example".into(),
        track: "https://in.pharos.example".into(),
        links: "https://go.pharos.example".into(),
        docs: "https://api.pharos.example".into(),
    }
}

/// Every operation: path, method, and where it is served when that is not `{base_url}`.
pub fn operations(document: &Value) -> Vec<(String, String, Option<String>)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let shared = &item["servers"];
        for (method, operation) in item.as_object().unwrap() {
            if method != "servers" {
                let own = operation.get("servers").unwrap_or(shared);
                let server = own[0]["url"].as_str().map(str::to_owned);
                all.push((path.clone(), method.clone(), server));
            }
        }
    }
    all
}

/// What is served on the host of events.
const TRACK_ROUTES: [&str; 32] = [
    "/track",
    "/mcp",
    "/ai-traffic",
    "/",
    "/batch",
    "/vitals",
    "/errors",
    "/engagement",
    "/events",
    "/px.jpg",
    "/identify",
    "/api/event",
    "/api/send",
    "/api/batch",
    "/i/v0/e/",
    "/v1/track",
    "/v1/page",
    "/v1/screen",
    "/v1/identify",
    "/v1/alias",
    "/v1/group",
    "/v1/batch",
    "/matomo.php",
    "/matomo.php",
    "/piwik.php",
    "/piwik.php",
    "/mp/collect",
    "/debug/mp/collect",
    "/pharos.js",
    "/databuddy.js",
    "/flags",
    "/decide",
];

#[test]
fn versions_and_groups_are_the_specs() {
    let document = openapi::document(&urls());
    assert_eq!(document["openapi"], "3.1.1");
    assert_eq!(document["info"]["version"], "1.0.0");
    assert_eq!(
        document["servers"],
        json!([{ "url": "https://api.pharos.example" }])
    );
    let groups: Vec<&Value> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    assert_eq!(
        groups,
        [
            "Alarms",
            "Annotations",
            "API Keys",
            "Autocomplete",
            "Feedback",
            "Flags",
            "Funnels",
            "Goals",
            "Links",
            "Organizations",
            "Preferences",
            "StatusPage",
            "Target Groups",
            "Uptime",
            "Websites",
        ]
    );
    let elsewhere: Vec<String> = operations(&document)
        .into_iter()
        .filter_map(|(path, _, server)| {
            let server = server?;
            assert_eq!(server, "https://in.pharos.example", "{path}");
            Some(path)
        })
        .collect();
    assert_eq!(elsewhere, TRACK_ROUTES);
}

#[actix::test]
async fn every_documented_operation_is_answered_where_it_is_said_to_be() {
    let provider =
        "[[auth.oidc]]\nname = 'some'\nissuer = 'http://127.0.0.1:9'\nclient_id = 'pharos'";
    let app = App::with(provider).await;
    let published = app.get(format!("{}/openapi.json", app.base)).await.body;
    let own = Urls {
        base: app.base.clone(),
        track: app.track.clone(),
        links: app.links.clone(),
        docs: app.base.clone(),
    };
    assert_eq!(published, openapi::document(&own));
    let all = operations(&published);
    assert!(all.len() >= 20, "{}", all.len());
    let link = json!({ "name": "a", "targetUrl": "https://example.com" });
    let making = app.http.post(format!("{}/links/create", app.base));
    let making = making.header("x-api-key", &app.key).json(&link);
    let link = Answer::send(making).await.body["id"].clone();
    let push = json!({ "kind": "push", "granularity": "hour" });
    let making = app
        .post(format!("{}/uptime/createSchedule", app.base), &push)
        .await;
    let push = making.body["pushUrl"].as_str().unwrap().to_owned();
    let token = push.rsplit('/').next().unwrap();
    let page = json!({ "name": "Shown", "slug": "shown" });
    let page = app
        .post(format!("{}/statusPage/create", app.base), &page)
        .await;
    let logo = json!({ "statusPageId": page.body["id"], "data": "iVBORw0KGgo=" });
    let url = format!("{}/statusPage/setLogo", app.base);
    assert_eq!(app.post(url, &logo).await.status, 200);
    let add =
        json!({ "statusPageId": page.body["id"], "uptimeScheduleId": making.body["scheduleId"] });
    let listed = app
        .post(format!("{}/statusPage/addMonitor", app.base), &add)
        .await;
    let listed = listed.body["id"].as_str().unwrap().to_owned();
    let file = json!({ "websiteId": app.website, "format": "posthog", "filename": "events.jsonl" });
    let import = app
        .post(format!("{}/imports/create", app.base), &file)
        .await;
    let import = import.body["id"].as_str().unwrap().to_owned();
    for (path, method, server) in all {
        // A stream has no end to wait for, and no provider is there.
        if path.ends_with("/stream") || path == "/api/auth/oidc/{provider}" {
            continue;
        }
        // What is deleted on the way is not looked for behind it.
        let of_page = path.starts_with("/status/");
        let path = path
            .replace("{slug}", "shown")
            .replace(
                "{id}",
                if of_page {
                    &listed
                } else {
                    link.as_str().unwrap()
                },
            )
            .replace("{token}", token)
            .replace("{provider}", "some")
            .replace("{guide}", "quickstart")
            .replace("{kind}", "websites")
            .replace("{importId}", &import)
            .replace("{group}", "websites");
        let url = format!("{}{path}", server.as_ref().unwrap_or(&app.base));
        let method = reqwest::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        let request = app
            .http
            .request(method.clone(), &url)
            .header("x-api-key", &app.key);
        let answer = Answer::send(request.json(&json!({}))).await;
        assert!(
            !matches!(answer.status, 404 | 405 | 500..) || answer.text.contains("FLAG_NOT_FOUND"),
            "{method} {url}: {} {}",
            answer.status,
            answer.text
        );
        assert!(!answer.header("x-request-id").is_empty(), "{method} {url}");
    }
    app.finish().await;
}

/// Every schema of the document, with the place where it begins.
fn schemas(document: &Value) -> Vec<(String, &Value)> {
    let named = document["components"]["schemas"].as_object().unwrap();
    let mut all: Vec<(String, &Value)> = named
        .iter()
        .map(|(name, schema)| (name.clone(), schema))
        .collect();
    for (name, response) in document["components"]["responses"]
        .as_object()
        .into_iter()
        .flatten()
    {
        for (_, media) in response["content"].as_object().unwrap() {
            all.push((name.clone(), &media["schema"]));
        }
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let bodies = operation["responses"].as_object().into_iter().flatten();
            let bodies = bodies.map(|(_, response)| response);
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            for part in bodies.chain(parameters).chain(operation.get("requestBody")) {
                let content = part["content"].as_object().into_iter().flatten();
                let content = content.map(|(_, media)| &media["schema"]);
                for schema in content.chain(part.get("schema")) {
                    all.push((format!("{method} {path}"), schema));
                }
            }
        }
    }
    all
}

/// Clients in TypeScript refuse a property whose schema is `true`.
#[actix::test]
async fn every_member_of_every_schema_is_an_object() {
    let app = App::with("").await;
    let document = app.get(format!("{}/openapi.json", app.base)).await.body;
    let tools = agents::tools(&app, &app.key).await;
    let mut all = schemas(&document);
    for tool in &tools {
        for part in ["inputSchema", "outputSchema"] {
            let place = format!("{} {part}", tool["name"].as_str().unwrap());
            all.push((place, &tool[part]));
        }
    }
    assert!(all.len() > 500, "{}", all.len());
    let mut found = Vec::new();
    for (place, schema) in all {
        schema::every(schema, &place, &mut |place, rule, schema| {
            // Whether there may be further members is said with a boolean everywhere.
            if !schema.is_object() && !rule.ends_with("Properties") {
                found.push(format!("{place}: {schema}"));
            }
        });
    }
    assert!(found.is_empty(), "{found:#?}");
    app.finish().await;
}

#[test]
fn the_command_prints_the_same_document() {
    let directory = tempfile::tempdir().unwrap();
    let Urls {
        base,
        track,
        links,
        docs,
    } = urls();
    let output = pharos(directory.path())
        .arg("openapi")
        .env("PHAROS__SERVER__BASE_URL", base)
        .env("PHAROS__SERVER__TRACK_URL", track)
        .env("PHAROS__SERVER__LINKS_URL", links)
        .env("PHAROS__SERVER__DOCS_URL", docs)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed, openapi::document(&urls()));
}
