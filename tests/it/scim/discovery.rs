//! What the server says of itself, and what it says that it does not do (RFC 7644, section 4).

use serde_json::json;

use super::client::{Client, GROUP, USER, assert_failed};
use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

#[actix::test]
async fn everybody_may_read_what_is_supported() {
    let app = App::spawn().await;
    let get = async |path: &str| {
        let answer = Answer::send(app.http.get(format!("{}/scim/v2{path}", app.base))).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert_eq!(answer.header("content-type"), "application/scim+json");
        answer.body
    };
    let config = get("/ServiceProviderConfig").await;
    for (feature, supported) in [
        ("patch", true),
        ("bulk", false),
        ("filter", true),
        ("changePassword", false),
        ("sort", false),
        ("etag", true),
    ] {
        assert_eq!(config[feature]["supported"], supported, "{feature}");
    }
    assert_eq!(
        config["authenticationSchemes"][0]["type"],
        "oauthbearertoken"
    );

    let types = get("/ResourceTypes").await;
    assert_eq!(types["totalResults"], 2);
    for one in types["Resources"].as_array().unwrap() {
        let id = one["id"].as_str().unwrap();
        assert_eq!(&get(&format!("/ResourceTypes/{id}")).await, one);
        let schema = get(&format!("/Schemas/{}", one["schema"].as_str().unwrap())).await;
        assert_eq!(schema["name"], one["name"]);
        assert!(schema["attributes"].as_array().unwrap().len() > 2);
    }
    let schemas = get("/Schemas").await;
    let ids: Vec<_> = schemas["Resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, [USER, GROUP]);
    let unknown = app
        .http
        .get(format!("{}/scim/v2/Schemas/urn:none", app.base));
    assert_failed(&Answer::send(unknown).await, 404, None);
    app.finish().await;
}

#[actix::test]
async fn what_is_not_supported_is_501_and_what_is_not_there_404() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    assert_failed(&client.get("/Me").await, 501, None);
    let bulk = json!({ "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": [] });
    assert_failed(&client.post("/Bulk", &bulk).await, 501, None);
    assert_failed(&client.get("/Users/none").await, 404, None);
    assert_failed(&client.get("/Users/%00").await, 404, None);
    assert_failed(&client.delete("/Groups/none").await, 404, None);
    app.finish().await;
}
