//! Whose rows: websites, organizations, the caller's own, and those of others.

use pharos::{
    access::Scope,
    actors::{
        keys::{CreateKey, Resources},
        organizations::CreateOrganization,
    },
    ids::{OrganizationId, WebsiteId},
};
use serde_json::{Value, json};

use super::column;
use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
};

fn events() -> Value {
    json!({ "parameters": ["custom_events"], "preset": "today", "sortBy": "name", "sortOrder": "asc" })
}

/// A second website with an event of its own.
async fn second_website(app: &App) -> String {
    let create = json!({ "name": "Shop", "domain": "shop.example" });
    let made = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let id = made.body["id"].as_str().unwrap().to_owned();
    for (name, website) in [("first", &app.website), ("second", &id)] {
        let sent = app
            .send(&json!({ "name": name, "websiteId": website }))
            .await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    id
}

async fn ask(app: &App, key: &str, query: &str, body: &Value) -> Answer {
    let request = app
        .http
        .post(format!("{}/v1/query{query}", app.base))
        .json(body);
    // The same id for all, because whole answers are compared.
    let request = request.header("x-request-id", "same");
    Answer::send(if key.is_empty() {
        request
    } else {
        request.header("x-api-key", key)
    })
    .await
}

#[actix::test]
async fn an_organization_is_asked_as_a_whole_by_name_or_by_its_key() {
    let app = App::spawn().await;
    let second = second_website(&app).await;
    let (organization, website) = (&app.organization, &app.website);
    for query in [
        format!("?organization_id={organization}"),
        String::new(),
        "?website_id=".to_owned(),
    ] {
        let answer = ask(&app, &app.key, &query, &events()).await;
        assert_eq!(
            column(&answer.rows(0), "name"),
            ["first", "second"],
            "{query}"
        );
    }
    for query in [
        format!("?website_id={second}"),
        format!("?website_id={second}&organization_id={organization}"),
    ] {
        let answer = ask(&app, &app.key, &query, &events()).await;
        assert_eq!(
            column(&answer.rows(0), "name"),
            ["second"],
            "the most specific is the target"
        );
    }
    let mut grouped = events();
    grouped["groupBy"] = json!("website_id");
    let answer = ask(&app, &app.key, "", &grouped).await;
    assert_eq!(
        column(&answer.rows(0), "website_id"),
        [website.as_str(), &second]
    );
    app.finish().await;
}

#[actix::test]
async fn a_session_asks_its_active_organization() {
    let app = App::spawn().await;
    second_website(&app).await;
    let owner = Browser::owner(&app).await;
    let answer = owner.post("/v1/query", &events()).await;
    assert_eq!(column(&answer.rows(0), "name"), ["first", "second"]);
    app.finish().await;
}

#[actix::test]
async fn a_key_for_one_website_reads_that_one_and_needs_no_id() {
    let app = App::spawn().await;
    let second = second_website(&app).await;
    let websites = [(WebsiteId::from(second.as_str()), vec![Scope::ReadData])];
    let key = app
        .make_key(CreateKey {
            organization: Some(OrganizationId::from(app.organization.as_str())),
            resources: Some(Resources {
                global: Vec::new(),
                websites: websites.into_iter().collect(),
            }),
            ..CreateKey::named("one website")
        })
        .await;
    for query in [String::new(), format!("?website_id={second}")] {
        let answer = ask(&app, &key, &query, &events()).await;
        assert_eq!(column(&answer.rows(0), "name"), ["second"], "{query}");
    }
    let organization = format!("?organization_id={}", app.organization);
    let own = format!("?website_id={}", app.website);
    for query in [own, organization] {
        assert_eq!(
            ask(&app, &key, &query, &events()).await.status,
            403,
            "{query}"
        );
    }
    app.finish().await;
}

/// Contract: a website key with no id means its website, wherever a website is needed.
#[actix::test]
async fn a_key_for_one_website_needs_no_id_on_any_route() {
    let app = App::spawn().await;
    let second = second_website(&app).await;
    let rights = [(WebsiteId::from(second.as_str()), Scope::ALL.to_vec())];
    let key = CreateKey {
        organization: Some(OrganizationId::from(app.organization.as_str())),
        resources: Some(Resources {
            global: Vec::new(),
            websites: rights.into_iter().collect(),
        }),
        ..CreateKey::named("one website")
    };
    let key = app.make_key(key).await;
    let post = async |url: String, body: &Value| {
        let request = app.http.post(url).header("x-api-key", &key);
        Answer::send(request.json(body)).await
    };
    let data = json!({ "type": "summary_totals", "preset": "today" });
    let query = json!({ "parameters": ["summary_totals"], "preset": "today" });
    let goal = json!({ "type": "PAGE_VIEW", "target": "/a", "name": "A" });
    for (path, body) in [
        ("/v1/query", &query),
        ("/v1/query/compile", &query),
        ("/goals/create", &goal),
        ("/goals/list", &json!({})),
        ("/rpc/goals/list", &json!({ "json": { "websiteId": null } })),
        ("/funnels/list", &json!({})),
        ("/segments/list", &json!({})),
        ("/flags/list", &json!({})),
        ("/target-groups/list", &json!({})),
        ("/autocomplete/get", &json!({})),
        ("/insights/getData", &data),
    ] {
        let answer = post(format!("{}{path}", app.base), body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    let goals = post(
        format!("{}/goals/list", app.base),
        &json!({ "websiteId": second }),
    )
    .await;
    assert_eq!(goals.body[0]["name"], "A", "{}", goals.text);

    let export = app
        .http
        .get(format!("{}/v1/export?format=ndjson", app.base));
    let export = Answer::send(export.header("x-api-key", &key)).await;
    assert_eq!(export.status, 200, "{}", export.text);
    assert!(
        export.text.contains("\"name\":\"second\"") && !export.text.contains("\"name\":\"first\""),
        "{}",
        export.text
    );

    for (path, body, status) in [
        ("/track", json!({ "name": "own" }), 200),
        ("/mcp", json!([{ "tool": "own", "durationMs": 1 }]), 202),
        (
            "/vitals",
            json!([{ "timestamp": NOW, "path": "/a", "metricName": "LCP", "metricValue": 1 }]),
            200,
        ),
        ("/identify", json!({ "profileId": "p" }), 200),
        (
            "/ai-traffic",
            json!({ "path": "/a", "userAgent": "GPTBot/1.2" }),
            202,
        ),
    ] {
        let answer = post(format!("{}{path}", app.track), &body).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
    }
    let names = ask(&app, &key, &format!("?website_id={second}"), &events()).await;
    assert_eq!(column(&names.rows(0), "name"), ["own", "second"]);

    // Others still have to name one.
    let url = |path: &str| format!("{}{path}", app.base);
    assert_eq!(app.post(url("/goals/list"), &json!({})).await.status, 400);
    assert_ne!(app.get(url("/v1/export")).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn foreign_and_unknown_targets_are_refused_with_the_same_bytes() {
    let app = App::spawn().await;
    let stranger = stranger(&app).await;
    let refusal = |error: &str, code: &str| json!({ "success": false, "error": error, "code": code, "requestId": "same" });
    for (kind, real, thing) in [
        ("website_id", &app.website, "website"),
        ("organization_id", &app.organization, "organization"),
    ] {
        let (foreign, unknown) = (format!("?{kind}={real}"), format!("?{kind}=unknown"));
        for (key, status, refused) in [
            ("", 401, refusal("Authentication required", "AUTH_REQUIRED")),
            (
                stranger.as_str(),
                403,
                refusal(&format!("Access denied to this {thing}"), "FORBIDDEN"),
            ),
        ] {
            let one = ask(&app, key, &foreign, &events()).await;
            assert_eq!((one.status, &one.body), (status, &refused), "{kind}");
            let other = ask(&app, key, &unknown, &events()).await;
            assert_eq!((one.status, one.text), (other.status, other.text), "{kind}");
        }
    }
    assert_eq!(ask(&app, "", "", &events()).await.status, 401);
    app.finish().await;
}

/// A key of another organization, with every scope there.
async fn stranger(app: &App) -> String {
    let people = &app.platform.as_ref().unwrap().domains().organizations;
    let owner = people
        .view()
        .person_by_email(&app.email)
        .unwrap()
        .id
        .clone();
    let other = CreateOrganization {
        by: owner,
        session: None,
        name: "Other".to_owned(),
        slug: None,
        logo: None,
    };
    let other = people.ask(other).await.unwrap();
    app.make_key(CreateKey {
        organization: Some(other.tenant.id.clone()),
        scopes: Scope::ALL.to_vec(),
        ..CreateKey::named("stranger")
    })
    .await
}

#[actix::test]
async fn anybody_may_ask_public_types_of_a_public_website() {
    let app = App::spawn().await;
    second_website(&app).await;
    let publish = json!({ "id": app.website, "isPublic": true });
    let published = app
        .post(format!("{}/websites/togglePublic", app.base), &publish)
        .await;
    assert_eq!(published.status, 200, "{}", published.text);
    let query = format!("?website_id={}", app.website);
    let answer = ask(&app, "", &query, &events()).await;
    assert_eq!(column(&answer.rows(0), "name"), ["first"]);

    let private = json!({ "parameters": ["country", "session_list"], "preset": "today" });
    let refused = ask(&app, "", &query, &private).await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.body["code"], "AUTH_REQUIRED");
    let batch = ask(&app, "", &query, &json!([private, events()])).await;
    assert_eq!(batch.status, 200);
    assert_eq!(batch.body["results"][0]["code"], "AUTH_REQUIRED");
    assert_eq!(batch.body["results"][1]["data"][0]["success"], true);
    app.finish().await;
}

/// Threat T6b: whatever single visitors, sessions, stack traces or properties can be read of is not for strangers.
#[actix::test]
async fn of_a_public_website_every_type_that_shows_persons_is_private() {
    let app = App::with("limits.query_requests_anonymous = 0").await;
    let publish = json!({ "id": app.website, "isPublic": true });
    app.post(format!("{}/websites/togglePublic", app.base), &publish)
        .await;
    let url = format!("{}/v1/query/types?include_meta=true", app.base);
    let types = Answer::send(app.http.get(url)).await;
    let configs = types.body["configs"].as_object().unwrap();
    // Of these words one is in the columns of whatever shows single persons, their sessions or what they sent.
    let telling = [
        "visitor_id",
        "anonymous_id",
        "session_id",
        "profile_id",
        "display_name",
        "email",
        "stack",
        "properties",
    ];
    let (mut open, mut closed) = (0, 0);
    for (name, config) in configs {
        let body = json!({ "parameters": [name], "preset": "today" });
        let query = format!("?website_id={}", app.website);
        let answer = ask(&app, "", &query, &body).await;
        let columns = config["meta"]["output_fields"].to_string();
        let tells = telling
            .iter()
            .any(|word| columns.contains(&format!("\"{word}\"")));
        match answer.status {
            200 => assert!(!tells, "{name}: {columns}"),
            401 => assert_eq!(answer.body["code"], "AUTH_REQUIRED", "{name}"),
            status => assert!([400, 403].contains(&status), "{name}: {}", answer.text),
        }
        open += usize::from(answer.status == 200);
        closed += usize::from(answer.status == 401);
    }
    assert!(open > 20 && closed > 20, "{open} open, {closed} closed");
    app.finish().await;
}

#[actix::test]
async fn a_servers_events_belong_to_its_organization_alone() {
    let app = App::spawn().await;
    assert_eq!(app.send(&json!({ "name": "nightly" })).await.status, 200);
    assert!(app.rows("custom_events").await.is_empty());
    let answer = ask(&app, &app.key, "", &events()).await;
    assert_eq!(column(&answer.rows(0), "name"), ["nightly"]);
    app.finish().await;
}

#[actix::test]
async fn events_for_foreign_and_unknown_websites_are_refused_with_the_same_bytes() {
    let app = App::spawn().await;
    let stranger = stranger(&app).await;
    let send = async |website: &str| {
        let event = json!({ "name": "a", "websiteId": website });
        let request = app.http.post(format!("{}/track", app.track)).json(&event);
        let request = request
            .header("x-api-key", &stranger)
            .header("x-request-id", "same");
        Answer::send(request).await
    };
    let (foreign, unknown) = (send(&app.website).await, send("unknown").await);
    assert_eq!(foreign.status, 404);
    assert_eq!(foreign.body["message"], "Website not found");
    assert_eq!(
        (foreign.status, foreign.text),
        (unknown.status, unknown.text)
    );
    assert!(app.rows("custom_events").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn accessible_websites_are_listed_as_the_spec_says() {
    let app = App::spawn().await;
    let second = second_website(&app).await;
    let answer = app.get(format!("{}/v1/query/websites", app.base)).await;
    assert_eq!(
        (&answer.body["success"], &answer.body["total"]),
        (&json!(true), &json!(2))
    );
    let listed = answer.body["websites"].as_array().unwrap();
    let shop = listed
        .iter()
        .find(|website| website["id"] == second.as_str());
    assert_eq!(
        shop.unwrap(),
        &json!({
            "id": second, "name": "Shop", "domain": "shop.example", "isPublic": false,
            "createdAt": "2026-10-14T12:00:00.000Z",
        })
    );
    let strangers = app.http.get(format!("{}/v1/query/websites", app.base));
    let strangers = Answer::send(strangers.header("x-api-key", stranger(&app).await)).await;
    assert_eq!(
        (&strangers.body["websites"], &strangers.body["total"]),
        (&json!([]), &json!(0))
    );
    app.finish().await;
}
