use pharos::access::{Role, Scope};
use serde_json::json;

use super::{counts, file, fixture};
use crate::cast::{Cast, OTHER, Proof};

#[actix::test]
async fn viewers_strangers_and_keys_without_the_scope_import_nothing() {
    let cast = Cast::spawn().await;
    let own = cast.app.organization.clone();
    let of = |organization: &str, mut body: serde_json::Value| {
        body["organizationId"] = json!(organization);
        body
    };
    for (family, body) in [
        ("Links", file("shlink", fixture!("shlink.csv"))),
        ("Monitors", file("gatus", fixture!("gatus.yaml"))),
        ("Flags", file("unleash", fixture!("unleash.json"))),
    ] {
        let read = cast
            .key(&[Scope::ReadData, Scope::ReadLinks, Scope::ReadMonitors])
            .await;
        for path in ["plan", "apply"].map(|verb| format!("/imports/{verb}{family}")) {
            let viewer = cast.person(Role::Viewer);
            for (proof, expected) in [(&Proof::Nobody, 401), (&viewer, 403), (&read, 403)] {
                let answer = cast.post(proof, &path, &of(&own, body.clone())).await;
                assert_eq!(answer.status, expected, "{path} {proof:?}: {}", answer.text);
            }
            // An organization of others is as good as none.
            let owner = cast.person(Role::Owner);
            for (proof, foreign) in [(&owner, OTHER), (cast.stranger(), own.as_str())] {
                let foreign = cast.post(proof, &path, &of(foreign, body.clone())).await;
                let unknown = cast.post(proof, &path, &of("unknown", body.clone())).await;
                assert!(
                    [403, 404].contains(&foreign.status),
                    "{path}: {}",
                    foreign.text
                );
                assert_eq!(foreign.status, unknown.status, "{path}");
            }
        }
    }
    let owner = cast.person(Role::Owner);
    for (path, body) in [
        ("/links/list", json!({})),
        ("/uptime/listSchedules", json!({})),
        ("/flags/list", json!({ "organizationId": own })),
    ] {
        let listed = cast.call_ok(&owner, path, &body).await;
        let count = listed.as_array().unwrap().len();
        // One link belongs to the cast.
        assert_eq!(
            count,
            usize::from(path == "/links/list"),
            "{path}: {listed}"
        );
    }
    cast.app.finish().await;
}

#[actix::test]
async fn a_key_that_may_not_change_status_pages_imports_the_monitors_alone() {
    let cast = Cast::spawn().await;
    let key = cast.key(&[Scope::WriteMonitors, Scope::ReadMonitors]).await;
    let body = file("statuspage", fixture!("statuspage.json"));
    let applied = cast.call_ok(&key, "/imports/applyMonitors", &body).await;
    assert_eq!(counts(&applied), [2, 0, 3], "{applied}");
    let reason = applied["items"][2]["reason"].as_str().unwrap();
    assert!(reason.contains("write:status_pages"), "{reason}");
    let owner = cast.person(Role::Owner);
    let pages = cast.call_ok(&owner, "/statusPage/list", &json!({})).await;
    assert!(pages.as_array().unwrap().is_empty());
    cast.app.finish().await;
}
