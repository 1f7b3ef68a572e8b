//! Everything that people put in comes out again, whole, in every form, and for nobody else.

use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    cast::{Cast, Proof},
};

async fn export(app: &App, kind: &str, query: &str) -> Answer {
    app.get(format!("{}/v1/export/{kind}?{query}", app.base))
        .await
}

async fn make(app: &App, path: &str, body: Value) -> Value {
    let made = app.post(format!("{}{path}", app.base), &body).await;
    assert_eq!(made.status, 200, "{path}: {}", made.text);
    made.body
}

/// One of each kind, with the kind, and a text that its export has to hold.
async fn fill(app: &App) -> Vec<(&'static str, &'static str)> {
    let site = app.website.clone();
    make(app, "/links/create", json!({ "name": "=SUM(A1)", "slug": "spring", "targetUrl": "https://shop.example/", "tags": ["a", "b"] })).await;
    make(app, "/link-folders/create", json!({ "name": "Campaigns" })).await;
    make(
        app,
        "/flags/create",
        json!({ "websiteId": site, "key": "new-nav", "defaultValue": true }),
    )
    .await;
    make(
        app,
        "/target-groups/create",
        json!({ "websiteId": site, "name": "Insiders", "color": "#aa0000", "rules": [] }),
    )
    .await;
    let monitor = make(app, "/uptime/createSchedule", json!({ "url": "https://shop.example/health", "granularity": "hour", "name": "Shop", "isPaused": true })).await;
    let page = make(
        app,
        "/statusPage/create",
        json!({ "name": "Shop status", "slug": "shop-status" }),
    )
    .await;
    make(
        app,
        "/statusPage/addMonitor",
        json!({ "statusPageId": page["id"], "uptimeScheduleId": monitor["scheduleId"] }),
    )
    .await;
    make(app, "/statusPage/createIncident", json!({ "statusPageId": page["id"], "title": "Slow checkout", "severity": "minor", "message": "We look" })).await;
    make(
        app,
        "/goals/create",
        json!({ "websiteId": site, "name": "Bought", "type": "PAGE_VIEW", "target": "/thanks" }),
    )
    .await;
    make(app, "/annotations/create", json!({ "websiteId": site, "text": "Sale begins", "chartType": "metrics", "annotationType": "point", "xValue": "2026-01-01", "chartContext": { "dateRange": { "start_date": "2026-01-01", "end_date": "2026-01-02", "granularity": "daily" } } })).await;
    make(app, "/segments/create", json!({ "websiteId": site, "name": "Phones", "filters": [{ "field": "device_type", "operator": "equals", "value": "mobile" }] })).await;
    make(app, "/boards/create", json!({ "name": "Overview" })).await;
    vec![
        ("websites", "localhost"),
        ("links", "spring"),
        ("link-folders", "Campaigns"),
        ("monitors", "https://shop.example/health"),
        ("status-pages", "shop-status"),
        ("incidents", "Slow checkout"),
        ("boards", "Overview"),
        ("flags", "new-nav"),
        ("target-groups", "Insiders"),
        ("goals", "Bought"),
        ("annotations", "Sale begins"),
        ("segments", "Phones"),
    ]
}

#[actix::test]
async fn every_kind_comes_out_in_every_form() {
    let app = App::spawn().await;
    let of_website = format!("website_id={}", app.website);
    for (kind, text) in fill(&app).await {
        let lines = export(&app, kind, &of_website).await;
        assert_eq!(lines.status, 200, "{kind}: {}", lines.text);
        assert!(lines.text.contains(text), "{kind}: {}", lines.text);
        let name = lines.header("content-disposition");
        assert!(
            name.contains(&format!("filename=\"{kind}-2")) && name.ends_with(".ndjson\""),
            "{name}"
        );
        let lines: Vec<Value> = lines
            .text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let list = export(&app, kind, &format!("{of_website}&format=json")).await;
        assert_eq!(list.body, json!(lines), "{kind}");
        let csv = export(&app, kind, &format!("{of_website}&format=csv")).await;
        let mut reader = csv::Reader::from_reader(csv.text.as_bytes());
        let rows = reader.records().map(Result::unwrap).count();
        assert_eq!(rows, lines.len(), "{kind}: {}", csv.text);
    }
    let csv = export(&app, "links", "format=csv").await;
    assert!(
        csv.text.contains("'=SUM(A1)"),
        "no spreadsheet calculates: {}",
        csv.text
    );
    // What was exported is what the list says.
    let listed = make(&app, "/goals/list", json!({ "websiteId": app.website })).await;
    assert_eq!(
        export(&app, "goals", &format!("{of_website}&format=json"))
            .await
            .body,
        listed
    );
    for (query, field) in [("format=xml", "format"), ("", "website_id")] {
        let refused = export(&app, "goals", query).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(field), "{}", refused.text);
    }
    assert_eq!(export(&app, "secrets", "").await.status, 404);
    for (format, text) in [("ndjson", ""), ("json", "[]\n"), ("csv", "")] {
        let none = export(&app, "funnels", &format!("{of_website}&format={format}")).await;
        assert_eq!((none.status, &*none.text), (200, text));
    }
    app.finish().await;
}

#[actix::test]
async fn lists_are_whole_however_long_they_are() {
    let app = App::spawn().await;
    let link = |number| json!({ "name": format!("n{number}"), "slug": format!("slug-{number}"), "targetUrl": "https://shop.example/" });
    for chunk in (0..2_100).collect::<Vec<u32>>().chunks(100) {
        let links: Vec<Value> = chunk.iter().map(|number| link(*number)).collect();
        make(&app, "/links/bulkCreate", json!({ "links": links })).await;
    }
    for number in 0..105 {
        let url = format!("https://shop.example/{number}");
        make(
            &app,
            "/uptime/createSchedule",
            json!({ "url": url, "granularity": "hour", "isPaused": true }),
        )
        .await;
    }
    for (kind, count) in [("links", 2_100), ("monitors", 105)] {
        let mut lines: Vec<String> = export(&app, kind, "")
            .await
            .text
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), count, "{kind}");
    }
    app.finish().await;
}

#[actix::test]
async fn links_come_back_from_csv_and_from_shlinks_form() {
    let (app, other) = (App::spawn().await, App::spawn().await);
    make(&app, "/links/create", json!({
        "name": "Spring, sale", "slug": "spring", "targetUrl": "https://shop.example/spring?a=b", "tags": ["a", "b"],
        "androidUrl": "https://play.example/app", "expiresAt": "2030-01-01T00:00:00.000Z", "maxClicks": 100,
        "redirectStatus": 308, "queryForwarding": "merge",
    })).await;
    make(
        &app,
        "/links/create",
        json!({ "name": "Plain", "slug": "plain", "targetUrl": "https://shop.example/" }),
    )
    .await;
    make(&app, "/links/create", json!({ "name": "Locked", "slug": "locked", "targetUrl": "https://shop.example/", "password": "open sesame" })).await;
    make(&app, "/links/create", json!({
        "name": "Split", "slug": "split", "targetUrl": "https://shop.example/",
        "variants": [{ "url": "https://a.example/", "weight": 1 }, { "url": "https://b.example/", "weight": 2 }],
    })).await;
    make(&app, "/links/create", json!({ "name": "There", "slug": "there", "targetUrl": "https://shop.example/", "countries": { "DE": "https://shop.example/de" } })).await;
    let shlink = export(&app, "links", "format=shlink").await;
    assert_eq!(shlink.status, 200, "{}", shlink.text);
    assert_eq!(shlink.body["shortUrls"]["pagination"]["totalItems"], 3);
    let omitted = shlink.body["omitted"].to_string();
    for reason in [
        "password",
        "several destination URLs",
        "Not carried: targeting by country",
    ] {
        assert!(omitted.contains(reason), "{omitted}");
    }
    let body = json!({ "format": "shlink", "content": shlink.text });
    let applied = make(&other, "/imports/applyLinks", body).await;
    assert_eq!(
        (&applied["create"], &applied["refused"]),
        (&json!(3), &json!(0)),
        "{applied}"
    );
    let fields = [
        "name",
        "targetUrl",
        "tags",
        "androidUrl",
        "expiresAt",
        "maxClicks",
        "queryForwarding",
    ];
    let by_slug = async |app: &App, slug: &str| {
        let all = make(app, "/links/list", json!({})).await;
        let found = all
            .as_array()
            .unwrap()
            .iter()
            .find(|link| link["slug"] == slug)
            .unwrap()
            .clone();
        fields.map(|field| found[field].clone())
    };
    for slug in ["spring", "plain"] {
        assert_eq!(
            by_slug(&other, slug).await,
            by_slug(&app, slug).await,
            "{slug}"
        );
    }
    let third = App::spawn().await;
    let csv = export(&app, "links", "format=csv").await.text;
    let taken = make(&third, "/links/importCsv", json!({ "csv": csv })).await;
    assert_eq!(taken["created"], 5);
    assert_eq!(by_slug(&third, "split").await, by_slug(&app, "split").await);
    app.finish().await;
    other.finish().await;
    third.finish().await;
}

#[actix::test]
async fn clicks_name_their_links() {
    let app = App::spawn().await;
    let link = make(
        &app,
        "/links/create",
        json!({ "name": "A", "slug": "alpha", "targetUrl": "https://shop.example/" }),
    )
    .await;
    let http = crate::web::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let followed = http
        .get(format!("{}/alpha?utm_source=mail", app.links))
        .header(
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        )
        .send()
        .await
        .unwrap();
    assert!(followed.status().is_redirection());
    crate::app::until("the click is stored", async || {
        !export(&app, "clicks", "").await.text.is_empty()
    })
    .await;
    let clicks = export(&app, "clicks", "format=json").await;
    assert_eq!(clicks.body[0]["link_id"], link["id"], "{}", clicks.text);
    assert_eq!(clicks.body[0]["utm_source"], "mail");
    let shlink = export(&app, "links", "format=shlink").await;
    assert_eq!(
        shlink.body["shortUrls"]["data"][0]["visitsSummary"]["total"],
        1
    );
    let parquet = app
        .http
        .get(format!("{}/v1/export/clicks?format=parquet", app.base))
        .header("x-api-key", &app.key);
    let bytes = parquet.send().await.unwrap().bytes().await.unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    app.finish().await;
}

#[actix::test]
async fn people_come_out_with_what_is_known_of_them() {
    let app = App::spawn().await;
    for number in 0..3 {
        let body = json!({ "profileId": format!("u{number}"), "websiteId": app.website, "anonymousId": format!("anon-{number}"), "traits": { "email": format!("u{number}@shop.example"), "plan": "pro" } });
        let sent = app.post(format!("{}/identify", app.track), &body).await;
        assert!(sent.status < 300, "{}", sent.text);
    }
    let people = export(&app, "users", &format!("website_id={}", app.website)).await;
    assert_eq!(people.text.lines().count(), 3, "{}", people.text);
    let first: Value = serde_json::from_str(people.text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (
            &first["profileId"],
            &first["email"],
            &first["traits"]["plan"]
        ),
        (&json!("u0"), &json!("u0@shop.example"), &json!("pro"))
    );
    app.finish().await;
}

#[actix::test]
async fn only_who_may_read_a_kind_gets_it() {
    let cast = Cast::spawn().await;
    let kinds = fill(&cast.app).await;
    let organization = cast.app.organization.clone();
    let flags_only = cast.key(&[Scope::ManageFlags]).await;
    for (kind, text) in kinds.into_iter().chain([
        ("subscribers", "@"),
        ("alerts", "name"),
        ("clicks", "link_id"),
        ("users", "profileId"),
    ]) {
        let url = format!(
            "{}/v1/export/{kind}?organization_id={organization}&website_id={}",
            cast.app.base, cast.app.website
        );
        for (who, expected) in [
            (Proof::Nobody, &[401][..]),
            (cast.stranger().clone(), &[401, 403, 404]),
            (cast.person(Role::Owner), &[200]),
        ] {
            let answer = Answer::send(who.on(cast.app.http.get(&url))).await;
            assert!(
                expected.contains(&answer.status),
                "{kind} {who:?}: {} {}",
                answer.status,
                answer.text
            );
            assert!(
                answer.status == 200 || !answer.text.contains(text) || text == "name",
                "{kind}: {}",
                answer.text
            );
        }
        if !["flags", "target-groups"].contains(&kind) {
            let answer = Answer::send(flags_only.on(cast.app.http.get(&url))).await;
            assert_ne!(answer.status, 200, "{kind}: a key for flags");
        }
    }
    cast.app.finish().await;
}
