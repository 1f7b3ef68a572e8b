//! An app does no more than its scopes and its person may, now (threats T11 and T76).

use pharos::access::Role;
use serde_json::{Value, json};

use super::flow::{
    CONSENT, REDIRECT_URI, ask, audit, call, connect, connect_api, opens, question, refresh,
    register, sealed,
};
use crate::{
    app::App,
    cast::{Cast, OTHER, Proof},
    people::browser::Browser,
};

const ALL: [&str; 10] = [
    "read:data",
    "read:links",
    "write:links",
    "read:monitors",
    "write:monitors",
    "read:status_pages",
    "write:status_pages",
    "manage:websites",
    "manage:flags",
    "manage:config",
];

/// The browser of a person of the cast.
/// The browser of the organization's person with this role.
pub fn browser(cast: &Cast, role: Role) -> Browser<'_> {
    let Proof::Cookie(cookie) = cast.person(role) else {
        unreachable!("people have cookies");
    };
    Browser::with(&cast.app, &cookie)
}

/// Whether a tool's result is an error, and what it says.
async fn tool(app: &App, token: &str, name: &str, arguments: Value) -> (bool, String) {
    let params = json!({ "name": name, "arguments": arguments });
    let answer = ask(app, token, "tools/call", params).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    (answer.body["result"]["isError"] == true, answer.text)
}

fn link() -> Value {
    let slug = uuid::Uuid::new_v4().simple().to_string();
    json!({ "name": "x", "targetUrl": "https://target.example/", "slug": slug, "confirmed": true })
}

#[actix::test]
async fn an_app_has_its_scopes_and_no_more_than_the_role_of_its_person() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let admin = browser(&cast, Role::Admin);
    let narrow = connect(app, &admin, &["read:data", "read:links"]).await;
    let (failed, text) = tool(app, &narrow.access, "create_link", link()).await;
    assert!(
        failed && text.contains("wasn't given write:links"),
        "{text}"
    );

    let member = connect(app, &browser(&cast, Role::Member), &ALL).await;
    assert!(!tool(app, &member.access, "create_link", link()).await.0);
    let website = json!({ "name": "x", "domain": "x.example", "confirmed": true });
    let (failed, text) = tool(app, &member.access, "create_website", website.clone()).await;
    assert!(
        failed && text.contains("Missing required website permissions"),
        "{text}"
    );
    let viewer = connect(app, &browser(&cast, Role::Viewer), &ALL).await;
    assert!(tool(app, &viewer.access, "create_link", link()).await.0);
    assert!(!tool(app, &viewer.access, "list_links", json!({})).await.0);
    let listed = ask(app, &viewer.access, "tools/list", json!({})).await;
    assert!(!listed.text.contains("\"create_link\""), "{}", listed.text);

    let owner = connect(app, &browser(&cast, Role::Owner), &ALL).await;
    assert!(!tool(app, &owner.access, "create_website", website).await.0);
    cast.app.finish().await;
}

#[actix::test]
async fn an_app_loses_at_once_what_its_person_loses() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let owner = browser(&cast, Role::Owner);
    let admin = connect_api(app, &browser(&cast, Role::Admin), &ALL).await;
    let member = cast.user(Role::Admin);
    let website = |name: &str| json!({ "name": name, "domain": format!("{name}.example") });
    let made = call(app, &admin.access, "/websites/create", &website("a")).await;
    assert_eq!(made.status, 200, "{}", made.text);

    let role = json!({ "organizationId": app.organization, "memberId": member, "role": "viewer" });
    let path = "/api/auth/organization/update-member-role";
    assert_eq!(owner.post(path, &role).await.status, 200);
    let refused = call(app, &admin.access, "/websites/create", &website("b")).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(
        call(app, &admin.access, "/websites/list", &json!({}))
            .await
            .status,
        200
    );

    let gone = json!({ "organizationId": app.organization, "memberIdOrEmail": member });
    let path = "/api/auth/organization/remove-member";
    assert_eq!(owner.post(path, &gone).await.status, 200);
    assert_eq!(
        call(app, &admin.access, "/websites/list", &json!({}))
            .await
            .status,
        401
    );
    assert_eq!(
        refresh(app, &admin.client, &admin.refresh).await.status,
        400
    );

    // Who comes back connects again.
    let own = connect(app, &browser(&cast, Role::Member), &["read:data"]).await;
    assert!(opens(app, &own.access).await);
    let leave = json!({ "organizationId": app.organization });
    let left = browser(&cast, Role::Member);
    assert_eq!(
        left.post("/api/auth/organization/leave", &leave)
            .await
            .status,
        200
    );
    assert!(!opens(app, &own.access).await);
    assert!(
        left.get("/api/auth/list-apps")
            .await
            .body
            .as_array()
            .unwrap()
            .is_empty()
    );
    cast.app.finish().await;
}

#[actix::test]
async fn an_app_ends_with_the_account_and_with_the_organization() {
    let app = App::with(crate::people::OPEN).await;
    let eve = Browser::signed_up(&app, "eve").await;
    let made = eve
        .post(
            "/api/auth/organization/create",
            &json!({ "name": "Eve's", "slug": "eves" }),
        )
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let organization = made.body["id"].as_str().unwrap();
    let client = register(&app, REDIRECT_URI).await;
    let page = eve.get(&question(&client, &[])).await;
    let location = super::flow::allow(&eve, &page.text, organization, &["read:data"]).await;
    let code = super::flow::parameter(&location, "code").unwrap();
    let own = super::flow::connected(&client, &super::flow::exchange(&app, &client, &code).await);
    assert!(opens(&app, &own.access).await);
    let body = json!({ "organizationId": organization });
    let deleted = eve.post("/api/auth/organization/delete", &body).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert!(
        !opens(&app, &own.access).await,
        "also while it can be restored"
    );
    let password = json!({ "password": crate::people::browser::PASSWORD });
    let gone = eve.post("/api/auth/delete-user", &password).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert!(!opens(&app, &own.access).await);
    assert_eq!(refresh(&app, &client, &own.refresh).await.status, 400);
    app.finish().await;
}

#[actix::test]
async fn an_app_sees_nothing_of_another_organization() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let api = connect_api(app, &browser(&cast, Role::Owner), &ALL).await;
    for (path, body) in [
        ("/websites/getById", json!({ "id": cast.foreign_website })),
        ("/links/get", json!({ "id": cast.foreign_link })),
        ("/links/list", json!({ "organizationId": OTHER })),
        ("/websites/list", json!({ "organizationId": OTHER })),
    ] {
        let answer = call(app, &api.access, path, &body).await;
        assert!(
            [403, 404].contains(&answer.status),
            "{path}: {}",
            answer.text
        );
    }
    let query = json!({ "parameters": ["summary_metrics"], "preset": "today" });
    let path = format!("/v1/query?website_id={}", cast.foreign_website);
    let answer = call(app, &api.access, &path, &query).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    // Nor can its person give it one that is not theirs.
    let owner = browser(&cast, Role::Owner);
    let client = register(app, REDIRECT_URI).await;
    let page = owner.get(&question(&client, &[])).await;
    let request = sealed(&page.text);
    let fields = [
        ("request", request.as_str()),
        ("organization", OTHER),
        ("decision", "allow"),
        ("scopes", "read:data"),
    ];
    let refused = owner.submit(CONSENT, &fields).await;
    assert_eq!(
        (refused.status, refused.header("location")),
        (403, ""),
        "{}",
        refused.text
    );
    cast.app.finish().await;
}

#[actix::test]
async fn what_is_for_people_and_for_operators_is_for_no_app() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let owner = browser(&cast, Role::Owner);
    let api = connect_api(app, &owner, &ALL).await;
    for path in [
        "/apikeys/list",
        "/apikeys/create",
        "/audit/list",
        "/agent-chats/send",
        "/api/auth/revoke-app",
        "/api/auth/change-password",
        "/api/auth/organization/delete",
    ] {
        let body = json!({ "id": "x", "message": "x", "name": "x" });
        let answer = call(app, &api.access, path, &body).await;
        assert!(
            [401, 403].contains(&answer.status),
            "{path}: {}",
            answer.text
        );
    }
    for path in [
        "/metrics",
        "/api/auth/list-apps",
        "/api/auth/list-sessions",
        CONSENT,
    ] {
        let request = app
            .http
            .get(format!("{}{path}", app.base))
            .header("authorization", format!("Bearer {}", api.access));
        let answer = crate::app::Answer::send(request).await;
        assert!(
            [401, 403].contains(&answer.status),
            "{path}: {}",
            answer.text
        );
    }
    cast.app.finish().await;
}

#[actix::test]
async fn the_audit_log_names_the_person_and_the_app() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let owner = browser(&cast, Role::Owner);
    let agent = connect(app, &owner, &["write:links"]).await;
    assert!(!tool(app, &agent.access, "create_link", link()).await.0);
    let made = audit(&owner, "link.create").await;
    let granted = audit(&owner, "grant.create").await;
    assert_eq!(made[0]["actorType"], "user");
    assert_eq!(made[0]["actorId"], cast.user(Role::Owner).as_str());
    assert_eq!(made[0]["details"]["grant"], granted[0]["targetId"]);
    cast.app.finish().await;
}

#[actix::test]
async fn what_an_agent_remembers_is_its_persons() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let viewer = browser(&cast, Role::Viewer);
    let agent = connect(app, &viewer, &["read:data", "manage:config"]).await;
    let note = json!({ "text": "numbers in euros", "confirmed": true });
    let (failed, text) = tool(app, &agent.access, "save_memory", note).await;
    assert!(!failed, "{text}");
    let body = json!({ "query": "euros" });
    let found = viewer.post("/agent-memory/search", &body).await;
    assert!(found.text.contains("numbers in euros"), "{}", found.text);
    let others = browser(&cast, Role::Owner)
        .post("/agent-memory/search", &body)
        .await;
    assert!(!others.text.contains("numbers in euros"), "{}", others.text);
    cast.app.finish().await;
}
