//! The documents that programs read first: there, public, and of one mind.

use std::collections::BTreeSet;

use pharos::access::Scope;
use serde_json::Value;

use super::tools;
use crate::app::{Answer, App};

async fn read(app: &App, path: &str) -> Answer {
    let answer = Answer::send(app.http.get(format!("{}{path}", app.base))).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    assert_eq!(
        answer.header("cache-control"),
        "public, max-age=3600, must-revalidate",
        "{path}"
    );
    answer
}

fn names(list: &Value) -> BTreeSet<String> {
    let names = list.as_array().unwrap().iter();
    names
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[actix::test]
async fn all_documents_tell_the_same_story() {
    let app = App::spawn().await;
    let endpoint = format!("{}/v1/mcp", app.base);
    let live: BTreeSet<String> = {
        let tools = tools(&app, &app.key).await;
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let whole = read(&app, "/.well-known/oauth-protected-resource")
        .await
        .body;
    assert_eq!(whole["resource"], app.base);
    let resource = read(&app, "/.well-known/oauth-protected-resource/v1/mcp")
        .await
        .body;
    assert_eq!(resource["resource"], endpoint);
    let server = read(&app, "/.well-known/oauth-authorization-server")
        .await
        .body;
    let scopes = Scope::ALL.map(Scope::as_str);
    let given: Vec<_> = scopes
        .iter()
        .filter(|scope| **scope != "track:events")
        .collect();
    for document in [&whole, &resource, &server] {
        assert_eq!(document["scopes_supported"], serde_json::json!(given));
    }
    assert_eq!(server["issuer"], app.base);

    let card = read(&app, "/.well-known/mcp/server-card.json").await.body;
    assert_eq!(read(&app, "/.well-known/mcp").await.body, card);
    let manifest = read(&app, "/.well-known/mcp.json").await.body;
    for document in [&card, &manifest] {
        assert_eq!(names(&document["tools"]), live);
        assert_eq!(document["transports"][0]["url"], endpoint);
        assert_eq!(
            document["authentication"]["scopes"],
            serde_json::json!(scopes)
        );
    }
    assert_eq!(manifest["prompts"], card["prompts"]);
    let agent = read(&app, "/.well-known/agent.json").await.body;
    assert_eq!(read(&app, "/.well-known/agent-card.json").await.body, agent);
    assert_eq!(
        agent["skills"].as_array().unwrap().len(),
        card["prompts"].as_array().unwrap().len()
    );
    let llms = read(&app, "/llms.txt").await;
    assert!(llms.text.contains(&endpoint));
    assert!(
        live.iter()
            .all(|name| llms.text.contains(&format!("- `{name}`: ")))
    );

    let catalog = read(&app, "/.well-known/api-catalog").await;
    assert_eq!(catalog.header("content-type"), "application/linkset+json");
    // Every address of ours that a document names is there.
    let mut addresses = BTreeSet::new();
    for text in [
        &catalog.text,
        &card.to_string(),
        &manifest.to_string(),
        &llms.text,
    ] {
        let ours = text.split(&app.base).skip(1);
        addresses.extend(ours.map(|rest| {
            let end = rest
                .find(['"', ')', ' ', ',', '\n', '?', '\\'])
                .unwrap_or(rest.len());
            rest[..end].to_owned()
        }));
    }
    for path in addresses
        .iter()
        .filter(|path| !["", "/v1/mcp"].contains(&path.as_str()))
    {
        let answer = Answer::send(app.http.get(format!("{}{path}", app.base))).await;
        assert_eq!(answer.status, 200, "{path}");
    }
    assert!(addresses.len() > 5, "{addresses:?}");
    let head = Answer::send(
        app.http
            .head(format!("{}/.well-known/api-catalog", app.base)),
    )
    .await;
    assert!(head.header("link").contains("rel=\"api-catalog\""));
    let foreign = app
        .http
        .get(format!("{}/.well-known/mcp", app.base))
        .header("origin", "https://a.example");
    assert_eq!(
        Answer::send(foreign)
            .await
            .header("access-control-allow-origin"),
        "*"
    );
    app.finish().await;
}
