//! Short links are made, found, changed and deleted, by those who may.

use serde_json::{Value, json};

use super::harness::{Answer, TestApp};
use crate::access::Scope;

async fn call(app: &TestApp, key: &str, path: &str, body: Value) -> Answer {
    app.post(path, &[("x-api-key", key)], body).await
}

async fn create_link(app: &TestApp, key: &str, more: Value) -> Value {
    let mut body = json!({"name": "Spring", "targetUrl": "https://Example.com"});
    let Value::Object(more) = more else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(more);
    let answer = call(app, key, "/links/create", body).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    answer.json()
}

fn slugs(list: &Value) -> Vec<&str> {
    let links = list.as_array().unwrap().iter();
    links.map(|link| link["slug"].as_str().unwrap()).collect()
}

#[actix::test]
async fn a_link_is_made_found_changed_and_deleted_on_both_mounts() {
    let app = TestApp::open().await;
    let key = app.key();
    let link = create_link(&app, &key, json!({"externalId": "crm-7"})).await;
    let (id, slug) = (link["id"].clone(), link["slug"].as_str().unwrap());
    assert_eq!(slug.len(), 8);
    assert_eq!(link["shortUrl"], format!("http://go.pharos.test/{slug}"));
    assert_eq!(link["targetUrl"], "https://example.com/");
    assert_eq!(link["targetDomain"], "example.com");
    assert_eq!(link["deletedAt"], Value::Null);
    let owner = app.organization();
    assert_eq!(link["organizationId"], owner.as_str());

    let get = call(&app, &key, "/rpc/links/get", json!({"json": {"id": id}})).await;
    assert_eq!(get.json()["json"], link);
    let patch = json!({"id": id, "targetUrl": "https://example.org/a", "externalId": null, "slug": "spring"});
    let changed = call(&app, &key, "/links/update", patch).await.json();
    assert_eq!(changed["targetUrl"], "https://example.org/a");
    assert_eq!(changed["targetDomain"], "example.org", "the host follows");
    assert_eq!(
        (&changed["externalId"], &changed["slug"]),
        (&Value::Null, &json!("spring"))
    );
    assert_eq!(changed["name"], "Spring");

    let gone = call(&app, &key, "/links/delete", json!({"id": id})).await;
    assert_eq!(gone.json(), json!({"success": true}));
    let again = call(&app, &key, "/links/get", json!({"id": id})).await;
    assert_eq!(
        (again.status.as_u16(), &again.json()["code"]),
        (404, &json!("NOT_FOUND"))
    );
    // The slug is free at once.
    create_link(&app, &key, json!({"slug": "spring"})).await;
    app.close().await;
}

#[actix::test]
async fn lists_filter_search_and_sort() {
    let app = TestApp::open().await;
    let key = app.key();
    let folder = call(
        &app,
        &key,
        "/link-folders/create",
        json!({"name": "Spring Sale"}),
    )
    .await
    .json();
    assert_eq!(folder["slug"], "spring-sale");
    let links = [
        (
            "aaa",
            json!({"name": "Beta", "externalId": "x", "tags": ["Print", "50%"]}),
        ),
        (
            "bbb",
            json!({"name": "alpha", "folderId": folder["id"], "sourceType": "post", "sourceId": "1"}),
        ),
        (
            "ccc",
            json!({"name": "50%_off", "targetUrl": "https://shop.example/", "deepLinkApp": "youtube", "tags": ["printer"]}),
        ),
    ];
    for (slug, mut fields) in links {
        app.clock.advance(std::time::Duration::from_millis(1));
        fields["slug"] = json!(slug);
        create_link(&app, &key, fields).await;
    }
    for (filter, expected) in [
        (json!({}), &["ccc", "bbb", "aaa"][..]),
        (json!({"externalId": "x"}), &["aaa"]),
        (json!({"folderId": folder["id"]}), &["bbb"]),
        (json!({"folderId": null}), &["ccc", "aaa"]),
        (json!({"sourceType": "post", "sourceId": "1"}), &["bbb"]),
        (json!({"targetDomain": "shop.example"}), &["ccc"]),
        (json!({"tag": "print"}), &["aaa"]),
        (json!({"tag": "PRINTER"}), &["ccc"]),
        (json!({"tag": "50%"}), &["aaa"]),
        (json!({"tag": "%"}), &[]),
    ] {
        let listed = call(&app, &key, "/links/list", filter.clone()).await.json();
        assert_eq!(slugs(&listed), expected, "{filter}");
    }
    for (page, expected, more) in [
        (json!({"limit": 2}), &["ccc", "bbb"][..], true),
        (json!({"limit": 2, "offset": 2}), &["aaa"], false),
        (json!({"sort": "name-asc"}), &["ccc", "bbb", "aaa"], false),
        (json!({"sort": "name-desc"}), &["aaa", "bbb", "ccc"], false),
        (json!({"sort": "oldest"}), &["aaa", "bbb", "ccc"], false),
        (json!({"search": "ALPHA"}), &["bbb"], false),
        (json!({"search": "0%_"}), &["ccc"], false),
        (json!({"search": "%"}), &["ccc", "aaa"], false),
        (json!({"search": "print"}), &["ccc", "aaa"], false),
        (json!({"search": "shop.ex"}), &["ccc"], false),
        (json!({"type": "deep"}), &["ccc"], false),
        (json!({"type": "short"}), &["bbb", "aaa"], false),
    ] {
        let listed = call(&app, &key, "/links/paginated", page.clone())
            .await
            .json();
        assert_eq!(slugs(&listed["items"]), expected, "{page}");
        assert_eq!(listed["hasMore"], more, "{page}");
    }
    for bad in [
        json!({"limit": 0}),
        json!({"limit": 101}),
        json!({"sort": "best"}),
        json!({"offset": -1}),
    ] {
        let refused = call(&app, &key, "/links/paginated", bad.clone()).await;
        assert_eq!(refused.status, 400, "{bad}");
    }
    let folders = call(&app, &key, "/link-folders/list", json!({}))
        .await
        .json();
    assert_eq!(
        (&folders[0]["name"], &folders[0]["linkCount"]),
        (&json!("Spring Sale"), &json!(1))
    );
    let gone = call(
        &app,
        &key,
        "/link-folders/delete",
        json!({"id": folder["id"]}),
    )
    .await;
    assert_eq!(gone.json(), json!({"success": true}));
    let listed = call(&app, &key, "/links/list", json!({"folderId": null}))
        .await
        .json();
    assert_eq!(listed.as_array().unwrap().len(), 3, "its links are in none");
    app.close().await;
}

#[actix::test]
async fn what_is_wrong_is_named_and_nothing_is_half_done() {
    let app = TestApp::open().await;
    let key = app.key();
    create_link(&app, &key, json!({"slug": "taken"})).await;
    let conflict = json!({"name": "a", "targetUrl": "https://e.example", "slug": "taken"});
    let refused = call(&app, &key, "/links/create", conflict.clone()).await;
    assert_eq!(refused.status, 409);
    assert_eq!(refused.json()["message"], "This slug is already taken");
    for (more, field) in [
        (json!({"targetUrl": "javascript:alert(1)"}), "targetUrl"),
        (json!({"targetUrl": "https://go.example/x"}), "targetUrl"),
        (json!({"slug": "admin"}), "slug"),
        (
            json!({"expiredRedirectUrl": "//evil.example"}),
            "expiredRedirectUrl",
        ),
        (json!({"folderId": "nobody's"}), "folderId"),
    ] {
        let mut body = json!({"name": "a", "targetUrl": "https://e.example"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let refused = call(&app, &key, "/links/create", body).await;
        assert_eq!(refused.status, 400, "{more}");
        assert_eq!(
            refused.json()["data"]["issues"][0]["path"],
            json!([field]),
            "{more}: {:?}",
            refused.body
        );
    }
    // All of them or none.
    let good = json!({"name": "a", "targetUrl": "https://e.example", "slug": "good"});
    let bulk = json!({"links": [good, conflict]});
    assert_eq!(
        call(&app, &key, "/links/bulkCreate", bulk).await.status,
        409
    );
    let bad = json!({"links": [good, {"name": "a", "targetUrl": "x"}]});
    let refused = call(&app, &key, "/links/bulkCreate", bad).await;
    assert_eq!(refused.status, 400, "{:?}", refused.body);
    let listed = call(&app, &key, "/links/list", json!({})).await.json();
    assert_eq!(slugs(&listed), ["taken"]);
    for count in [0, 101] {
        let links = vec![json!({"name": "a", "targetUrl": "https://e.example"}); count];
        let refused = call(&app, &key, "/links/bulkCreate", json!({"links": links})).await;
        assert_eq!(refused.status, 400, "{count}");
    }
    let links = vec![json!({"name": "a", "targetUrl": "https://e.example"}); 100];
    let hundred = call(&app, &key, "/links/bulkCreate", json!({"links": links}))
        .await
        .json();
    let ids: Vec<Value> = hundred
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["id"].clone())
        .collect();
    let renamed: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "name": "b"}))
        .collect();
    let renamed = call(&app, &key, "/links/bulkUpdate", json!({"links": renamed}))
        .await
        .json();
    assert!(
        renamed
            .as_array()
            .unwrap()
            .iter()
            .all(|link| link["name"] == "b")
    );
    let unknown = json!({"ids": [ids[0], "nobody's"]});
    assert_eq!(
        call(&app, &key, "/links/bulkDelete", unknown).await.status,
        404
    );
    let all = call(&app, &key, "/links/bulkDelete", json!({"ids": ids})).await;
    assert_eq!(all.json(), json!({"success": true}));
    let listed = call(&app, &key, "/links/list", json!({})).await.json();
    assert_eq!(slugs(&listed), ["taken"]);
    app.close().await;
}

#[actix::test]
async fn reading_and_writing_need_their_scopes_for_all_of_the_organization() {
    let app = TestApp::open().await;
    let all = app.key();
    let link = create_link(&app, &all, json!({})).await;
    let reader = app.key_with(&[Scope::ReadLinks]).await;
    let writer = app.key_with(&[Scope::WriteLinks]).await;
    let website = app.website();
    let narrow = app
        .key_for(&website, &[Scope::ReadLinks, Scope::WriteLinks])
        .await;
    let id = json!({"id": link["id"]});
    for (key, path, status) in [
        (&reader, "/links/get", 200),
        (&reader, "/links/delete", 403),
        (&writer, "/links/get", 403),
        (&narrow, "/links/get", 403),
        (&narrow, "/links/delete", 403),
        (&writer, "/links/delete", 200),
    ] {
        assert_eq!(
            call(&app, key, path, id.clone()).await.status,
            status,
            "{path}"
        );
    }
    assert_eq!(app.post("/links/list", &[], json!({})).await.status, 401);
    app.close().await;
}

#[actix::test]
async fn a_links_address_is_drawn_for_those_who_may_see_it() {
    let app = TestApp::open().await;
    let key = app.key();
    let link = create_link(&app, &key, json!({})).await;
    let id = link["id"].as_str().unwrap();
    let get = async |path: &str, key: &str| app.get(path, &[("x-api-key", key)]).await;
    let svg = get(&format!("/links/{id}/qr.svg"), &key).await;
    assert_eq!(
        (svg.status.as_u16(), svg.header("content-type")),
        (200, "image/svg+xml")
    );
    assert!(svg.body.starts_with(b"<?xml") && !svg.body.windows(7).any(|part| part == b"<script"));
    let png = get(&format!("/links/{id}/qr.png?size=300"), &key).await;
    assert_eq!(
        (png.status.as_u16(), png.header("content-type")),
        (200, "image/png")
    );
    assert!(png.body.starts_with(b"\x89PNG\r\n\x1a\n"));
    for size in ["63", "2049", "-1", "x"] {
        let refused = get(&format!("/links/{id}/qr.png?size={size}"), &key).await;
        assert_eq!(refused.status, 400, "{size}");
    }
    let stranger = app.key_with(&[Scope::ReadData]).await;
    assert_eq!(
        get(&format!("/links/{id}/qr.svg"), &stranger).await.status,
        403
    );
    assert_eq!(get("/links/unknown/qr.svg", &key).await.status, 404);
    assert_eq!(
        app.get(&format!("/links/{id}/qr.svg"), &[]).await.status,
        401
    );
    app.close().await;
}

#[actix::test]
async fn links_leave_and_come_back_as_a_table() {
    let app = TestApp::open().await;
    let key = app.key();
    create_link(
        &app,
        &key,
        json!({"slug": "one", "name": "=1+1", "tags": ["a", "b"], "maxClicks": 9,
            "countries": {"DE": "https://example.de/"}, "languages": {"de": "https://example.at/"},
            "variants": [{"url": "https://a.example/", "weight": 1}, {"url": "https://b.example/", "weight": 2}]}),
    )
    .await;
    let file = call(&app, &key, "/links/exportCsv", json!({})).await.json();
    let csv = file["csv"].as_str().unwrap();
    assert!(csv.contains("'=1+1") && csv.contains("\"a,b\""), "{csv}");
    let taken = call(&app, &key, "/links/importCsv", json!({"csv": csv})).await;
    assert_eq!(taken.status, 409, "its slug is taken");
    let others = csv.replace("one", "two");
    let taken_in = call(&app, &key, "/links/importCsv", json!({"csv": others})).await;
    assert_eq!(
        taken_in.json(),
        json!({"created": 1}),
        "{:?}",
        taken_in.body
    );
    let listed = call(&app, &key, "/links/list", json!({})).await.json();
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let targets = (&link["countries"], &link["languages"], &link["variants"]);
            (&link["name"], &link["tags"], &link["maxClicks"], targets)
        })
        .collect();
    assert_eq!(names[0], names[1]);
    let bad = "name,targetUrl\na,https://e.example\nb,javascript:x\n";
    let refused = call(&app, &key, "/links/importCsv", json!({"csv": bad})).await;
    assert_eq!(refused.status, 400);
    let listed = call(&app, &key, "/links/list", json!({})).await.json();
    assert_eq!(
        listed.as_array().unwrap().len(),
        2,
        "nothing of a bad file is kept"
    );
    app.close().await;
}
