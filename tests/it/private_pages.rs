//! Status pages and share links that not everyone sees: with a password, from some addresses, or for members only. Others learn
//! nothing of them from any of their documents.

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

const NAME: &str = "Project Bluebird";
/// Everything of a status page that programs read.
const DOCUMENTS: [&str; 9] = [
    "/feed.rss",
    "/feed.atom",
    "/feed.json",
    "/maintenance.ics",
    "/badge.svg",
    "/api/v2/summary.json",
    "/api/v2/status.json",
    "/api/v2/incidents.json",
    "/logo",
];
/// A pixel.
const LOGO: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

async fn post(app: &App, path: &str, body: &Value) -> Value {
    let made = app.post(format!("{}{path}", app.base), body).await;
    assert_eq!(made.status, 200, "{path}: {}", made.text);
    made.body
}

/// Creates a page `bluebird` with an incident, a logo and these fields.
async fn page(app: &App, fields: &Value) -> Value {
    let page = post(
        app,
        "/statusPage/create",
        &json!({ "name": NAME, "slug": "bluebird" }),
    )
    .await;
    let incident =
        json!({ "statusPageId": page["id"], "title": "Leaky pipe", "message": "We look." });
    post(app, "/statusPage/createIncident", &incident).await;
    let logo = json!({ "statusPageId": page["id"], "data": LOGO });
    post(app, "/statusPage/setLogo", &logo).await;
    let mut change = fields.clone();
    change["statusPageId"] = page["id"].clone();
    post(app, "/statusPage/update", &change).await
}

/// Gets something of the page as a browser does on a page of another origin.
async fn get(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = app.http.get(format!("{}/status/bluebird{path}", app.base));
    request = request
        .header("accept", "text/html")
        .header("origin", "https://evil.example");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Answer::send(request).await
}

/// Asserts that nothing of the page is shown, by the way of any of its documents.
async fn assert_hidden(app: &App, headers: &[(&str, &str)]) {
    for path in DOCUMENTS.into_iter().chain([""]) {
        let refused = get(app, path, headers).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        for word in [NAME, "Leaky", "operational", "GIF"] {
            assert!(!refused.text.contains(word), "{path}: {}", refused.text);
        }
        assert_eq!(refused.header("etag"), "", "{path}");
        // Who may see it depends on where a browser is; a page of another origin doesn't learn that.
        assert_eq!(refused.header("access-control-allow-origin"), "", "{path}");
    }
    let form = [("content-type", "application/json")];
    let mut request = app
        .http
        .post(format!("{}/status/bluebird/subscribe", app.base));
    for (name, value) in form.iter().chain(headers) {
        request = request.header(*name, *value);
    }
    let subscribed = Answer::send(request.body(r#"{"address":"eve@example.com"}"#)).await;
    assert_eq!(subscribed.status, 403, "{}", subscribed.text);
}

/// Asserts that the page and its documents are shown, and stay with their reader.
async fn assert_shown(app: &App, headers: &[(&str, &str)]) {
    let shown = get(app, "", headers).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert!(shown.text.contains(NAME) && shown.text.contains("Leaky pipe"));
    assert!(shown.text.contains("content=\"noindex\""), "{}", shown.text);
    for path in DOCUMENTS.into_iter().chain([""]) {
        let shown = get(app, path, headers).await;
        assert_eq!(shown.status, 200, "{path}: {}", shown.text);
        assert_eq!(shown.header("cache-control"), "no-store", "{path}");
        assert_eq!(shown.header("x-robots-tag"), "noindex", "{path}");
        let [grant, policy] = [
            "access-control-allow-origin",
            "cross-origin-resource-policy",
        ]
        .map(|name| shown.header(name));
        assert_eq!((grant, policy), ("", "same-origin"), "{path}");
    }
}

#[actix::test]
async fn a_password_opens_a_status_page_with_all_of_its_documents_until_it_changes() {
    let mut app = App::with("signup.open = true").await;
    let changed = page(&app, &json!({ "password": "correct horse" })).await;
    assert_eq!(changed["hasPassword"], true);
    assert!(changed.get("password").is_none());
    assert_hidden(&app, &[]).await;
    app.restart().await;
    assert_hidden(&app, &[]).await;
    // What everybody may ask of pages says nothing either.
    let by_slug = format!("{}/statusPage/getBySlug", app.base);
    let slug = json!({ "slug": "bluebird" });
    let refused = app.post_anonymously(by_slug.clone(), &slug).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    let listed = app
        .post_anonymously(format!("{}/statusPage/listPublic", app.base), &json!({}))
        .await;
    assert!(!listed.text.contains("bluebird"), "{}", listed.text);
    // Who may read pages of the organization sees them, signed in or by a key.
    assert_eq!(app.post(by_slug, &slug).await.status, 200);
    let key = app.key_with(&[Scope::ReadStatusPages]).await;
    assert_shown(&app, &[("x-api-key", &key)]).await;
    let other = app.key_with(&[Scope::ReadData]).await;
    assert_hidden(&app, &[("x-api-key", &other)]).await;
    let owner = Browser::owner(&app).await;
    assert_shown(&app, &[("cookie", &owner.cookie())]).await;
    let foreign = Browser::signed_up(&app, "eve").await;
    assert_hidden(&app, &[("cookie", &foreign.cookie())]).await;

    let visitor = Browser::new(&app);
    let asked = get(&app, "?lang=de", &[]).await;
    assert!(
        asked.text.contains("Passwort erforderlich"),
        "{}",
        asked.text
    );
    assert!(
        asked
            .text
            .contains("action=\"/status/bluebird/unlock?lang=de\""),
        "{}",
        asked.text
    );
    let enter = async |password: &str| {
        let fields = [("password", password)];
        visitor
            .submit("/status/bluebird/unlock?lang=de", &fields)
            .await
    };
    let wrong = enter("battery staple").await;
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("Falsches Passwort") && !wrong.text.contains("battery"));
    assert_eq!(wrong.header("set-cookie"), "");
    let right = enter("correct horse").await;
    assert_eq!(
        (right.status, right.header("location")),
        (303, "/status/bluebird?lang=de")
    );
    let cookie = right.header("set-cookie").to_owned();
    let (pass, rest) = cookie.split_once(';').unwrap();
    assert_eq!(
        rest,
        " Path=/status/bluebird; Max-Age=3600; HttpOnly; SameSite=Lax"
    );
    assert_shown(&app, &[("cookie", pass)]).await;
    // A pass is for one page.
    let other = json!({ "name": "Other", "slug": "other", "password": "correct horse" });
    post(&app, "/statusPage/create", &other).await;
    let other = app.http.get(format!("{}/status/other", app.base));
    assert_eq!(Answer::send(other.header("cookie", pass)).await.status, 403);
    let change = json!({ "statusPageId": changed["id"], "password": "another one" });
    post(&app, "/statusPage/update", &change).await;
    assert_hidden(&app, &[("cookie", pass)]).await;
    let change = json!({ "statusPageId": changed["id"], "password": null });
    let open = post(&app, "/statusPage/update", &change).await;
    assert_eq!(open["hasPassword"], false);
    let shown = get(&app, "", &[]).await;
    assert_eq!(
        (shown.status, shown.header("access-control-allow-origin")),
        (200, "*")
    );
    app.finish().await;
}

#[actix::test]
async fn wrong_passwords_of_a_status_page_run_out() {
    let app = App::spawn().await;
    page(&app, &json!({ "password": "correct horse" })).await;
    let visitor = Browser::new(&app);
    let mut statuses = Vec::new();
    for _ in 0..11 {
        let fields = [("password", "wrong")];
        let entered = visitor.submit("/status/bluebird/unlock", &fields).await;
        statuses.push(entered.status);
    }
    assert_eq!(statuses[..10], [403; 10]);
    assert_eq!(statuses[10], 429);
    let late = visitor
        .submit("/status/bluebird/unlock", &[("password", "correct horse")])
        .await;
    assert_eq!(late.status, 429, "the right one comes too late");
    assert!(late.text.contains("Too many attempts") && !late.header("retry-after").is_empty());
    app.finish().await;
}

#[actix::test]
async fn allowed_addresses_see_a_page_and_others_do_not() {
    let app = App::with("server.trusted_proxies = ['127.0.0.0/8']").await;
    let fields = json!({ "allowedIps": ["203.0.113.9/24", "2001:db8::1"] });
    let changed = page(&app, &fields).await;
    assert_eq!(
        changed["allowedIps"],
        json!(["203.0.113.0/24", "2001:db8::1"])
    );
    let from = |address: &'static str| [("x-forwarded-for", address)];
    for address in ["203.0.113.200", "2001:db8::1", "::ffff:203.0.113.1"] {
        assert_shown(&app, &from(address)).await;
    }
    for address in ["203.0.114.1", "2001:db8::2", "203.0.113.1, 192.0.2.1"] {
        assert_hidden(&app, &from(address)).await;
    }
    // A page of another site asks with the address of its visitor, and may neither read nor subscribe.
    let subscribe = async |headers: &[(&str, &str)]| {
        let mut request = app
            .http
            .post(format!("{}/status/bluebird/subscribe", app.base));
        request = request
            .header("x-forwarded-for", "203.0.113.200")
            .header("content-type", "application/x-www-form-urlencoded")
            .body("address=https%3A%2F%2Fhooks.example.com%2Fa");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::send(request).await
    };
    for foreign in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ] {
        assert_eq!(subscribe(&[foreign]).await.status, 403, "{foreign:?}");
    }
    let own = subscribe(&[("origin", &app.base)]).await;
    assert_eq!(own.status, 200, "{}", own.text);
    // To a browser, a foreign name that leads here is a site of its own.
    let rebound = app
        .http
        .get(format!("{}/status/bluebird/badge.svg", app.base));
    let rebound = rebound
        .header("host", "rebound.evil.example")
        .header("x-forwarded-for", "203.0.113.200");
    assert_eq!(rebound.send().await.unwrap().status(), 403);
    let told = get(&app, "", &from("192.0.2.1")).await;
    assert!(told.text.contains("certain networks") && !told.text.contains("<form"));
    // With a password, both are asked for.
    let both = json!({ "statusPageId": changed["id"], "password": "correct horse" });
    post(&app, "/statusPage/update", &both).await;
    assert_hidden(&app, &from("203.0.113.200")).await;
    let told = get(&app, "", &from("203.0.113.200")).await;
    assert!(told.text.contains("Password required"), "{}", told.text);
    let elsewhere = app
        .http
        .post(format!("{}/status/bluebird/unlock", app.base));
    let elsewhere = elsewhere
        .header("content-type", "application/x-www-form-urlencoded")
        .header("x-forwarded-for", "192.0.2.1")
        .body("password=correct+horse");
    assert_eq!(Answer::send(elsewhere).await.status, 403);

    for (wrong, field) in [
        (json!({ "allowedIps": ["203.0.113.0/40"] }), "allowedIps"),
        (json!({ "allowedIps": "203.0.113.1" }), "allowedIps"),
        (json!({ "membersOnly": "yes" }), "membersOnly"),
        (json!({ "password": "abc" }), "password"),
        (json!({ "password": 7 }), "password"),
    ] {
        let mut change = wrong.clone();
        change["statusPageId"] = changed["id"].clone();
        let refused = app
            .post(format!("{}/statusPage/update", app.base), &change)
            .await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
        assert!(refused.text.contains(field), "{wrong}: {}", refused.text);
        let mut new = wrong.clone();
        new["name"] = "New".into();
        let refused = app
            .post(format!("{}/statusPage/create", app.base), &new)
            .await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
        assert!(refused.text.contains(field), "{wrong}: {}", refused.text);
    }
    let cleared = json!({ "statusPageId": changed["id"], "allowedIps": [], "password": null });
    let cleared = post(&app, "/statusPage/update", &cleared).await;
    assert_eq!(cleared["allowedIps"], json!([]));
    assert_eq!(get(&app, "", &[]).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn members_sign_in_to_see_what_is_for_members_only() {
    let app = App::with("signup.open = true").await;
    page(
        &app,
        &json!({ "membersOnly": true, "password": "correct horse" }),
    )
    .await;
    assert_hidden(&app, &[]).await;
    let told = get(&app, "", &[]).await;
    let sign_in = format!("href=\"{}/login?next=%2Fstatus%2Fbluebird\"", app.base);
    assert!(
        told.text.contains(&sign_in) && !told.text.contains("<form"),
        "{}",
        told.text
    );
    let stranger = Browser::new(&app);
    let entered = stranger
        .submit("/status/bluebird/unlock", &[("password", "correct horse")])
        .await;
    assert_eq!((entered.status, entered.header("set-cookie")), (403, ""));
    let foreign = Browser::signed_up(&app, "eve").await;
    assert_hidden(&app, &[("cookie", &foreign.cookie())]).await;
    let owner = Browser::owner(&app).await;
    assert_shown(&app, &[("cookie", &owner.cookie())]).await;
    // Members subscribe with the form of the page. A form of another origin is a stranger's.
    let subscribe = "/status/bluebird/subscribe";
    let fields = [("address", "https://hooks.example.com/a")];
    let subscribed = owner.submit(subscribe, &fields).await;
    assert_eq!(subscribed.status, 200, "{}", subscribed.text);
    let forged = app.http.post(format!("{}{subscribe}", app.base));
    let forged = forged
        .header("cookie", owner.cookie())
        .header("origin", "https://evil.example")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("address=https%3A%2F%2Fhooks.example.com%2Fb");
    assert_eq!(Answer::send(forged).await.status, 403);
    app.finish().await;
}

#[actix::test]
async fn share_links_are_for_members_or_from_allowed_addresses_as_well() {
    let app = App::with("signup.open = true\nserver.trusted_proxies = ['127.0.0.0/8']").await;
    let share = json!({ "websiteId": app.website, "name": "Board", "membersOnly": true });
    let share = post(&app, "/shares/create", &share).await;
    let url = share["url"].as_str().unwrap();
    let get = async |headers: &[(&str, &str)]| {
        let mut request = app.http.get(url).header("accept", "text/html");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Answer::send(request).await
    };
    let path = url.strip_prefix(&app.base).unwrap();
    let told = get(&[]).await;
    assert_eq!(told.status, 403);
    let sign_in = format!("/login?next={}", path.replace('/', "%2F"));
    assert!(told.text.contains(&sign_in), "{}", told.text);
    assert!(!told.text.contains("localhost<"), "{}", told.text);
    let owner = Browser::owner(&app).await;
    let foreign = Browser::signed_up(&app, "eve").await;
    let shown = get(&[("cookie", &owner.cookie())]).await;
    assert_eq!(
        (shown.status, shown.header("x-robots-tag")),
        (200, "noindex")
    );
    assert_eq!(get(&[("cookie", &foreign.cookie())]).await.status, 403);

    let office =
        json!({ "id": share["id"], "membersOnly": false, "allowedIps": ["203.0.113.0/24"] });
    let changed = post(&app, "/shares/update", &office).await;
    assert_eq!(changed["allowedIps"], json!(["203.0.113.0/24"]));
    assert_eq!(get(&[("x-forwarded-for", "203.0.113.9")]).await.status, 200);
    let outside = get(&[("x-forwarded-for", "192.0.2.1")]).await;
    assert_eq!(outside.status, 403);
    assert!(
        outside.text.contains("certain networks"),
        "{}",
        outside.text
    );
    let wrong = json!({ "id": share["id"], "allowedIps": ["office"] });
    let refused = app
        .post(format!("{}/shares/update", app.base), &wrong)
        .await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(refused.text.contains("allowedIps"), "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn the_console_says_who_sees_a_page_and_changes_it() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let created = owner
        .submit(
            "/console/status-pages/new",
            &[
                ("name", NAME),
                ("slug", "bluebird"),
                ("password", "correct horse"),
                ("allowedIps", "127.0.0.0/8\r\n203.0.113.7"),
            ],
        )
        .await;
    assert_eq!(created.status, 303, "{}", created.text);
    let path = created.header("location").to_owned();
    let shown = owner.get(&path).await;
    assert!(
        shown.text.contains("Private") && shown.text.contains("203.0.113.7"),
        "{}",
        shown.text
    );
    assert!(shown.text.contains("A password is set"), "{}", shown.text);
    assert!(!shown.text.contains("correct horse"), "{}", shown.text);
    for path in ["/badge.svg", "/logo"] {
        let hidden = get(&app, path, &[]).await;
        assert_eq!(hidden.status, 403, "{path}: {}", hidden.text);
    }
    let fields = [
        ("name", NAME),
        ("slug", "bluebird"),
        ("allowedIps", ""),
        ("clearPassword", "on"),
    ];
    let changed = owner.submit(&path, &fields).await;
    assert_eq!(changed.status, 303, "{}", changed.text);
    assert!(!owner.get(&path).await.text.contains("Private"));
    assert_eq!(get(&app, "", &[]).await.status, 200);
    let fields = [
        ("name", NAME),
        ("slug", "bluebird"),
        ("allowedIps", "office"),
    ];
    let refused = owner.submit(&path, &fields).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.text.contains("isn't an IP address")
            || refused.text.contains("isn&#39;t an IP address"),
        "{}",
        refused.text
    );
    app.finish().await;
}
