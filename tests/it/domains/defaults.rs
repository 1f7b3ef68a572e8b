//! Where a host of short links leads when there is no link to follow.

use serde_json::{Value, json};

use super::{get, open, verified};
use crate::names::Names;

#[actix::test]
async fn root_unknown_slugs_and_ended_links_lead_where_the_owner_says() {
    let names = Names::start();
    let app = open(&names).await;
    let host = "go.acme.example";
    let body = json!({ "host": host, "use": "links", "rootUrl": "https://acme.example", "unknownUrl": "https://acme.example/404" });
    let id = verified(&app, &names, &body).await;
    let link = json!({
        "name": "over", "slug": "over", "domain": host, "targetUrl": "https://a.example/", "expiresAt": "2020-01-01T00:00:00Z",
    });
    let made = app.post(format!("{}/links/create", app.base), &link).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let seen = async |path: &str| {
        let seen = get(&app.links, host, path).await;
        (seen.status, seen.header("location").to_owned())
    };
    let to = |url: &str| (302, url.to_owned());
    assert_eq!(seen("/").await, to("https://acme.example/"));
    assert_eq!(seen("/nothing").await, to("https://acme.example/404"));
    assert_eq!(seen("/over").await, (410, String::new()));

    let update = async |fields: Value| {
        let mut body = json!({ "id": id });
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        app.post(format!("{}/domains/update", app.base), &body)
            .await
    };
    let changed =
        update(json!({ "endedUrl": "https://acme.example/over", "unknownUrl": null })).await;
    assert_eq!(
        changed.body["rootUrl"], "https://acme.example/",
        "{}",
        changed.text
    );
    assert_eq!(seen("/over").await, to("https://acme.example/over"));
    assert_eq!(seen("/nothing").await, (404, String::new()));
    assert_eq!(
        get(&app.links, "127.0.0.1", "/nothing").await.status,
        404,
        "other hosts are as they were"
    );
    for wrong in [
        "javascript:alert(1)",
        "acme.example",
        "https://user@acme.example/",
    ] {
        let refused = update(json!({ "rootUrl": wrong })).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
    }
    app.finish().await;
}
