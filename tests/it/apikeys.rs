//! `/apikeys/*` and the audit log as people meet them.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use crate::cast::{Cast, OTHER, Proof};

const KEY_FIELDS: [&str; 14] = [
    "createdAt",
    "enabled",
    "expiresAt",
    "id",
    "lastUsedAt",
    "name",
    "organizationId",
    "prefix",
    "revokedAt",
    "scopes",
    "start",
    "tags",
    "type",
    "updatedAt",
];

async fn create(cast: &Cast, by: &Proof, fields: Value) -> (String, String) {
    let mut body = json!({ "name": "k", "organizationId": cast.app.organization });
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    let made = cast.call_ok(by, "/apikeys/create", &body).await;
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("id"), text("secret"))
}

/// Whether the key may read.
async fn opens(cast: &Cast, secret: &str) -> u16 {
    let key = Proof::Key(secret.to_owned());
    let answer = cast.post(&key, "/websites/list", &json!({})).await;
    answer.status
}

#[actix::test]
async fn a_key_lives_from_its_creation_to_its_deletion() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let wanted = json!({
        "name": " ci ", "description": "for tests", "type": "automation", "tags": ["a"],
        "scopes": ["read:data", "track:events"], "expiresAt": "2027-01-01T00:00:00Z",
        "rateLimit": { "max": 5 },
    });
    let (id, secret) = create(&cast, &owner, wanted).await;
    assert!(secret.starts_with("svc_") && secret.len() == 52, "{secret}");
    assert_eq!(opens(&cast, &secret).await, 200);

    let one = json!({ "id": id });
    let shown = cast.call_ok(&owner, "/apikeys/getById", &one).await;
    assert_eq!(shown["name"], "ci");
    assert_eq!(shown["prefix"], "svc_");
    assert_eq!(shown["start"], secret[..8]);
    assert_eq!(
        shown["rateLimit"],
        json!({ "enabled": true, "max": 5, "window": 60 })
    );
    assert_eq!(shown["expiresAt"], "2027-01-01T00:00:00.000Z");
    assert_eq!(
        shown["lastUsedAt"], "2026-10-14T12:00:00.000Z",
        "it was used just now"
    );
    assert_eq!(shown["createdBy"], cast.user(Role::Owner).as_str());
    let listed = cast.call_ok(&owner, "/apikeys/list", &json!({})).await;
    let mut fields: Vec<&str> = listed[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    fields.sort_unstable();
    assert_eq!(fields, KEY_FIELDS);
    assert_eq!(listed[0]["id"], id.as_str());
    assert_eq!(listed[1]["name"], "setup");
    for answer in [&shown, &listed] {
        assert!(!answer.to_string().contains(&secret[8..]), "{answer}");
    }

    let change = json!({ "id": id, "name": "cd", "description": null, "expiresAt": null,
                         "rateLimit": { "enabled": false } });
    let changed = cast.call_ok(&owner, "/apikeys/update", &change).await;
    assert_eq!(
        (
            &changed["name"],
            &changed["description"],
            &changed["expiresAt"]
        ),
        (&json!("cd"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        changed["rateLimit"],
        json!({ "enabled": false, "max": 5, "window": 60 })
    );
    let off = json!({ "id": id, "enabled": false });
    cast.call_ok(&owner, "/apikeys/update", &off).await;
    assert_eq!(opens(&cast, &secret).await, 401, "switched off");
    let on = json!({ "id": id, "enabled": true });
    cast.call_ok(&owner, "/apikeys/update", &on).await;
    assert_eq!(opens(&cast, &secret).await, 200);

    let rotated = cast.call_ok(&owner, "/apikeys/rotate", &one).await;
    assert_eq!(rotated["id"], id.as_str());
    let newer = rotated["secret"].as_str().unwrap();
    assert_eq!(
        (opens(&cast, &secret).await, opens(&cast, newer).await),
        (401, 200)
    );

    let revoked = cast.call_ok(&owner, "/apikeys/revoke", &one).await;
    assert_eq!(
        (&revoked["success"], &revoked["enabled"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(opens(&cast, newer).await, 401);
    for path in ["/apikeys/rotate", "/apikeys/update"] {
        let refused = cast
            .post(&owner, path, &json!({ "id": id, "enabled": true }))
            .await;
        let refused = match path {
            "/apikeys/rotate" => cast.post(&owner, path, &one).await,
            _ => refused,
        };
        assert_eq!(
            (refused.status, &refused.body["message"]),
            (400, &json!("API key has been revoked"))
        );
    }
    let deleted = cast.call_ok(&owner, "/apikeys/delete", &one).await;
    assert_eq!(deleted, json!({ "success": true }));
    let gone = cast.post(&owner, "/apikeys/getById", &one).await;
    assert_eq!(gone.status, 404);
    cast.app.finish().await;
}

#[actix::test]
async fn keys_never_manage_keys_also_not_beside_a_cookie() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let Proof::Cookie(cookie) = owner.clone() else {
        panic!("a session");
    };
    let (id, _) = create(&cast, &owner, json!({})).await;
    let every = cast.key(&Scope::ALL).await;
    let Proof::Key(secret) = every.clone() else {
        panic!("a key");
    };
    let both = Proof::Both(secret, cookie);
    let organization = &cast.app.organization;
    for (path, body) in [
        ("list", json!({ "organizationId": organization })),
        ("getById", json!({ "id": id })),
        (
            "create",
            json!({ "name": "k", "organizationId": organization }),
        ),
        ("update", json!({ "id": id, "name": "n" })),
        ("revoke", json!({ "id": id })),
        ("rotate", json!({ "id": id })),
        ("delete", json!({ "id": id })),
        ("verify", json!({ "secret": "svc_" })),
    ] {
        for (proof, status) in [(&every, 403), (&both, 403), (&Proof::Nobody, 401)] {
            if path == "verify" && *proof == Proof::Nobody {
                continue;
            }
            for mount in [format!("/apikeys/{path}"), format!("/rpc/apikeys/{path}")] {
                let answer = cast.post(proof, &mount, &body).await;
                assert_eq!(answer.status, status, "{mount} {proof:?}: {}", answer.text);
            }
        }
    }
    let shown = cast
        .call_ok(&owner, "/apikeys/getById", &json!({ "id": id }))
        .await;
    assert_eq!(
        (&shown["name"], &shown["revokedAt"]),
        (&json!("k"), &Value::Null)
    );
    cast.app.finish().await;
}

#[actix::test]
async fn nobody_grants_a_key_more_than_their_role_may_do() {
    let cast = Cast::spawn().await;
    let (member, admin) = (cast.person(Role::Member), cast.person(Role::Admin));
    let organization = &cast.app.organization;
    for scope in Scope::ALL {
        let allowed = !matches!(scope, Scope::ManageWebsites | Scope::ManageConfig);
        let body = json!({ "name": "k", "organizationId": organization, "scopes": [scope] });
        let answer = cast.post(&member, "/apikeys/create", &body).await;
        assert_eq!(
            answer.status,
            if allowed { 200 } else { 403 },
            "{scope:?} {}",
            answer.text
        );
        let website = format!("website:{}", cast.app.website);
        let body = json!({ "name": "k", "organizationId": organization, "resources": { website: [scope] } });
        let answer = cast.post(&member, "/apikeys/create", &body).await;
        assert_eq!(
            answer.status,
            if allowed { 200 } else { 403 },
            "{scope:?} {}",
            answer.text
        );
        cast.call_ok(&admin, "/apikeys/create", &body).await;
    }
    let (id, _) = create(&cast, &admin, json!({ "scopes": ["manage:config"] })).await;
    for (path, body) in [
        ("rotate", json!({ "id": id })),
        ("update", json!({ "id": id, "name": "mine" })),
    ] {
        let answer = cast.post(&member, &format!("/apikeys/{path}"), &body).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
    }
    cast.call_ok(&member, "/apikeys/revoke", &json!({ "id": id }))
        .await;
    let viewer = cast.person(Role::Viewer);
    for (path, body) in [
        ("list", json!({ "organizationId": organization })),
        (
            "create",
            json!({ "name": "k", "organizationId": organization }),
        ),
        ("revoke", json!({ "id": id })),
    ] {
        let answer = cast.post(&viewer, &format!("/apikeys/{path}"), &body).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
    }
    cast.app.finish().await;
}

#[actix::test]
async fn resources_say_where_scopes_hold_and_name_own_websites_only() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let own = format!("website:{}", cast.app.website);
    let (id, secret) = create(
        &cast,
        &owner,
        json!({ "resources": { &own: ["read:data"] } }),
    )
    .await;
    let shown = cast
        .call_ok(&owner, "/apikeys/getById", &json!({ "id": id }))
        .await;
    assert_eq!(shown["resources"], json!({ &own: ["read:data"] }));
    assert_eq!(shown["scopes"], json!([]), "no more than was asked for");
    let key = Proof::Key(secret);
    let one = json!({ "id": cast.app.website });
    cast.call_ok(&key, "/websites/getById", &one).await;
    let config = json!({ "id": cast.app.website, "isPublic": true });
    assert_eq!(
        cast.post(&key, "/websites/togglePublic", &config)
            .await
            .status,
        403
    );

    let (mut seen, usual) = (Vec::new(), create(&cast, &owner, json!({})).await);
    let shown = cast
        .call_ok(&owner, "/apikeys/getById", &json!({ "id": usual.0 }))
        .await;
    assert_eq!(
        (&shown["scopes"], &shown["resources"]),
        (&json!(["read:data"]), &Value::Null)
    );
    for website in [&cast.foreign_website, "unknown"] {
        let named = json!({ format!("website:{website}"): ["read:data"] });
        for (path, body) in [
            (
                "create",
                json!({ "name": "k", "organizationId": cast.app.organization, "resources": named }),
            ),
            ("update", json!({ "id": id, "resources": named })),
        ] {
            let answer = cast.post(&owner, &format!("/apikeys/{path}"), &body).await;
            assert_eq!(answer.status, 404, "{}", answer.text);
            seen.push(answer.text.replace(website, "ID"));
        }
    }
    assert!(seen.iter().all(|text| *text == seen[0]), "{seen:?}");
    for (fields, path) in [
        (
            json!({ "resources": { "page:1": ["read:data"] } }),
            "resources",
        ),
        (json!({ "scopes": ["read:everything"] }), "scopes"),
        (json!({ "rateLimit": { "max": 0 } }), "rateLimit"),
        (json!({ "expiresAt": "soon" }), "expiresAt"),
        (json!({ "expiresAt": "2026-10-14T12:00:00Z" }), "expiresAt"),
        (json!({ "name": "  " }), "name"),
        (json!({ "scope": ["read:data"] }), ""),
    ] {
        let mut body = json!({ "name": "k", "organizationId": cast.app.organization });
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        let answer = cast.post(&owner, "/apikeys/create", &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        let at = answer.body["data"]["issues"][0]["path"].to_string();
        assert!(at.contains(path), "{body}: {at}");
    }
    cast.app.finish().await;
}

#[actix::test]
async fn keys_of_others_and_unknown_ones_are_the_same_bytes() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let (id, _) = create(&cast, &owner, json!({})).await;
    let (mine, _) = create(&cast, &owner, json!({ "organizationId": null })).await;
    let stranger = cast.stranger();
    for path in ["getById", "update", "revoke", "rotate", "delete"] {
        let ask = async |id: &str| {
            let body = json!({ "id": id, "name": "stolen" });
            let body = if path == "update" {
                body
            } else {
                json!({ "id": id })
            };
            let answer = cast
                .post(stranger, &format!("/apikeys/{path}"), &body)
                .await;
            (answer.status, answer.text.replace(id, "ID"))
        };
        let unknown = ask("unknown").await;
        assert_eq!(unknown.0, 404, "{path}: {}", unknown.1);
        assert_eq!(ask(&id).await, unknown, "{path}");
        assert_eq!(ask(&mine).await, unknown, "{path}");
    }
    let admin = cast.person(Role::Admin);
    let answer = cast
        .post(&admin, "/apikeys/getById", &json!({ "id": mine }))
        .await;
    assert_eq!(
        answer.status, 404,
        "a key without an organization is its maker's"
    );
    let listed = cast.call_ok(&owner, "/apikeys/list", &json!({})).await;
    assert!(listed.to_string().contains(&mine));
    let named = json!({ "organizationId": cast.app.organization });
    let listed = cast.call_ok(&owner, "/apikeys/list", &named).await;
    assert!(!listed.to_string().contains(&mine));
    let foreign = cast
        .post(&owner, "/apikeys/list", &json!({ "organizationId": OTHER }))
        .await;
    assert_eq!(foreign.status, 404);
    cast.app.finish().await;
}

#[actix::test]
async fn a_key_without_an_organization_can_do_nothing() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let (_, secret) = create(
        &cast,
        &owner,
        json!({ "organizationId": null, "scopes": Scope::ALL }),
    )
    .await;
    let key = Proof::Key(secret);
    for (path, body) in [
        ("/websites/list", json!({})),
        (
            "/v1/query",
            json!({ "parameters": ["country"], "preset": "today" }),
        ),
    ] {
        let answer = cast.post(&key, path, &body).await;
        let text = "API key must be scoped to an organization";
        assert_eq!(answer.status, 403, "{path}: {}", answer.text);
        assert!(answer.text.contains(text), "{path}: {}", answer.text);
    }
    cast.app.finish().await;
}

#[actix::test]
async fn verify_says_what_a_secret_is_good_for() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let own = format!("website:{}", cast.app.website);
    let fields = json!({ "scopes": ["read:data"], "resources": { "global": ["read:links"], &own: ["track:events"] },
                         "expiresAt": "2026-10-15" });
    let (id, secret) = create(&cast, &owner, fields).await;
    let verify = async |body: Value| cast.call_ok(&Proof::Nobody, "/apikeys/verify", &body).await;
    let good = verify(json!({ "secret": secret })).await;
    let organization = &cast.app.organization;
    let expected = json!({ "valid": true, "keyId": id, "ownerId": organization,
                           "scopes": ["read:data", "track:events", "read:links"] });
    assert_eq!(good, expected);
    for (question, code) in [
        (json!({}), "MISSING_KEY"),
        (json!({ "secret": "svc_nonsense" }), "INVALID_KEY"),
        (
            json!({ "secret": secret, "requiredScopes": ["manage:flags"] }),
            "MISSING_SCOPES",
        ),
        (
            json!({ "secret": secret, "requiredScopes": ["read:data", "manage:flags"], "mode": "all" }),
            "MISSING_SCOPES",
        ),
        (
            json!({ "secret": secret, "resource": "global", "requiredScopes": ["track:events"] }),
            "MISSING_SCOPES",
        ),
        (
            json!({ "secret": secret, "resource": &own, "requiredScopes": ["track:events"] }),
            "",
        ),
        (
            json!({ "secret": secret, "requiredScopes": ["read:data", "manage:flags"] }),
            "",
        ),
    ] {
        let answer = verify(question.clone()).await;
        assert_eq!(answer["valid"], code.is_empty(), "{question}: {answer}");
        assert_eq!(
            answer["errorCode"].as_str().unwrap_or_default(),
            code,
            "{question}"
        );
    }
    let all =
        json!({ "secret": secret, "requiredScopes": ["read:data", "manage:flags"], "mode": "all" });
    let answer = verify(all).await;
    assert_eq!(
        (&answer["matched"], &answer["missing"]),
        (&json!(["read:data"]), &json!(["manage:flags"]))
    );
    cast.app.clock.advance(Duration::from_hours(12));
    assert_eq!(
        verify(json!({ "secret": secret })).await["errorCode"],
        "EXPIRED"
    );
    cast.call_ok(
        &owner,
        "/apikeys/update",
        &json!({ "id": id, "expiresAt": null, "enabled": false }),
    )
    .await;
    assert_eq!(
        verify(json!({ "secret": secret })).await["errorCode"],
        "DISABLED"
    );
    cast.call_ok(&owner, "/apikeys/revoke", &json!({ "id": id }))
        .await;
    assert_eq!(
        verify(json!({ "secret": secret })).await["errorCode"],
        "REVOKED"
    );
    cast.app.finish().await;
}

#[actix::test]
async fn owners_and_admins_read_and_export_what_was_done() {
    let cast = Cast::spawn().await;
    let member = cast.person(Role::Member);
    let (id, secret) = create(&cast, &member, json!({})).await;
    cast.call_ok(&member, "/apikeys/revoke", &json!({ "id": id }))
        .await;
    for role in [Role::Admin, Role::Owner] {
        let person = cast.person(role);
        let log = cast
            .call_ok(&person, "/audit/list", &json!({ "targetId": id }))
            .await;
        let entries = log.as_array().unwrap();
        assert_eq!(entries.len(), 2, "{log}");
        assert_eq!(
            (&entries[0]["action"], &entries[1]["action"]),
            (&json!("key.revoke"), &json!("key.create"))
        );
        assert_eq!(entries[0]["actorId"], cast.user(Role::Member).as_str());
        assert_eq!(entries[0]["previousHash"], entries[1]["hash"]);
        assert!(!log.to_string().contains(&secret[8..]));
    }
    let admin = cast.person(Role::Admin);
    let whole = cast
        .call_ok(&admin, "/audit/list", &json!({ "limit": 1 }))
        .await;
    assert_eq!(whole.as_array().unwrap().len(), 1);
    for format in ["json", "csv"] {
        let file = cast
            .call_ok(&admin, "/audit/export", &json!({ "format": format }))
            .await;
        assert_eq!(file["filename"], format!("audit-2026-10-14.{format}"));
        let data = file["data"].as_str().unwrap();
        let bytes =
            base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("key.revoke") && text.contains(&id), "{text}");
        assert_eq!(file["metadata"]["lastHash"], whole[0]["hash"]);
    }
    let every = cast.key(&Scope::ALL).await;
    let (viewer, stranger) = (cast.person(Role::Viewer), cast.stranger());
    let named = json!({ "organizationId": cast.app.organization });
    for (proof, status) in [
        (&member, 403),
        (&viewer, 403),
        (&every, 403),
        (stranger, 404),
        (&Proof::Nobody, 401),
    ] {
        for path in ["/audit/list", "/audit/export"] {
            let answer = cast.post(proof, path, &named).await;
            assert_eq!(answer.status, status, "{path} {proof:?}: {}", answer.text);
        }
    }
    cast.app.finish().await;
}

#[actix::test]
async fn whoever_sends_too_many_keys_that_nobody_has_is_told_to_wait() {
    let cast = Cast::with("limits.key_failures = 3").await;
    let guess = Proof::Key("svc_000000000000000000000000000000000000000000000000".to_owned());
    let revoked = cast.revoked_key().await;
    for _ in 0..5 {
        assert_eq!(
            cast.post(&revoked, "/websites/list", &json!({}))
                .await
                .status,
            401
        );
    }
    for status in [401, 401, 401, 429, 429] {
        let answer = cast.post(&guess, "/websites/list", &json!({})).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
    let verify = cast
        .post(
            &Proof::Nobody,
            "/apikeys/verify",
            &json!({ "secret": "svc_x" }),
        )
        .await;
    assert_eq!((verify.status, verify.header("retry-after")), (429, "60"));
    let good = Proof::Key(cast.app.key.clone());
    cast.call_ok(&good, "/websites/list", &json!({})).await;
    cast.app.clock.advance(Duration::from_mins(1));
    assert_eq!(
        cast.post(&guess, "/websites/list", &json!({})).await.status,
        401
    );
    cast.app.finish().await;
}

/// Threat T11: requests that begin after the revocation was answered are refused, all of them.
#[actix::test]
async fn under_load_no_request_that_begins_after_a_revocation_is_let_in() {
    let cast = Cast::spawn().await;
    let owner = cast.person(Role::Owner);
    let (id, secret) = create(&cast, &owner, json!({})).await;
    let key = Proof::Key(secret);
    let revoked_at = OnceLock::new();
    let answered = AtomicUsize::new(0);
    let hammer = async || {
        let mut seen = Vec::new();
        let mut further = 25;
        while further > 0 {
            further -= usize::from(revoked_at.get().is_some());
            let begun = Instant::now();
            let answer = cast.post(&key, "/websites/list", &json!({})).await;
            answered.fetch_add(1, Ordering::SeqCst);
            seen.push((begun, answer.status));
        }
        seen
    };
    let revoke = async {
        crate::app::until("the key is in use", async || {
            answered.load(Ordering::SeqCst) >= 100
        })
        .await;
        cast.call_ok(&owner, "/apikeys/revoke", &json!({ "id": id }))
            .await;
        revoked_at.set(Instant::now()).unwrap();
    };
    let hammers = futures_util::future::join_all((0..8).map(|_| hammer()));
    let (seen, ()) = futures_util::future::join(hammers, revoke).await;
    let seen: Vec<(Instant, u16)> = seen.concat();
    let revoked_at = *revoked_at.get().unwrap();
    let (after, before): (Vec<_>, Vec<_>) = seen.iter().partition(|(begun, _)| *begun > revoked_at);
    assert!(after.len() >= 8 * 24 && before.len() >= 100);
    assert!(after.iter().all(|(_, status)| *status == 401));
    assert!(before.iter().filter(|(_, status)| *status == 200).count() >= 100);
    cast.app.finish().await;
}
