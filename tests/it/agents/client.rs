//! The protocol's own client, in both of its ways to begin.

use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{
        CallToolRequestParams, GetPromptRequestParams, ProtocolVersion, ReadResourceRequestParams,
    },
    service::RunningService,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};

use super::{arguments, things};
use crate::{app::App, schema::find_mismatches};

async fn connected(app: &App, lifecycle: ClientLifecycleMode) -> RunningService<RoleClient, ()> {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/v1/mcp", app.base));
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(app.key.clone()));
    ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

/// Calls a tool that has to exist; what it gave back, and whether it is an error.
async fn called(
    client: &RunningService<RoleClient, ()>,
    name: &str,
    arguments: &Value,
) -> (Value, bool) {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
    let result = client.call_tool(params).await;
    let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    let result = serde_json::to_value(result).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    (
        serde_json::from_str(text).unwrap(),
        result["isError"] == true,
    )
}

async fn goes_through_all(app: &App, lifecycle: ClientLifecycleMode, slug: &str) {
    let client = connected(app, lifecycle).await;
    reads_all(app, &client, slug).await;
    writes_one(&client, slug).await;
    takes_offers(&client).await;
    client.cancel().await.unwrap();
}

/// Every tool that only reads answers, or says what to do about it.
async fn reads_all(app: &App, client: &RunningService<RoleClient, ()>, slug: &str) {
    let things = things(app, slug).await;
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.len() > 25, "{}", tools.len());
    let mut answered = 0;
    for tool in &tools {
        let shown = serde_json::to_value(tool).unwrap();
        if shown["annotations"]["readOnlyHint"] != true {
            continue;
        }
        let mut given = arguments(&shown, &things, &app.website);
        for name in ["key", "slug"] {
            if given.get(name).is_some() {
                given[name] = json!(slug);
            }
        }
        let (told, failed) = called(client, &tool.name, &given).await;
        let router = shown["_meta"]["pharos/procedure"]
            .as_str()
            .unwrap()
            .split('.')
            .next()
            .unwrap();
        let known = router == "insights" || things.iter().any(|(known, _)| *known == router);
        assert!(!failed || !known, "{} {given}: {told}", tool.name);
        if failed {
            assert!(told["fix"].is_string(), "{} {told}", tool.name);
        }
        if !failed {
            let wrong = find_mismatches(&shown["outputSchema"], &told);
            assert!(wrong.is_empty(), "{}: {wrong:?}", tool.name);
        }
        answered += usize::from(!failed);
    }
    assert!(answered > 15, "{answered}");
}

/// A link is shown first and made when that is confirmed.
async fn writes_one(client: &RunningService<RoleClient, ()>, slug: &str) {
    let link = json!({ "name": "by an agent", "targetUrl": "https://example.com/", "slug": slug });
    let (first, failed) = called(client, "create_link", &link).await;
    assert!(!failed && first["done"] == false, "{first}");
    assert_eq!(first["preview"]["arguments"]["slug"], slug);
    let (found, _) = called(client, "search_links", &json!({ "search": slug })).await;
    assert!(
        !found["items"].to_string().contains("by an agent"),
        "nothing was made: {found}"
    );
    let mut confirmed = link;
    confirmed["confirmed"] = json!(true);
    let (second, failed) = called(client, "create_link", &confirmed).await;
    assert!(!failed && second["done"] == true, "{second}");
    assert_eq!(second["result"]["slug"], slug);
    let (found, _) = called(client, "search_links", &json!({ "search": slug })).await;
    assert!(
        found["items"].to_string().contains("by an agent"),
        "{found}"
    );
    let (again, failed) = called(client, "create_link", &confirmed).await;
    assert!(failed && again["code"] == "CONFLICT", "{again}");
}

async fn takes_offers(client: &RunningService<RoleClient, ()>) {
    let prompts = client.list_all_prompts().await.unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| prompt.name.clone()).collect();
    assert_eq!(
        names,
        [
            "weekly_report",
            "triage_errors",
            "funnel_health",
            "flag_rollout_check"
        ]
    );
    let report = client
        .get_prompt(GetPromptRequestParams::new("weekly_report"))
        .await
        .unwrap();
    assert!(!report.messages.is_empty());
    let guide = client
        .read_resource(ReadResourceRequestParams::new("pharos://guide"))
        .await
        .unwrap();
    let guide = serde_json::to_string(&guide).unwrap();
    assert!(guide.contains("create_link") && guide.contains("top_pages"));
    assert!(
        client
            .read_resource(ReadResourceRequestParams::new("pharos://none"))
            .await
            .is_err()
    );
    let missing = client
        .call_tool(CallToolRequestParams::new("list_flag"))
        .await
        .unwrap_err();
    assert!(
        missing.to_string().contains("did you mean `list_flags`?"),
        "{missing}"
    );
}

#[actix::test]
async fn the_sdks_client_says_hello_and_goes_through_all() {
    let app = App::with("limits.query_requests = 0").await;
    Box::pin(goes_through_all(
        &app,
        ClientLifecycleMode::Initialize,
        "hello",
    ))
    .await;
    app.finish().await;
}

#[actix::test]
async fn the_sdks_client_goes_through_all_without_a_hello() {
    let app = App::with("limits.query_requests = 0").await;
    let lifecycle = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    Box::pin(goes_through_all(&app, lifecycle, "discover")).await;
    app.finish().await;
}
