//! A status page and a shared dashboard at the root of a host.

use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use super::{client, get, open, send, verified};
use crate::{app::App, database, names::Names, people::browser::Browser};

async fn make(app: &App, path: &str, body: &Value) -> Value {
    let made = app.post(format!("{}{path}", app.base), body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

#[actix::test]
async fn a_status_page_is_at_the_root_of_its_host_with_all_of_its_documents() {
    let names = Names::start();
    let app = open(&names).await;
    let host = "status.acme.example";
    let page = make(
        &app,
        "/statusPage/create",
        &json!({ "name": "Acme status", "slug": "acme" }),
    )
    .await;
    make(
        &app,
        "/statusPage/create",
        &json!({ "name": "Secret plans", "slug": "other" }),
    )
    .await;
    let foreign = json!({ "host": host, "use": "status", "id": "nothing" });
    assert_eq!(super::add(&app, &foreign).await.status, 400);
    assert_eq!(
        super::add(&app, &json!({ "host": host, "use": "status" }))
            .await
            .status,
        400
    );
    verified(
        &app,
        &names,
        &json!({ "host": host, "use": "status", "id": page["id"] }),
    )
    .await;

    let seen = get(&app.base, host, "/").await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    assert!(seen.text.contains("Acme status"));
    assert!(
        seen.text.contains("http://status.acme.example/feed.atom"),
        "{}",
        seen.text
    );
    let policy = seen.header("content-security-policy");
    assert!(
        policy.contains("form-action http://status.acme.example"),
        "{policy}"
    );
    for path in [
        "/feed.rss",
        "/feed.json",
        "/badge.svg",
        "/api/v2/summary.json",
        "/maintenance.ics",
    ] {
        let seen = get(&app.base, host, path).await;
        assert_eq!(seen.status, 200, "{path}: {}", seen.text);
        assert_eq!(
            get(&app.base, "127.0.0.1", &format!("/status/acme{path}"))
                .await
                .text,
            seen.text,
            "{path}"
        );
    }
    let api: Value =
        serde_json::from_str(&get(&app.base, host, "/api/v2/status.json").await.text).unwrap();
    assert_eq!(api["page"]["url"], "http://status.acme.example");
    // The old address stays, and says where the page is now.
    let old = get(&app.base, "127.0.0.1", "/status/acme").await;
    assert!(
        old.text.contains("http://status.acme.example/feed.atom"),
        "{}",
        old.text
    );
    // People are signed in on the installation's own host, so the console leads there once the page is private.
    let owner = Browser::owner(&app).await;
    let link = |path: &str| format!("href=\"{path}\">http://status.acme.example</a>");
    let list = owner.get("/console/status-pages").await;
    assert!(
        list.text.contains(&link("http://status.acme.example")),
        "{}",
        list.text
    );
    let private = json!({ "statusPageId": page["id"], "password": "correct horse" });
    make(&app, "/statusPage/update", &private).await;
    let list = owner.get("/console/status-pages").await;
    assert!(
        list.text
            .contains(&link(&format!("{}/status/acme", app.base))),
        "{}",
        list.text
    );
    let public = json!({ "statusPageId": page["id"], "password": null });
    make(&app, "/statusPage/update", &public).await;
    let form = client()
        .post(format!("{}/subscribe", app.base))
        .body("address=nonsense");
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(
        send(host, form).await.status,
        400,
        "the form of the page is there"
    );
    app.finish().await;
}

#[actix::test]
async fn a_shared_dashboard_is_at_the_root_of_its_host() {
    let names = Names::start();
    let app = open(&names).await;
    let host = "numbers.acme.example";
    let body =
        json!({ "websiteId": app.website, "name": "For the board", "password": "correct horse" });
    let share = make(&app, "/shares/create", &body).await;
    verified(
        &app,
        &names,
        &json!({ "host": host, "use": "share", "id": share["id"] }),
    )
    .await;
    let now = make(&app, "/shares/getById", &json!({ "id": share["id"] })).await;
    assert_eq!(now["url"], "http://numbers.acme.example");
    let locked = get(&app.base, host, "/").await;
    assert_eq!(locked.status, 403, "{}", locked.text);
    let form = client()
        .post(format!("{}/", app.base))
        .body("password=correct horse");
    let form = form.header("content-type", "application/x-www-form-urlencoded");
    let crossed = form.try_clone().unwrap().header("origin", &app.base);
    assert_eq!(
        send(host, crossed).await.status,
        403,
        "the form of another host"
    );
    let opened = send(host, form.header("origin", "http://numbers.acme.example")).await;
    assert_eq!(opened.status, 303, "{}", opened.text);
    let cookie = opened
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    assert!(opened.header("set-cookie").contains("Path=/;"));
    assert_eq!(opened.header("location"), "/");
    assert!(
        !opened.header("set-cookie").contains("Domain="),
        "it counts on this host alone"
    );
    let page = client()
        .get(format!("{}/", app.base))
        .header("cookie", cookie);
    let shown = send(host, page).await;
    assert_eq!(shown.status, 200, "{}", shown.text);

    make(&app, "/shares/delete", &json!({ "id": share["id"] })).await;
    assert_eq!(get(&app.base, host, "/").await.status, 404);
    app.finish().await;
}

#[actix::test]
async fn a_shared_dashboard_says_that_the_database_is_away_and_comes_back_with_it() {
    let names = Names::start();
    let app = open(&names).await;
    let host = "numbers.acme.example";
    let share = json!({ "websiteId": app.website, "name": "Board" });
    let share = make(&app, "/shares/create", &share).await;
    let body = json!({ "host": host, "use": "share", "id": share["id"] });
    verified(&app, &names, &body).await;
    let state = database::open(app.directory()).await;
    let rename = async |from: &str, to: &str| {
        let rename = format!("ALTER TABLE {from} RENAME TO {to}");
        state.writer().execute_unprepared(&rename).await.unwrap();
    };
    rename("shares", "shares_away").await;
    let away = get(&app.base, host, "/").await;
    assert_eq!(away.status, 503, "{}", away.text);
    rename("shares_away", "shares").await;
    let back = get(&app.base, host, "/").await;
    assert_eq!(back.status, 200, "{}", back.text);
    state.close().await.unwrap();
    app.finish().await;
}

#[actix::test]
async fn a_private_page_is_private_on_its_host() {
    let names = Names::start();
    let app = open(&names).await;
    let host = "inside.acme.example";
    let page = json!({ "name": "Bluebird", "slug": "inside", "password": "correct horse" });
    let page = make(&app, "/statusPage/create", &page).await;
    let body = json!({ "host": host, "use": "status", "id": page["id"] });
    verified(&app, &names, &body).await;
    let url = format!("{}/unlock", app.base);
    for path in ["/", "/feed.atom", "/badge.svg", "/api/v2/summary.json"] {
        let refused = get(&app.base, host, path).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert!(!refused.text.contains("Bluebird"), "{path}");
    }
    let enter = async |origin: &str| {
        let form = client().post(&url).body("password=correct+horse");
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        send(host, form.header("origin", origin)).await
    };
    let entered = enter("http://inside.acme.example").await;
    assert_eq!((entered.status, entered.header("location")), (303, "/"));
    let cookie = entered.header("set-cookie");
    assert!(cookie.contains("; Path=/; "), "{cookie}");
    let pass = cookie.split(';').next().unwrap();
    let with = async |host: &str, path: &str| {
        let request = client().get(format!("{}{path}", app.base));
        send(
            host,
            request.header("cookie", pass).header("accept", "text/html"),
        )
        .await
    };
    let shown = with(host, "/").await;
    assert!(shown.text.contains("Bluebird"), "{}", shown.text);
    assert_eq!(with(host, "/feed.atom").await.status, 200);
    // What is for members is where they are signed in, and its host says so.
    let change = json!({ "statusPageId": page["id"], "membersOnly": true });
    make(&app, "/statusPage/update", &change).await;
    let told = with(host, "/").await;
    assert_eq!(told.status, 403);
    let sign_in = format!("href=\"{}/login?next=%2Fstatus%2Finside\"", app.base);
    assert!(told.text.contains(&sign_in), "{}", told.text);
    let owner = Browser::owner(&app).await;
    let request = client().get(format!("{}/", app.base));
    let request = request.header("cookie", owner.cookie());
    assert_eq!(
        send(host, request).await.status,
        403,
        "nobody is signed in there"
    );
    let shown = owner.get("/status/inside").await;
    assert_eq!(shown.status, 200);
    assert!(!shown.text.contains(host), "{}", shown.text);
    app.finish().await;
}
