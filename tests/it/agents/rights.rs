//! Every tool needs a permission, and no tool grants more than the API.

use std::collections::BTreeSet;

use pharos::{
    access::{Permission, Role, Scope},
    http::procedures::{self, Needs},
};
use serde_json::{Value, json};

use super::{arguments, call, studied, things, tools};
use crate::{
    app::App,
    cast::{Cast, Proof},
};

/// The text in everything that belongs to others.
const MARKER: &str = "MARKER-of-somebody-else";

fn scope(tool: &Value) -> Option<Scope> {
    let text = tool["_meta"]["pharos/scope"].as_str()?;
    Scope::ALL.into_iter().find(|scope| scope.as_str() == text)
}

fn names(tools: &[Value]) -> BTreeSet<String> {
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether a scope is enough although another is asked for (who changes flags may read them).
fn implied(tool: &Value, scope: Scope) -> bool {
    let procedure = tool["_meta"]["pharos/procedure"].as_str().unwrap();
    let found = procedures::all()
        .into_iter()
        .find(|one| format!("{}.{}", one.router, one.name) == procedure);
    let Needs::Permission(permission) = found.unwrap().needs else {
        return true;
    };
    let wider = permission.implied_by().and_then(Permission::scope);
    permission.scope() == Some(scope) || wider == Some(scope)
}

#[actix::test]
async fn a_key_sees_and_calls_what_its_scopes_allow_and_nothing_else() {
    let cast = Box::pin(Cast::with(
        "limits.query_requests = 0\nlimits.key_in_flight = 0",
    ))
    .await;
    let app = &cast.app;
    let all = tools(app, &app.key).await;
    for tool in &all {
        let procedure = tool["_meta"]["pharos/procedure"].as_str().unwrap();
        let declared = procedures::all()
            .into_iter()
            .find(|one| format!("{}.{}", one.router, one.name) == procedure);
        let declared = declared.unwrap_or_else(|| panic!("{procedure} is no procedure"));
        assert_eq!(scope(tool), declared.needs.scope(), "{procedure}");
        assert_eq!(
            tool["annotations"]["readOnlyHint"], declared.reads,
            "{procedure}"
        );
        assert!(
            scope(tool).is_some() || declared.needs == Needs::Nothing,
            "{procedure}"
        );
    }
    let things = things(app, "mine").await;
    for lacking in Scope::ALL {
        let others: Vec<Scope> = Scope::ALL
            .into_iter()
            .filter(|scope| *scope != lacking)
            .collect();
        let key = app.key_with(&others).await;
        let seen = names(&tools(app, &key).await);
        for tool in &all {
            let name = tool["name"].as_str().unwrap();
            let may = scope(tool).is_none() || others.iter().any(|scope| implied(tool, *scope));
            assert_eq!(seen.contains(name), may, "{name} without {lacking:?}");
            if may {
                continue;
            }
            let mut given = arguments(tool, &things, &app.website);
            if tool["annotations"]["readOnlyHint"] == false {
                given["confirmed"] = json!(true);
            }
            let (told, failed) = call(app, &key, name, given).await;
            assert!(
                failed && told["code"] == "FORBIDDEN",
                "{name} without {lacking:?}: {told}"
            );
            assert!(
                told["fix"].as_str().unwrap().contains(lacking.as_str()),
                "{told}"
            );
        }
    }
    let nothing = app.key_with(&[Scope::TrackEvents]).await;
    let left = tools(app, &nothing).await;
    assert!(left.iter().all(|tool| scope(tool).is_none()), "{left:?}");
    cast.app.finish().await;
}

async fn seen_by(cast: &Cast, proof: &Proof) -> BTreeSet<String> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    names(
        cast.call_ok(proof, "/v1/mcp", &body).await["result"]["tools"]
            .as_array()
            .unwrap(),
    )
}

#[actix::test]
async fn people_see_what_their_role_allows() {
    let cast = Box::pin(Cast::spawn()).await;
    let all = tools(&cast.app, &cast.app.key).await;
    let viewer = seen_by(&cast, &cast.person(Role::Viewer)).await;
    for tool in &all {
        let name = tool["name"].as_str().unwrap();
        // Addresses of people are not for everybody who sees the page, nor what a setting would delete.
        let narrower = [
            "preview_flag",
            "list_status_pages_subscribers",
            "preview_website_retention",
            // Who may not create it does not plan it either.
            "plan_import_links",
            "plan_import_monitors",
            "plan_import_flags",
            "get_import",
            "list_imports",
        ]
        .contains(&name);
        let reads = tool["annotations"]["readOnlyHint"] == true && !narrower;
        // What is remembered for a person is their own.
        let own = ["save_memory", "forget_memory"].contains(&name);
        assert_eq!(viewer.contains(name), reads || own, "{name}");
    }
    let member = seen_by(&cast, &cast.person(Role::Member)).await;
    assert!(member.contains("create_flag") && !member.contains("create_website"));
    assert_eq!(seen_by(&cast, &cast.person(Role::Owner)).await, names(&all));
    cast.app.finish().await;
}

/// Puts the marker on everything that the other organization has.
async fn mark(cast: &Cast) -> Vec<String> {
    let app = &cast.app;
    let stranger = cast.stranger();
    let website = cast.foreign_website.clone();
    let made = async |path: &str, body: Value| {
        let made = cast.call_ok(stranger, path, &body).await;
        [&made["id"], &made["scheduleId"]]
            .into_iter()
            .find_map(Value::as_str)
            .unwrap()
            .to_owned()
    };
    let flag = made(
        "/flags/create",
        json!({ "websiteId": website, "key": "theirs", "name": MARKER }),
    )
    .await;
    let group = json!({ "websiteId": website, "name": MARKER, "color": "#112233", "rules": [] });
    let link = json!({ "name": MARKER, "targetUrl": "https://example.com", "tags": [MARKER] });
    let monitor = json!({ "name": MARKER, "kind": "push", "granularity": "hour" });
    let [goal, funnel, note, alarm] = studied(&website, MARKER);
    let page = json!({ "name": MARKER, "slug": "theirs" });
    let ids = vec![
        flag,
        made("/target-groups/create", group).await,
        made("/links/create", link).await,
        made("/link-folders/create", json!({ "name": MARKER })).await,
        made("/uptime/createSchedule", monitor).await,
        made("/goals/create", goal).await,
        made("/funnels/create", funnel).await,
        made("/annotations/create", note).await,
        made("/alarms/create", alarm).await,
        made("/statusPage/create", page).await,
        made("/agent-memory/save", json!({ "text": MARKER })).await,
        website.clone(),
        "other".to_owned(),
    ];
    let event = json!({ "name": MARKER, "websiteId": website, "properties": { "secret": MARKER } });
    let url = format!("{}/track?website_id={website}", app.track);
    let sent = app.post_anonymously(url, &event).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    ids
}

#[actix::test]
async fn no_tool_shows_anything_of_another_organization() {
    let cast = Box::pin(Cast::with(
        "limits.query_requests = 0\nlimits.key_in_flight = 0",
    ))
    .await;
    let app = &cast.app;
    let foreign = mark(&cast).await;
    let things = things(app, "mine").await;
    let mut calls = 0;
    for tool in tools(app, &app.key).await {
        let name = tool["name"].as_str().unwrap();
        let own = arguments(&tool, &things, &app.website);
        let mut asked = vec![own.clone()];
        // Whatever may name something names something of the others.
        for id in &foreign {
            for field in [
                "id",
                "websiteId",
                "organizationId",
                "scheduleId",
                "flagId",
                "linkId",
                "monitorId",
                "alarmId",
                "goalId",
                "funnelId",
                "statusPageId",
            ] {
                if tool["inputSchema"]["properties"].get(field).is_some() {
                    let mut given = own.clone();
                    given[field] = json!(id);
                    asked.push(given);
                }
            }
        }
        if tool["inputSchema"]["properties"].get("websiteId").is_some() {
            let mut given = own.clone();
            given.as_object_mut().unwrap().remove("websiteId");
            given["websiteDomain"] = json!("other.example");
            asked.push(given);
        }
        for given in asked {
            let (told, _) = call(app, &app.key, name, given.clone()).await;
            assert!(!told.to_string().contains(MARKER), "{name} {given}: {told}");
            calls += 1;
        }
    }
    assert!(calls > 100, "{calls}");
    // The marker can be seen by those whose it is.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "get_data", "arguments": { "type": "custom_events", "websiteId": cast.foreign_website },
    } });
    let seen = cast.post(cast.stranger(), "/v1/mcp", &body).await;
    assert!(seen.text.contains(MARKER), "{}", seen.text);
    cast.app.finish().await;
}

#[actix::test]
async fn what_is_wrong_is_told_so_that_an_agent_can_act() {
    let app = App::spawn().await;
    let error_of = async |tool: &str, arguments: Value| {
        let (told, failed) = call(&app, &app.key, tool, arguments).await;
        assert!(failed, "{tool}: {told}");
        told
    };
    let typo = error_of("get_data", json!({ "type": "top_pagez" })).await;
    assert!(typo.to_string().contains("top_pages"), "{typo}");
    let filter = json!({ "type": "top_pages", "filters": [{ "field": "contry", "op": "eq", "value": "DE" }] });
    assert!(
        error_of("get_data", filter)
            .await
            .to_string()
            .contains("country")
    );
    let argument = error_of("list_flags", json!({ "websiteid": "x" })).await;
    assert_eq!(
        argument["issues"][0]["suggestion"],
        "Did you mean 'websiteId'?"
    );
    let half = error_of(
        "get_data",
        json!({ "type": "top_pages", "from": "2026-10-01" }),
    )
    .await;
    assert_eq!(half["issues"][0]["field"], "to", "{half}");
    let none = error_of("list_flags", json!({ "websiteDomain": "nowhere.example" })).await;
    assert!(
        none.to_string().contains("localhost"),
        "it names those there are: {none}"
    );
    let several = error_of("get_data", json!({ "queries": [{ "type": "top_pages" }] })).await;
    assert_eq!(several["issues"][0]["field"], "queries");
    let unseen = error_of("get_flag", json!({ "id": "none" })).await;
    assert_eq!(
        (&unseen["code"], &unseen["status"]),
        (&json!("NOT_FOUND"), &json!(404))
    );
    let early = error_of("delete_flag", json!({ "id": "none" })).await;
    assert_eq!(
        early["code"], "NOT_FOUND",
        "a preview tells what the call would"
    );
    let wrong = error_of(
        "create_link",
        json!({ "name": 7, "targetUrl": "https://a.example" }),
    )
    .await;
    assert!(
        wrong["issues"][0]["message"]
            .as_str()
            .unwrap()
            .contains("string"),
        "{wrong}"
    );
    app.finish().await;
}
