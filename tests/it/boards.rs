//! Boards: panels of what their organization has, each only as far as the caller may read it.

use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    cast::{Cast, OTHER},
};

async fn call(app: &App, name: &str, body: &Value) -> Answer {
    app.post(format!("{}/boards/{name}", app.base), body).await
}

async fn create(app: &App, fields: &Value) -> Value {
    let made = call(app, "create", fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

fn number(website: &str) -> Value {
    json!({ "type": "website_number", "resourceId": website })
}

/// The panels of everything that the installation's organization has.
async fn panels(cast: &Cast) -> Vec<Value> {
    let (app, owner) = (&cast.app, cast.person(Role::Owner));
    let link = cast.create_link(&app.organization).await;
    let push = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let monitor = cast.call_ok(&owner, "/uptime/createSchedule", &push).await;
    let flag = json!({ "websiteId": app.website, "key": "checkout" });
    let flag = cast.call_ok(&owner, "/flags/create", &flag).await;
    let of = |kind: &str, id: &Value| json!({ "type": kind, "resourceId": id });
    vec![
        json!({ "type": "website_chart", "resourceId": app.website, "metric": "sessions", "width": "full" }),
        json!({ "type": "website_table", "resourceId": app.website, "dimension": "countries", "title": " Where " }),
        of("link_clicks", &json!(link)),
        of("monitor_status", &monitor["scheduleId"]),
        of("flag_evaluations", &flag["id"]),
    ]
}

#[actix::test]
async fn a_panel_of_something_foreign_is_refused_like_one_of_something_unknown() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let owner = cast.person(Role::Owner);
    let foreign_link = cast.create_link(OTHER).await;
    let foreign = [
        ("website_number", cast.foreign_website.as_str()),
        ("website_table", cast.foreign_website.as_str()),
        ("link_clicks", foreign_link.as_str()),
    ];
    let known = create(app, &json!({ "name": "Known" })).await;
    for (kind, id) in foreign {
        let mut refused = Vec::new();
        for id in [id, "no-such-thing"] {
            let panels = json!([number(&app.website), { "type": kind, "resourceId": id }]);
            let bodies = [
                ("create", json!({ "name": "Board", "panels": panels })),
                ("update", json!({ "id": known["id"], "panels": panels })),
            ];
            for (name, body) in bodies {
                let answer = cast.post(&owner, &format!("/boards/{name}"), &body).await;
                assert_eq!(answer.status, 400, "{kind} {id}: {}", answer.text);
                assert!(
                    answer.text.contains("\"panels\",1,\"resourceId\""),
                    "{}",
                    answer.text
                );
                refused.push(answer.text.replace(id, "ID"));
            }
        }
        assert!(
            refused.windows(2).all(|pair| pair[0] == pair[1]),
            "{refused:?}"
        );
    }
    // What a caller may not read, the same caller cannot put on a board.
    let key = cast.key(&[Scope::ReadData, Scope::ManageWebsites]).await;
    let own_link = cast.create_link(&app.organization).await;
    let panel = json!({ "type": "link_clicks", "resourceId": own_link });
    let body = json!({ "name": "Board", "panels": [panel] });
    let refused = cast.post(&key, "/boards/create", &body).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(
        call(app, "list", &json!({}))
            .await
            .body
            .as_array()
            .unwrap()
            .len(),
        1
    );
    cast.app.finish().await;
}

#[actix::test]
async fn a_board_has_at_most_24_panels_and_says_what_is_wrong_at_its_place() {
    let app = App::spawn().await;
    let panel = number(&app.website);
    let full = json!({ "name": "Full", "panels": vec![panel.clone(); 24] });
    let made = create(&app, &full).await;
    assert_eq!(made["panels"].as_array().unwrap().len(), 24);
    for (field, value) in [
        ("panels", json!(vec![panel.clone(); 25])),
        ("name", json!("")),
        ("range", json!("forever")),
        (
            "panels",
            json!([{ "type": "website_number", "resourceId": app.website, "metrc": "visitors" }]),
        ),
        (
            "panels",
            json!([{ "type": "pie", "resourceId": app.website }]),
        ),
        (
            "panels",
            json!([{ "type": "link_clicks", "resourceId": app.website, "metric": "visitors" }]),
        ),
        ("panel", json!([])),
    ] {
        let mut wrong = json!({ "id": made["id"] });
        wrong[field] = value;
        let refused = call(&app, "update", &wrong).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
        assert!(refused.text.contains(field), "{wrong}: {}", refused.text);
    }
    let nothing = call(&app, "update", &json!({ "id": made["id"] })).await;
    assert_eq!(nothing.status, 400, "{}", nothing.text);
    for _ in 1..100 {
        create(&app, &json!({ "name": "Another" })).await;
    }
    let refused = call(&app, "create", &json!({ "name": "One more" })).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text.contains("at most 100 boards"),
        "{}",
        refused.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_board_is_changed_as_a_whole_or_field_by_field_and_every_change_is_in_the_audit_log() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let body = json!({
        "name": " Team ", "description": "", "range": "last_30d", "panels": panels(&cast).await,
    });
    let made = cast.call_ok(&owner, "/boards/create", &body).await;
    assert_eq!(made["name"], "Team");
    assert_eq!(made["description"], Value::Null);
    assert_eq!(made["panels"][1]["title"], "Where");
    assert_eq!(made["panels"][1]["width"], "half");
    let names = made["resources"].as_array().unwrap();
    assert_eq!(names.len(), 4, "each once: {made}");
    assert!(names.iter().all(|one| one["name"].is_string()), "{made}");

    // Every answer can be sent back.
    let again = json!({ "id": made["id"], "panels": made["panels"] });
    let same = cast.call_ok(&owner, "/boards/update", &again).await;
    assert_eq!(same["panels"], made["panels"]);
    let renamed = json!({ "id": made["id"], "name": "Wall" });
    let renamed = cast.call_ok(&owner, "/boards/update", &renamed).await;
    assert_eq!(
        (&renamed["name"], &renamed["range"]),
        (&json!("Wall"), &json!("last_30d"))
    );
    assert_eq!(renamed["panels"], made["panels"]);

    // A key sees of the resources what it may read.
    let key = cast.key(&[Scope::ReadData]).await;
    let seen = cast
        .call_ok(&key, "/boards/getById", &json!({ "id": made["id"] }))
        .await;
    assert_eq!(seen["panels"], made["panels"]);
    let is_named = |at: usize| seen["resources"][at]["name"].is_string();
    assert_eq!(
        [0, 1, 2, 3].map(is_named),
        [true, false, false, true],
        "{seen}"
    );

    // What is gone is shown as gone, and does not keep anybody from changing the rest.
    let gone = json!({ "id": made["panels"][2]["resourceId"] });
    cast.call_ok(&owner, "/links/delete", &gone).await;
    let known = cast
        .call_ok(&owner, "/boards/getById", &json!({ "id": made["id"] }))
        .await;
    assert_eq!(known["resources"][1]["name"], Value::Null);
    cast.call_ok(&owner, "/boards/update", &again).await;
    let deleted = cast
        .call_ok(&owner, "/boards/delete", &json!({ "id": made["id"] }))
        .await;
    assert_eq!(deleted["success"], true);
    let missing = cast
        .post(&owner, "/boards/getById", &json!({ "id": made["id"] }))
        .await;
    assert_eq!(missing.status, 404);
    let log = cast
        .call_ok(&owner, "/audit/list", &json!({}))
        .await
        .to_string();
    for action in ["board.create", "board.update", "board.delete"] {
        assert!(log.contains(action), "{log}");
    }
    cast.app.finish().await;
}
