//! What a key may do is what its scopes say, on every kind of route.

use pharos::{access::Scope, actors::keys::CreateKey};
use serde_json::{Value, json};

use crate::app::{Answer, App};

/// A request that one scope allows; without a body it is a GET.
struct Entrance {
    scope: Scope,
    url: String,
    body: Value,
    code: &'static str,
}

fn entrances(app: &App) -> Vec<Entrance> {
    use Scope::{ManageConfig, ManageWebsites, ReadData, TrackEvents};
    let id = &app.website;
    let query = json!({ "parameters": ["country"], "preset": "today" });
    let (one, shop) = (
        json!({ "id": id }),
        json!({ "name": "Shop", "domain": "shop.example" }),
    );
    let private = json!({ "id": id, "isPublic": false });
    let base = [
        (
            ReadData,
            format!("/v1/query?website_id={id}"),
            query.clone(),
        ),
        (ReadData, "/v1/query".into(), query.clone()),
        (
            ReadData,
            format!("/v1/query/compile?website_id={id}"),
            query,
        ),
        (ReadData, "/v1/query/websites".into(), Value::Null),
        (ReadData, "/websites/list".into(), json!({})),
        (ReadData, "/rpc/websites/getById".into(), one),
        (ManageWebsites, "/websites/create".into(), shop),
        (ManageWebsites, "/websites/togglePublic".into(), private),
        (ManageConfig, "/metrics".into(), Value::Null),
    ];
    let track = [
        json!({ "name": "a", "websiteId": id }),
        json!({ "name": "a" }),
    ];
    let base = base.into_iter().map(|(scope, path, body)| Entrance {
        scope,
        url: format!("{}{path}", app.base),
        body,
        code: "FORBIDDEN",
    });
    let track = track.into_iter().map(|body| Entrance {
        scope: TrackEvents,
        url: format!("{}/track", app.track),
        body,
        code: "MISSING_SCOPE",
    });
    base.chain(track).collect()
}

async fn knock(app: &App, entrance: &Entrance, key: &str) -> Answer {
    let request = if entrance.body.is_null() {
        app.http.get(&entrance.url)
    } else {
        app.http.post(&entrance.url).json(&entrance.body)
    };
    Answer::send(request.header("x-api-key", key)).await
}

#[actix::test]
async fn a_key_opens_what_its_scope_allows_and_nothing_else() {
    let app = App::spawn().await;
    for entrance in entrances(&app) {
        let name = (entrance.url.as_str(), entrance.scope.as_str());
        let others: Vec<Scope> = Scope::ALL
            .into_iter()
            .filter(|scope| *scope != entrance.scope)
            .collect();
        let refused = knock(&app, &entrance, &app.key_with(&others).await).await;
        assert_eq!(
            refused.status, 403,
            "without its scope: {name:?} {}",
            refused.text
        );
        assert_eq!(refused.body["code"], entrance.code, "{name:?}");
        let allowed = knock(&app, &entrance, &app.key_with(&[entrance.scope]).await).await;
        assert_eq!(
            allowed.status, 200,
            "with its scope alone: {name:?} {}",
            allowed.text
        );
    }
    let key = app.key_with(&[Scope::ReadData]).await;
    let event = app
        .http
        .post(format!("{}/track", app.track))
        .header("x-api-key", key);
    let refused = Answer::send(event.json(&json!({ "name": "a", "websiteId": app.website }))).await;
    assert_eq!(
        refused.body["error"], "API key missing track:events scope",
        "spec, Ingestion errors"
    );
    app.finish().await;
}

#[actix::test]
async fn a_key_without_an_organization_opens_nothing() {
    let app = App::spawn().await;
    let key = app
        .make_key(CreateKey {
            scopes: Scope::ALL.to_vec(),
            ..CreateKey::named("nowhere")
        })
        .await;
    for entrance in entrances(&app)
        .iter()
        .filter(|entrance| entrance.scope != Scope::ManageConfig)
    {
        let answer = knock(&app, entrance, &key).await;
        let name = entrance.url.as_str();
        let told = answer.body["error"]
            .as_str()
            .or(answer.body["message"].as_str());
        assert_eq!(
            (answer.status, told),
            (403, Some("API key must be scoped to an organization")),
            "{name}: {}",
            answer.text
        );
    }
    app.finish().await;
}
