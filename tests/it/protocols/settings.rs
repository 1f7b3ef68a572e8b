//! The setting `compatibility` of a website.

use serde_json::{Value, json};

use super::{enable, send, with};
use crate::app::App;

async fn read(app: &App, website: &str) -> Value {
    let url = format!("{}/websites/getById", app.base);
    let answer = app.post(url, &json!({ "id": website })).await;
    answer.body["compatibility"].clone()
}

async fn second(app: &App, compatibility: Value) -> crate::app::Answer {
    let body =
        json!({ "name": "Second", "domain": "second.example", "compatibility": compatibility });
    app.post(format!("{}/websites/create", app.base), &body)
        .await
}

#[actix::test]
async fn what_is_no_entry_is_named() {
    let app = App::spawn().await;
    for (entries, field) in [
        (json!([{ "protocol": "nonsense" }]), "protocol"),
        (
            json!([{ "protocol": "umami", "id": "x".repeat(257) }]),
            "compatibility.0.id",
        ),
        (
            json!([{ "protocol": "umami", "id": "a", "secret": "0123456789" }]),
            "compatibility.0.secret",
        ),
        (
            json!([{ "protocol": "ga4", "id": "a", "secret": "short" }]),
            "compatibility.0.secret",
        ),
        (
            json!([{ "protocol": "ga4", "id": "a" }, { "protocol": "ga4", "id": " a " }]),
            "compatibility.1.id",
        ),
    ] {
        let refused = enable(&app, &app.website, entries).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        let path = refused.body["data"]["issues"][0]["path"].as_array();
        let path: Vec<String> = path
            .unwrap()
            .iter()
            .map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
            .collect();
        assert!(path.join(".").ends_with(field), "{field}: {}", refused.text);
    }
    assert_eq!(read(&app, &app.website).await, json!([]));
    app.finish().await;
}

#[actix::test]
async fn an_id_that_is_left_out_is_made_and_a_secret_is_never_shown() {
    let app = with(json!([
        { "protocol": "plausible" }, { "protocol": "umami" }, { "protocol": "posthog" }, { "protocol": "segment" },
        { "protocol": "matomo" }, { "protocol": "ga4", "secret": "0123456789" },
    ]))
    .await;
    let stored = read(&app, &app.website).await;
    let id = |index: usize| stored[index]["id"].as_str().unwrap().to_owned();
    assert_eq!(id(0), "localhost");
    assert_eq!(id(1), app.website);
    assert!(id(2).starts_with("phc_") && id(2).len() == 44, "{stored}");
    assert_eq!(id(3).len(), 40);
    assert!(id(4).parse::<u64>().is_ok());
    assert!(id(5).starts_with("G-"));
    assert_eq!(
        (&stored[0]["hasSecret"], &stored[5]["hasSecret"]),
        (&json!(false), &json!(true))
    );
    assert!(!stored.to_string().contains("0123456789"));
    // What was read can be sent back: the secret stays.
    assert_eq!(enable(&app, &app.website, stored.clone()).await.status, 200);
    assert_eq!(read(&app, &app.website).await, stored);
    app.finish().await;
}

#[actix::test]
async fn an_id_belongs_to_one_website_until_it_lets_go_of_it() {
    let app = with(json!([{ "protocol": "matomo", "id": "1" }])).await;
    let taken = second(&app, json!([{ "protocol": "matomo", "id": "1" }])).await;
    assert_eq!(
        (taken.status, &taken.body["code"]),
        (409, &json!("CONFLICT")),
        "{}",
        taken.text
    );
    assert!(
        !taken.text.contains(&app.website),
        "says nothing of whose it is"
    );
    // The same id of another protocol is another one.
    let made = second(&app, json!([{ "protocol": "umami", "id": "1" }])).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let other = made.body["id"].as_str().unwrap();
    enable(&app, &app.website, json!([])).await;
    let claimed = enable(&app, other, json!([{ "protocol": "matomo", "id": "1" }])).await;
    assert_eq!(claimed.status, 200, "{}", claimed.text);
    // The website that was deleted keeps its ids while it can come back.
    let delete = format!("{}/websites/delete", app.base);
    assert_eq!(app.post(delete, &json!({ "id": other })).await.status, 200);
    let event = json!({ "requests": ["?idsite=1&rec=1&url=https://localhost/"] });
    assert_eq!(send(&app, "/matomo.php", &event).await.status, 404);
    let again = enable(
        &app,
        &app.website,
        json!([{ "protocol": "matomo", "id": "1" }]),
    )
    .await;
    assert_eq!(again.status, 409, "{}", again.text);
    app.finish().await;
}

#[actix::test]
async fn ids_survive_a_restart_and_stop_at_once_when_they_are_taken_away() {
    let mut app = with(json!([{ "protocol": "plausible", "id": "shop.example" }])).await;
    let event = json!({ "n": "pageview", "u": "https://localhost/", "d": "shop.example" });
    app.restart().await;
    assert_eq!(send(&app, "/api/event", &event).await.status, 202);
    enable(&app, &app.website, json!([])).await;
    assert_eq!(send(&app, "/api/event", &event).await.status, 404);
    app.finish().await;
}
