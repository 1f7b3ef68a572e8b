//! The tracker under a host of the organization's own.

use serde_json::json;

use super::{client, get, open, second_organization, send, verified};
use crate::{names::Names, people::browser::Browser};

#[actix::test]
async fn script_and_events_are_under_one_host_and_only_for_websites_of_its_organization() {
    let names = Names::start();
    let app = open(&names).await;
    let owner = Browser::owner(&app).await;
    let other = second_organization(&owner).await;
    let body = json!({ "organizationId": other, "name": "Other", "domain": "other.example" });
    let foreign = owner.post("/websites/create", &body).await;
    assert_eq!(foreign.status, 200, "{}", foreign.text);
    let host = "t.acme.example";
    verified(&app, &names, &json!({ "host": host, "use": "tracker" })).await;

    for at in [&app.track, &app.base] {
        let script = get(at, host, "/pharos.js").await;
        assert_eq!(script.status, 200, "{}", script.text);
        assert!(script.header("content-type").contains("javascript"));
        let sent = async |client_id: &str, event: &str| {
            let body = json!({ "type": "track", "payload": { "name": "screen_view", "anonymousId": "a", "sessionId": "s", "path": "https://acme.example/" } });
            let body = if event.is_empty() {
                body
            } else {
                json!({ "name": event })
            };
            let url = format!("{at}/track?website_id={client_id}");
            send(host, client().post(url).json(&body)).await
        };
        let own = sent(&app.website, "signup").await;
        assert_eq!(own.status, 200, "{}", own.text);
        let refused = sent(foreign.body["clientId"].as_str().unwrap(), "signup").await;
        let unknown = sent("nothing", "signup").await;
        assert_eq!(
            (refused.status, unknown.status),
            (404, 404),
            "{}",
            refused.text
        );
    }
    // Nothing else of the program is there.
    for path in ["/login", "/v1/query/types", "/status/acme", "/openapi.json"] {
        assert_eq!(get(&app.base, host, path).await.status, 404, "{path}");
    }
    app.finish().await;
}
