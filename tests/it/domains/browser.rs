//! Three hosts of one organization in a real browser.

use serde_json::{Value, json};

use super::verified;
use crate::{app::App, browser::browse, names::Names, process};

#[actix::test]
async fn each_host_shows_its_own_with_its_own_cookies_and_under_its_own_policy() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let names = Names::start();
    let listen = process::free_address();
    let (_, port) = listen.split_once(':').unwrap();
    let toml = format!(
        "egress.allow = ['127.0.0.0/8']\nserver.api_listen = '{listen}'\nserver.base_url = 'http://pharos.example.com:{port}'\n{}",
        names.toml()
    );
    names.set_address("pharos.example.com", Some("127.0.0.1"));
    let mut app = App::with(&toml).await;
    let make = async |path: &str, body: Value| {
        let made = app.post(format!("{}{path}", app.base), &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.body
    };
    let page = make(
        "/statusPage/create",
        json!({ "name": "Acme status", "slug": "acme" }),
    )
    .await;
    let team = json!({ "name": "Team", "slug": "team", "membersOnly": true });
    make("/statusPage/create", team).await;
    let inside = json!({ "name": "Inside", "slug": "inside", "password": "correct horse" });
    let inside = make("/statusPage/create", inside).await;
    let share = json!({ "websiteId": app.website, "name": "Board", "password": "correct horse" });
    let share = make("/shares/create", share).await;
    for (host, serves, id) in [
        ("go.example.com", "links", &Value::Null),
        ("status.example.com", "status", &page["id"]),
        ("inside.example.com", "status", &inside["id"]),
        ("numbers.example.com", "share", &share["id"]),
    ] {
        verified(
            &app,
            &names,
            &json!({ "host": host, "use": serves, "id": id }),
        )
        .await;
    }
    let at = |host: &str| format!("http://{host}.example.com:{port}");
    let link = json!({
        "name": "sale", "slug": "sale", "domain": "go.example.com",
        "targetUrl": format!("{}/status/acme", at("pharos")),
    });
    let link = make("/links/create", link).await;
    assert_eq!(link["shortUrl"], format!("{}/sale", at("go")));
    let given = json!({
        "base": at("pharos"), "email": app.email, "password": app.password,
        "share": at("numbers"), "status": at("status"), "inside": at("inside"), "links": at("go"),
    });
    app.website = given.to_string();
    let said = browse(&app, "domains").await;

    let seen = |name: &str| said["pages"][name].clone();
    let cookies = |name: &str| {
        let page = seen(name);
        let cookies = page["cookies"].as_array().unwrap().iter();
        let cookies = cookies.map(|cookie| cookie.as_str().unwrap().to_owned());
        // The script of our pages notes the time zone.
        let cookies = cookies.filter(|cookie| !cookie.starts_with("pharos_zone "));
        cookies.collect::<Vec<_>>()
    };
    for name in [
        "console", "status", "hidden", "inside", "locked", "share", "landed",
    ] {
        assert_eq!(seen(name)["reports"], json!([]), "{name}: {said}");
    }
    let session = "pharos_session pharos.example.com /".to_owned();
    assert!(cookies("console").contains(&session), "{said}");
    assert_eq!(cookies("status"), [""; 0], "nobody is signed in: {said}");
    assert_eq!(seen("status")["heading"], "Acme status");
    assert_eq!(cookies("locked"), [""; 0]);
    let [pass] = &cookies("share")[..] else {
        panic!("one cookie: {said}");
    };
    assert!(
        pass.starts_with("pharos_pass numbers.example.com /"),
        "{pass}"
    );
    assert_eq!(cookies("hidden"), [""; 0], "nobody is signed in: {said}");
    assert_eq!(seen("hidden")["heading"], "Password required");
    assert_eq!(seen("inside")["heading"], "Inside");
    let asked = seen("member")["heading"].as_str().unwrap().to_owned();
    assert!(
        asked.contains("confirm") || asked.contains("Confirm"),
        "{said}"
    );
    assert_eq!(cookies("inside"), ["pharos_pass inside.example.com /"]);
    assert_eq!(
        (&said["hidden"], &said["inside"]),
        (&json!(403), &json!(200))
    );
    assert_eq!(seen("landed")["heading"], "Acme status");
    let landed = seen("landed")["url"].as_str().unwrap().to_owned();
    assert!(
        landed.starts_with(&format!("{}/status/acme?ref=", at("pharos"))),
        "{landed}"
    );
    assert_eq!(
        (&said["summary"], &said["login"], &said["unknown"]),
        (&json!(200), &json!(404), &json!(404))
    );
    app.finish().await;
}
