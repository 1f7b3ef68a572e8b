use pharos::access::{Role, Scope};
use serde_json::json;

use crate::{
    app::Answer,
    cast::{Cast, Proof},
};

#[actix::test]
async fn who_may_not_configure_a_website_imports_nothing_into_it() {
    let cast = Cast::spawn().await;
    let website = cast.app.website.clone();
    let create = json!({ "websiteId": website, "format": "ga4", "filename": "a.jsonl", "size": 3 });
    let owner = cast.person(Role::Owner);
    let made = cast.call_ok(&owner, "/imports/create", &create).await;
    let own = json!({ "importId": made["id"] });
    let read = cast.key(&[Scope::ReadData]).await;
    let viewer = cast.person(Role::Viewer);
    for path in
        ["create", "list", "get", "plan", "apply", "cancel"].map(|name| format!("/imports/{name}"))
    {
        let body = match path.as_str() {
            "/imports/create" => create.clone(),
            "/imports/list" => json!({ "websiteId": website }),
            _ => own.clone(),
        };
        for (proof, expected) in [(&Proof::Nobody, 401), (&viewer, 403), (&read, 403)] {
            let answer = cast.post(proof, &path, &body).await;
            assert_eq!(answer.status, expected, "{path} {proof:?}: {}", answer.text);
        }
        let foreign = cast.post(cast.stranger(), &path, &body).await;
        assert!(
            [403, 404].contains(&foreign.status),
            "{path}: {}",
            foreign.text
        );
    }
    let unknown = cast
        .post(&owner, "/imports/get", &json!({ "importId": "unknown" }))
        .await;
    let foreign = cast.post(cast.stranger(), "/imports/get", &own).await;
    assert_eq!((unknown.status, foreign.status), (404, 404));
    let id = made["id"].as_str().unwrap();
    let url = format!("{}/v1/imports/{id}/content?offset=0", cast.app.base);
    for (proof, kind, expected) in [
        (&Proof::Nobody, "application/octet-stream", 401),
        (&viewer, "application/octet-stream", 403),
        (&owner, "text/plain", 415),
        (&owner, "image/png", 415),
        (&owner, "application/octet-stream", 200),
    ] {
        let part = cast.app.http.put(&url).header("content-type", kind);
        let answer = Answer::send(proof.on(part.body("abc"))).await;
        assert_eq!(answer.status, expected, "{proof:?} {kind}: {}", answer.text);
    }
    let log = cast.call_ok(&owner, "/audit/list", &json!({})).await;
    assert!(log.to_string().contains("import.create"), "{log}");
    cast.app.finish().await;
}

#[actix::test]
async fn an_upload_that_was_left_alone_for_a_day_is_cancelled() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let create =
        json!({ "websiteId": cast.app.website, "format": "ga4", "filename": "a.jsonl", "size": 3 });
    let left = cast.call_ok(&owner, "/imports/create", &create).await;
    cast.app.clock.advance(std::time::Duration::from_hours(25));
    let owner = cast.person(Role::Owner);
    // What was left is looked for when another one comes.
    cast.call_ok(&owner, "/imports/create", &create).await;
    let left = cast
        .call_ok(&owner, "/imports/get", &json!({ "importId": left["id"] }))
        .await;
    assert_eq!(left["status"], "cancelled", "{left}");
    cast.app.finish().await;
}
