//! Flags are made, evaluated, changed and deleted, by those who may; everybody else sees what they decide and nothing more.

use serde_json::{Value, json};

use super::harness::{Answer, TestApp};
use crate::{access::Scope, http::Options, store::limits::Limits};

const OFREP: &str = "ofrep/v1/evaluate/flags";

async fn call(app: &TestApp, key: &str, path: &str, body: Value) -> Answer {
    app.post(path, &[("x-api-key", key)], body).await
}

/// A flag of the app's website.
async fn create_flag(app: &TestApp, key: &str, fields: Value) -> Value {
    let mut body = json!({"websiteId": app.website().as_str()});
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(fields);
    let answer = call(app, key, "/flags/create", body).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    answer.json()
}

async fn evaluate(app: &TestApp, query: &str) -> Answer {
    let client = app.website();
    let path = format!(
        "/public/v1/flags/evaluate?clientId={}&{query}",
        client.as_str()
    );
    app.get(&path, &[]).await
}

async fn bulk(app: &TestApp, query: &str) -> Answer {
    let client = app.website();
    let path = format!("/public/v1/flags/bulk?clientId={}&{query}", client.as_str());
    app.get(&path, &[]).await
}

#[actix::test]
async fn a_flag_is_seen_by_the_next_evaluation_after_every_write() {
    let app = TestApp::open().await;
    let key = app.key();
    let unknown = evaluate(&app, "key=new-ui").await;
    assert_eq!(unknown.status, 200);
    let nothing =
        json!({"enabled": false, "value": false, "payload": null, "reason": "FLAG_NOT_FOUND"});
    assert_eq!(unknown.json(), nothing);

    let fields =
        json!({"key": "new-ui", "type": "rollout", "rolloutPercentage": 25, "payload": {"a": 1}});
    let flag = create_flag(&app, &key, fields).await;
    // Bucket 24 of the golden vectors.
    let on = evaluate(&app, "key=new-ui&userId=user-1").await.json();
    let expected =
        json!({"enabled": true, "value": true, "payload": {"a": 1}, "reason": "ROLLOUT_ENABLED"});
    assert_eq!(on, expected);
    let update = json!({"id": flag["id"], "rolloutPercentage": 24});
    let changed = call(&app, &key, "/flags/update", update).await.json();
    assert_eq!(
        (&changed["rolloutPercentage"], &changed["type"]),
        (&json!(24), &json!("rollout"))
    );
    let off = evaluate(&app, "key=new-ui&userId=user-1").await.json();
    assert_eq!(off["reason"], "ROLLOUT_DISABLED");
    assert_eq!(off["payload"], Value::Null);

    let deleted = call(&app, &key, "/flags/delete", json!({"id": flag["id"]})).await;
    assert_eq!(deleted.json(), json!({"success": true}));
    assert_eq!(evaluate(&app, "key=new-ui").await.json(), nothing);
    assert_eq!(
        bulk(&app, "").await.json(),
        json!({"flags": {}, "count": 0})
    );
    // Its key brings it back.
    let again = create_flag(&app, &key, json!({"key": "new-ui", "defaultValue": true})).await;
    assert_eq!(again["id"], flag["id"]);
    assert_eq!(
        evaluate(&app, "key=new-ui").await.json()["reason"],
        "BOOLEAN_DEFAULT"
    );
    let taken = json!({"websiteId": app.website().as_str(), "key": "new-ui"});
    assert_eq!(call(&app, &key, "/flags/create", taken).await.status, 409);

    let history = call(&app, &key, "/flags/history", json!({"id": flag["id"]}))
        .await
        .json();
    let kinds: Vec<_> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["changeType"])
        .collect();
    assert_eq!(kinds, ["restored", "archived", "updated", "created"]);
    assert_eq!(history[2]["before"]["rolloutPercentage"], 25);
    assert_eq!(history[2]["changedBy"]["type"], "api_key");
    app.close().await;
}

#[actix::test]
async fn what_depends_on_a_flag_follows_it() {
    let app = TestApp::open().await;
    let key = app.key();
    let base = create_flag(&app, &key, json!({"key": "base", "defaultValue": true})).await;
    let top = json!({"key": "top", "defaultValue": true, "dependencies": ["base"]});
    create_flag(&app, &key, top).await;
    let reason = async |app: &TestApp| evaluate(app, "key=top").await.json()["reason"].clone();
    assert_eq!(reason(&app).await, "BOOLEAN_DEFAULT");
    let set = async |status: &str| {
        let update = json!({"id": base["id"], "status": status});
        assert_eq!(call(&app, &key, "/flags/update", update).await.status, 200);
    };
    set("inactive").await;
    assert_eq!(reason(&app).await, "FLAG_NOT_FOUND", "it waits");
    set("active").await;
    assert_eq!(reason(&app).await, "BOOLEAN_DEFAULT", "and goes on");

    let circle = json!({"id": base["id"], "dependencies": ["top"]});
    let refused = call(&app, &key, "/flags/update", circle).await;
    assert_eq!(refused.status, 400);
    assert!(refused.json()["message"].is_string());
    let website = app.website();
    let unknown = json!({"websiteId": website.as_str(), "key": "x", "dependencies": ["nobody"]});
    let refused = call(&app, &key, "/flags/create", unknown).await.json();
    assert_eq!(
        refused["data"]["issues"][0]["path"],
        json!(["dependencies", 0])
    );
    app.close().await;
}

#[actix::test]
async fn target_groups_decide_for_their_flags_until_they_go() {
    let app = TestApp::open().await;
    let key = app.key();
    let rules = json!([{"type": "email", "operator": "ends_with", "value": "@acme.example", "enabled": true, "batch": false}]);
    let website = app.website();
    let group =
        json!({"websiteId": website.as_str(), "name": "Staff", "color": "#3B82F6", "rules": rules});
    let group = call(&app, &key, "/target-groups/create", group)
        .await
        .json();
    let fields = json!({"key": "beta", "targetGroupIds": [group["id"]]});
    let flag = create_flag(&app, &key, fields).await;
    assert_eq!(flag["targetGroups"][0]["name"], "Staff");
    let reason = async |app: &TestApp| {
        let decision = evaluate(app, "key=beta&email=a@acme.example").await.json();
        decision["reason"].clone()
    };
    assert_eq!(reason(&app).await, "TARGET_GROUP_MATCH");
    let nobody = json!({"id": group["id"], "rules": []});
    assert_eq!(
        call(&app, &key, "/target-groups/update", nobody)
            .await
            .status,
        200
    );
    assert_eq!(reason(&app).await, "BOOLEAN_DEFAULT");
    let gone = call(
        &app,
        &key,
        "/target-groups/delete",
        json!({"id": group["id"]}),
    )
    .await;
    assert_eq!(gone.status, 200);
    let flag = call(&app, &key, "/flags/getById", json!({"id": flag["id"]}))
        .await
        .json();
    assert_eq!(flag["targetGroupIds"], json!([]));
    let foreign =
        json!({"websiteId": website.as_str(), "key": "y", "targetGroupIds": [group["id"]]});
    assert_eq!(call(&app, &key, "/flags/create", foreign).await.status, 400);
    app.close().await;
}

#[actix::test]
async fn answers_say_who_may_keep_them() {
    let app = TestApp::open().await;
    let key = app.key();
    create_flag(&app, &key, json!({"key": "a", "defaultValue": true})).await;
    let anybody = "public, max-age=15, s-maxage=30, stale-while-revalidate=15";
    for (query, kept) in [
        ("", anybody),
        ("keys=a", anybody),
        ("userId=u", "private, no-store"),
        ("properties=%7B%22a%22%3A1%7D", "private, no-store"),
    ] {
        let answer = bulk(&app, query).await;
        assert_eq!(answer.header("cache-control"), kept, "{query}");
        assert_eq!(answer.header("vary"), "Origin");
    }
    let body = json!({"clientId": app.website().as_str(), "keys": ["a", "b"], "properties": {}});
    let posted = app.post("/public/v1/flags/bulk", &[], body).await;
    assert_eq!(posted.header("cache-control"), "private, no-store");
    assert_eq!(posted.json()["count"], 1);
    // A person's place decides: no one else may have the answer.
    let rules = json!([{"type": "country", "operator": "equals", "value": "DE"}]);
    create_flag(&app, &key, json!({"key": "here", "rules": rules})).await;
    assert_eq!(
        bulk(&app, "").await.header("cache-control"),
        "private, no-store"
    );
    app.close().await;
}

#[actix::test]
async fn environments_are_apart_and_inactive_flags_are_nowhere() {
    let app = TestApp::open().await;
    let key = app.key();
    create_flag(&app, &key, json!({"key": "here", "defaultValue": true})).await;
    create_flag(
        &app,
        &key,
        json!({"key": "there", "environment": "staging"}),
    )
    .await;
    create_flag(&app, &key, json!({"key": "off", "status": "inactive"})).await;
    let keys = async |query: &str| {
        let body = bulk(&app, query).await.json();
        let flags = body["flags"].as_object().unwrap();
        flags.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(keys("").await, ["here"]);
    assert_eq!(keys("environment=staging").await, ["there"]);
    assert_eq!(keys("environment=production").await, [""; 0]);
    assert_eq!(keys("keys=").await, [""; 0]);
    for query in ["key=there", "key=off"] {
        assert_eq!(
            evaluate(&app, query).await.json()["reason"],
            "FLAG_NOT_FOUND"
        );
    }
    app.close().await;
}

#[actix::test]
async fn refusals_look_like_flags_too() {
    let limits = Limits {
        flags_requests: 2,
        ..Limits::default()
    };
    let app = TestApp::with(limits, Options::default()).await;
    let missing = app.get("/public/v1/flags/evaluate?key=a", &[]).await;
    assert_eq!(missing.status, 400);
    let body = missing.json();
    assert_eq!(
        (&body["reason"], &body["enabled"]),
        (&json!("MISSING_REQUIRED_PARAMS"), &json!(false))
    );
    let many = vec!["k"; 101].join(",");
    let refused = bulk(&app, &format!("keys={many}")).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["flags"]),
        (400, &json!({}))
    );
    for _ in 0..2 {
        assert_eq!(evaluate(&app, "key=a").await.status, 200);
    }
    let single = evaluate(&app, "key=a").await;
    assert_eq!(single.status, 429);
    assert_eq!(single.json()["reason"], "RATE_LIMITED");
    assert_eq!(single.json()["code"], "RATE_LIMITED");
    assert!(!single.header("retry-after").is_empty());
    let several = bulk(&app, "").await.json();
    assert_eq!(
        (&several["reason"], &several["count"]),
        (&json!("RATE_LIMITED"), &json!(0))
    );
    app.close().await;
}

#[actix::test]
async fn nothing_private_is_in_a_public_answer() {
    let app = TestApp::open().await;
    let key = app.key();
    let secret = "somebody@secret.example";
    let rules = json!([{"type": "email", "operator": "in", "values": [secret], "enabled": true}]);
    let fields = json!({"key": "a", "rules": rules, "description": secret, "name": secret});
    let flag = create_flag(&app, &key, fields).await;
    create_flag(
        &app,
        &key,
        json!({"key": "b", "environment": "secret-env", "payload": {"x": secret}}),
    )
    .await;
    let id = flag["id"].as_str().unwrap();
    let client = app.website();
    let client = client.as_str();
    let context = json!({"context": {"targetingKey": "u"}});
    let answers = [
        evaluate(&app, "key=a").await,
        evaluate(&app, "key=b").await,
        bulk(&app, "").await,
        app.post(
            &format!("/public/v1/flags/{client}/{OFREP}"),
            &[],
            context.clone(),
        )
        .await,
        app.post(
            &format!("/public/v1/flags/{client}/{OFREP}/a"),
            &[],
            context.clone(),
        )
        .await,
        app.post(
            &format!("/public/v1/flags/{client}/{OFREP}/b"),
            &[],
            context,
        )
        .await,
        app.get(
            &format!("/public/v1/flags/definitions?clientId={client}"),
            &[],
        )
        .await,
        app.post("/flags/getById", &[], json!({"id": id})).await,
    ];
    for answer in answers {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        for private in ["secret", "rules", id] {
            assert!(!text.contains(private), "{private}: {text}");
        }
    }
    app.close().await;
}

#[actix::test]
async fn servers_read_definitions_and_write_flags_by_rest() {
    let app = TestApp::open().await;
    let client = app.website();
    let client = client.as_str();
    let manager = app.key_with(&[Scope::ManageFlags]).await;
    let reader = app.key_with(&[Scope::ReadData]).await;
    let definitions = format!("/public/v1/flags/definitions?clientId={client}");
    let made = app
        .post(
            "/public/v1/flags",
            &[("x-api-key", &manager)],
            json!({"clientId": client, "key": "r", "type": "boolean"}),
        )
        .await;
    assert_eq!(made.status, 200, "{:?}", made.body);
    let id = made.json()["flag"]["id"].as_str().unwrap().to_owned();
    let read = app
        .get(&definitions, &[("x-api-key", &manager)])
        .await
        .json();
    assert_eq!(
        (&read["count"], &read["flags"][0]["id"]),
        (&json!(1), &json!(id))
    );
    for (headers, status) in [(vec![], 401), (vec![("x-api-key", reader.as_str())], 403)] {
        let refused = app.get(&definitions, &headers).await;
        assert_eq!(refused.status, status);
        assert_eq!(refused.json()["flags"], json!([]));
        assert!(refused.json()["error"].is_string());
    }
    let taken = app
        .post(
            "/public/v1/flags",
            &[("x-api-key", &manager)],
            json!({"clientId": client, "key": "r"}),
        )
        .await;
    assert_eq!(taken.status, 409);
    assert!(taken.json()["error"].is_string());
    app.close().await;
}

#[actix::test]
async fn an_organization_has_flags_of_its_own() {
    let app = TestApp::open().await;
    let key = app.key();
    let owner = app.organization();
    let owner = owner.as_str();
    let fields = json!({"organizationId": owner, "key": "all", "defaultValue": true});
    let flag = call(&app, &key, "/flags/create", fields).await.json();
    assert_eq!(
        (&flag["organizationId"], &flag["websiteId"]),
        (&json!(owner), &Value::Null)
    );
    let path = format!("/public/v1/flags/evaluate?clientId={owner}&key=all");
    assert_eq!(app.get(&path, &[]).await.json()["enabled"], true);
    assert_eq!(
        evaluate(&app, "key=all").await.json()["reason"],
        "FLAG_NOT_FOUND"
    );
    let context = json!({"context": {}});
    let own = call(&app, &key, &format!("/{OFREP}/all"), context.clone())
        .await
        .json();
    assert_eq!(
        (&own["value"], &own["reason"]),
        (&json!(true), &json!("STATIC"))
    );
    let website = app.website();
    let narrow = app.key_for(&website, &[Scope::ReadData]).await;
    let missing = call(&app, &narrow, &format!("/{OFREP}/all"), context).await;
    assert_eq!(
        (missing.status.as_u16(), &missing.json()["errorCode"]),
        (404, &json!("FLAG_NOT_FOUND"))
    );
    app.close().await;
}
