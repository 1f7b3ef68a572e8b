//! Share links: unlisted, behind a password, with an end, and embedded where their owner says.

use std::time::Duration;

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
};

async fn view(app: &App) {
    let view = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
        "path": "https://localhost/pricing", "timestamp": NOW,
    });
    app.send_pages(&[view]).await;
}

/// Creates a share link with these fields.
async fn share(app: &App, fields: Value) -> Value {
    let mut body = json!({ "websiteId": app.website, "name": "Board" });
    let own = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(own);
    let made = app.post(format!("{}/shares/create", app.base), &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

fn path(share: &Value) -> String {
    let url = share["url"].as_str().unwrap();
    url[url.find("/share/").unwrap()..].to_owned()
}

async fn change(app: &App, share: &Value, fields: Value) -> Answer {
    let mut body = json!({ "id": share["id"] });
    let own = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(own);
    app.post(format!("{}/shares/update", app.base), &body).await
}

#[actix::test]
async fn who_has_a_share_link_sees_what_is_public_until_it_is_revoked() {
    let app = App::spawn().await;
    view(&app).await;
    let owner = Browser::owner(&app).await;
    let list = format!("/console/site/{}/shares", app.website);
    assert!(page(&owner, &list).await.contains("No share links yet"));
    let settings = page(&owner, &format!("/console/site/{}/settings", app.website)).await;
    assert!(settings.contains(&format!("href=\"{list}\"")));
    let new = format!("{list}/new");
    page(&owner, &new).await;
    let nameless = owner.submit(&new, &[("name", "")]).await;
    is_page(&nameless, 400);
    let own = leads_to(&owner.submit(&new, &[("name", "For <b>Ada</b>")]).await).to_owned();
    let shown = page(&owner, &own).await;
    assert!(
        shown.contains("For &lt;b&gt;Ada") && shown.contains("Never"),
        "{shown}"
    );
    let listed = app
        .post(
            format!("{}/shares/list", app.base),
            &json!({ "websiteId": app.website }),
        )
        .await;
    let link = path(&listed.body[0]);
    assert_eq!(link.len(), "/share/".len() + 22, "{link}");
    assert!(page(&owner, &list).await.contains(&link));

    let stranger = Browser::new(&app);
    let shown = page(&stranger, &link).await;
    assert!(
        shown.contains("/pricing") && shown.contains("Visitors"),
        "{shown}"
    );
    for more in [
        "/console/site/",
        "Regions",
        "/export",
        "CSV",
        "For &lt;b&gt;Ada",
    ] {
        assert!(!shown.contains(more), "{more}: {shown}");
    }
    assert!(!shown.contains("class=\"notice"), "{shown}");
    let chosen = stranger
        .get(&format!("{link}?field=path&op=eq&value=/pricing"))
        .await;
    assert_eq!(
        leads_to(&chosen),
        format!("{link}?f=path%3Aeq%3A%2Fpricing")
    );
    let personal = page(&stranger, &format!("{link}?f=profile_id:eq:x")).await;
    assert!(!personal.contains("class=\"chip\""), "{personal}");
    // The owner sees there what strangers see.
    let own_look = page(&owner, &link).await;
    assert!(!own_look.contains("/console/site/"), "{own_look}");
    // The website itself stays private.
    let private = stranger.get(&format!("/share/{}", app.website)).await;
    assert!(leads_to(&private).starts_with("/login"));
    let query = format!("{}/v1/query?website_id={}", app.base, app.website);
    let refused = app
        .post_anonymously(query, &json!({ "parameters": ["top_pages"] }))
        .await;
    assert_eq!(refused.status, 401);

    let deleted = owner.submit(&format!("{own}/delete"), &[]).await;
    assert_eq!(leads_to(&deleted), list);
    for browser in [&stranger, &owner] {
        let gone = browser.get(&link).await;
        is_page(&gone, 404);
        assert!(gone.text.contains("was revoked"), "{}", gone.text);
    }
    let log = owner.post("/audit/list", &json!({})).await;
    for action in ["share.create", "share.delete"] {
        assert!(log.text.contains(action), "{}", log.text);
    }
    assert!(!log.text.contains(&link["/share/".len()..]), "{}", log.text);
    app.finish().await;
}

#[actix::test]
async fn a_password_opens_a_share_link_for_an_hour_and_wrong_ones_run_out() {
    let app = App::spawn().await;
    view(&app).await;
    let made = share(&app, json!({ "password": "correct horse" })).await;
    assert_eq!(made["hasPassword"], true);
    assert!(made.get("password").is_none());
    let link = path(&made);
    let stranger = Browser::new(&app);
    let locked = stranger.get(&link).await;
    is_page(&locked, 403);
    for said in ["/pricing", "localhost", "Board"] {
        assert!(!locked.text.contains(said), "{said}: {}", locked.text);
    }
    let enter = async |browser: &Browser<'_>, password: &str| {
        browser
            .submit(&format!("{link}?range=7d"), &[("password", password)])
            .await
    };
    let wrong = enter(&stranger, "battery staple").await;
    is_page(&wrong, 403);
    assert!(wrong.text.contains("Wrong password"), "{}", wrong.text);
    assert!(!wrong.text.contains("battery"), "{}", wrong.text);
    assert_eq!(wrong.header("set-cookie"), "");
    let right = enter(&stranger, "correct horse").await;
    assert_eq!(leads_to(&right), format!("{link}?range=7d"));
    let cookie = right.header("set-cookie");
    assert!(
        cookie.contains(&format!("Path={link};")) && cookie.contains("HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    assert!(page(&stranger, &link).await.contains("/pricing"));
    // The pass is for this link alone.
    let other = share(&app, json!({ "password": "correct horse" })).await;
    is_page(&stranger.get(&path(&other)).await, 403);

    // A new password ends the pass, and so does an hour.
    let changed = change(&app, &made, json!({ "password": "another one" })).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    is_page(&stranger.get(&link).await, 403);
    assert_eq!(enter(&stranger, "another one").await.status, 303);
    assert_eq!(stranger.get(&link).await.status, 200);
    app.clock.advance(Duration::from_hours(1));
    is_page(&stranger.get(&link).await, 403);

    for _ in 0..10 {
        is_page(&enter(&stranger, "guess").await, 403);
    }
    let full = enter(&stranger, "another one").await;
    is_page(&full, 429);
    assert!(!full.header("retry-after").is_empty());
    app.clock.advance(Duration::from_mins(15));
    assert_eq!(enter(&stranger, "another one").await.status, 303);

    let opened = change(&app, &made, json!({ "password": null })).await;
    assert_eq!(opened.body["hasPassword"], false);
    assert_eq!(Browser::new(&app).get(&link).await.status, 200);
    let short = change(&app, &made, json!({ "password": "abc" })).await;
    assert_eq!(short.status, 400);
    app.finish().await;
}

#[actix::test]
async fn a_share_link_ends_when_it_expires() {
    let app = App::spawn().await;
    view(&app).await;
    let made = share(&app, json!({ "expiresAt": "2026-10-14T13:00:00Z" })).await;
    assert_eq!(made["hasExpired"], false);
    let (link, stranger) = (path(&made), Browser::new(&app));
    app.clock.advance(Duration::from_millis(3_599_999));
    assert!(page(&stranger, &link).await.contains("/pricing"));
    app.clock.advance(Duration::from_millis(1));
    let gone = stranger.get(&link).await;
    is_page(&gone, 410);
    assert!(!gone.text.contains("/pricing") && gone.text.contains("has expired"));
    let owner = Browser::owner(&app).await;
    let own = format!(
        "/console/site/{}/share/{}",
        app.website,
        made["id"].as_str().unwrap()
    );
    assert!(page(&owner, &own).await.contains("Expired"));
    let later = [("name", "Board"), ("expiresAt", "2026-10-15T10:00")];
    assert_eq!(
        leads_to(&owner.submit(&own, &later).await),
        format!("{own}?done=1")
    );
    assert_eq!(stranger.get(&link).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn only_pages_of_named_origins_embed_a_share_link() {
    let app = App::spawn().await;
    let made = share(
        &app,
        json!({ "embedOrigins": ["https://Example.com/", "http://localhost:3000"] }),
    )
    .await;
    assert_eq!(
        made["embedOrigins"],
        json!(["https://example.com", "http://localhost:3000"])
    );
    let ancestors = async |path: &str| {
        let answer = Browser::new(&app).get(path).await;
        let policy = answer.header("content-security-policy").to_owned();
        let (_, ancestors) = policy.split_once("frame-ancestors ").unwrap();
        (
            ancestors.to_owned(),
            answer.header("x-frame-options").to_owned(),
        )
    };
    let named = (
        "https://example.com http://localhost:3000".to_owned(),
        String::new(),
    );
    assert_eq!(ancestors(&path(&made)).await, named);
    let nobody = ("'none'".to_owned(), "DENY".to_owned());
    let other = share(&app, json!({})).await;
    assert_eq!(ancestors(&path(&other)).await, nobody);
    assert_eq!(ancestors("/login").await, nobody);
    let locked = change(&app, &made, json!({ "password": "correct horse" })).await;
    assert_eq!(locked.status, 200);
    assert_eq!(
        ancestors(&path(&made)).await,
        named,
        "the password is asked for within the page"
    );
    for wrong in [
        "*",
        "https://*.example.com",
        "example.com",
        "https://example.com/a",
        "https://a;b",
    ] {
        let refused = change(&app, &made, json!({ "embedOrigins": [wrong] })).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
    }
    let none = change(&app, &made, json!({ "embedOrigins": [] })).await;
    assert_eq!(none.status, 200, "{}", none.text);
    assert_eq!(ancestors(&path(&made)).await, nobody);
    app.finish().await;
}

#[actix::test]
async fn a_share_link_goes_with_its_website() {
    let app = App::spawn().await;
    let made = share(&app, json!({})).await;
    let gone = app
        .post(
            format!("{}/websites/delete", app.base),
            &json!({ "id": app.website }),
        )
        .await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    is_page(&Browser::new(&app).get(&path(&made)).await, 404);
    app.finish().await;
}

/// A board with panels of everything, by its id.
async fn board(app: &App) -> String {
    let call = async |path: &str, body: Value| {
        let made = app.post(format!("{}{path}", app.base), &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.body
    };
    let push = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let monitor = call("/uptime/createSchedule", push).await;
    let link =
        json!({ "name": "Spring", "targetUrl": "https://target.example/", "slug": "spring" });
    let link = call("/links/create", link).await;
    let panels = json!([
        { "type": "website_number", "resourceId": app.website },
        { "type": "website_table", "resourceId": app.website },
        { "type": "website_table", "resourceId": app.website, "dimension": "regions" },
        { "type": "monitor_status", "resourceId": monitor["scheduleId"] },
        { "type": "link_clicks", "resourceId": link["id"] },
    ]);
    let fields = json!({ "name": "Wall", "range": "last_30d", "panels": panels });
    let made = call("/boards/create", fields).await;
    made["id"].as_str().unwrap().to_owned()
}

#[actix::test]
async fn a_board_is_shared_like_a_website() {
    let app = App::spawn().await;
    view(&app).await;
    let id = board(&app).await;
    let owner = Browser::owner(&app).await;
    let list = format!("/console/board/{id}/shares");
    assert!(page(&owner, &list).await.contains("No share links yet"));
    let new = format!("{list}/new");
    page(&owner, &new).await;
    let fields = [
        ("name", "Client"),
        ("password", "correct horse"),
        ("expiresAt", "2026-10-14T13:00"),
        ("embedOrigins", "https://example.com"),
    ];
    let own = leads_to(&owner.submit(&new, &fields).await).to_owned();
    assert!(page(&owner, &own).await.contains("Embed code"));
    let listed = json!({ "boardId": id });
    let listed = app.post(format!("{}/shares/list", app.base), &listed).await;
    assert_eq!(listed.body[0]["boardId"], json!(id));
    assert_eq!(listed.body[0]["websiteId"], Value::Null);
    let link = path(&listed.body[0]);

    // Nothing is shown before the password.
    let stranger = Browser::new(&app);
    let locked = stranger.get(&link).await;
    assert_eq!(locked.status, 403, "{}", locked.text);
    for said in ["Wall", "/pricing", "Backup"] {
        assert!(!locked.text.contains(said), "{said}: {}", locked.text);
    }
    let enter = async |password: &str| stranger.submit(&link, &[("password", password)]).await;
    assert_eq!(enter("wrong").await.status, 403);
    assert_eq!(leads_to(&enter("correct horse").await), link);
    let shown = stranger.get(&link).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    let policy = shown.header("content-security-policy");
    assert!(
        policy.ends_with("frame-ancestors https://example.com"),
        "{policy}"
    );
    for said in [
        "Wall",
        "/pricing",
        "Not checked yet",
        "0 clicks",
        "Not shared",
    ] {
        assert!(shown.text.contains(said), "{said}: {}", shown.text);
    }
    for more in [
        "/console/site",
        "/console/link",
        "/console/monitor",
        "Client",
        "class=\"notice",
        "target.example",
    ] {
        assert!(!shown.text.contains(more), "{more}: {}", shown.text);
    }
    let week = format!("href=\"{link}?preset=last_7d\"");
    assert!(shown.text.contains(&week), "{}", shown.text);
    let filtered = stranger.get(&format!("{link}?f=path:eq:/other")).await;
    let filtered = filtered.text;
    assert!(
        filtered.contains("/pricing"),
        "a board has no filters: {filtered}"
    );

    app.clock.advance(Duration::from_hours(1));
    is_page(&stranger.get(&link).await, 410);
    // Both or neither is nothing that could be shared.
    for wrong in [
        json!({}),
        json!({ "boardId": id, "websiteId": app.website }),
    ] {
        let mut body = wrong;
        body["name"] = json!("Board");
        let refused = app.post(format!("{}/shares/create", app.base), &body).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    }
    let unknown = json!({ "name": "Board", "boardId": "nothing" });
    let refused = app
        .post(format!("{}/shares/create", app.base), &unknown)
        .await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    let gone = owner
        .submit(&format!("/console/board/{id}/delete"), &[])
        .await;
    assert_eq!(leads_to(&gone), "/console/boards");
    is_page(&stranger.get(&link).await, 404);
    app.finish().await;
}
