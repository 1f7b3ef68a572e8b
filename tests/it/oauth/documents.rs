//! Apps that name themselves by the address of their metadata, and what attackers try with it (threat T96).

use serde_json::json;

use super::flow::{REDIRECT_URI, code, exchange, opens, question, refresh};
use crate::{app::App, people::browser::Browser, receiver::Receiver};

const OPEN: &str = "egress.allow = ['127.0.0.0/8']";

/// A server of an app, and the app's `client_id`.
async fn site() -> (Receiver, String) {
    let site = Receiver::saying("404 Not Found").await;
    let client = format!("{}/oauth/client.json", site.url);
    (site, client)
}

fn metadata(client: &str, name: &str, redirect_uri: &str) -> String {
    let document = json!({
        "client_id": client, "client_name": name, "redirect_uris": [redirect_uri],
        "token_endpoint_auth_method": "none",
    });
    format!("200 OK\r\ncontent-type: application/json\r\n\r\n{document}")
}

#[actix::test]
async fn an_app_connects_by_the_address_of_its_metadata_without_registering() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let (site, client) = site().await;
    let metadata = metadata(&client, "Robot", REDIRECT_URI);
    site.answer(&[&metadata, &metadata]);

    let page = owner.get(&question(&client, &[])).await;
    assert!(page.text.contains("Connect “Robot”?"), "{}", page.text);
    assert!(page.text.contains(&client), "{}", page.text);

    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    let tokens = exchange(&app, &client, &code).await;
    assert_eq!(tokens.status, 200, "{}", tokens.text);
    assert!(opens(&app, tokens.body["access_token"].as_str().unwrap()).await);
    let refreshed = refresh(
        &app,
        &client,
        tokens.body["refresh_token"].as_str().unwrap(),
    )
    .await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.text);
    // Tokens need the site no more.
    assert_eq!(site.got().len(), 2);
    app.finish().await;
}

#[actix::test]
async fn what_an_app_says_of_itself_counts_as_it_is_now() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let (site, client) = site().await;
    let elsewhere = "https://new.example/callback";
    site.answer(&[
        &metadata(&client, "Robot", REDIRECT_URI),
        &metadata(&client, "Other robot", elsewhere),
        &metadata(&client, "Other robot", elsewhere),
    ]);
    assert_eq!(owner.get(&question(&client, &[])).await.status, 200);
    let page = owner.get(&question(&client, &[])).await;
    assert_eq!(page.status, 400, "{}", page.text);
    let moved = question(&client, &[("redirect_uri", elsewhere)]);
    let page = owner.get(&moved).await;
    assert!(
        page.text.contains("Connect “Other robot”?"),
        "{}",
        page.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_page_says_why_an_address_is_no_app() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let (site, client) = site().await;
    let large = format!("200 OK\r\n\r\n{}", " ".repeat(20_000));
    let foreign = metadata("https://app.example/client.json", "Robot", REDIRECT_URI);
    for (answer, why) in [
        ("404 Not Found", "it answers 404, not 200"),
        (
            "302 Found\r\nlocation: /other.json",
            "it answers 302, not 200",
        ),
        ("200 OK\r\n\r\n<html>", "expected value"),
        (&large, "more than 16384 bytes"),
        (&foreign, "its client_id is another address"),
    ] {
        site.answer(&[answer]);
        let page = owner.get(&question(&client, &[])).await;
        assert_eq!(page.status, 400, "{answer}");
        assert!(page.text.contains(why), "{why}: {}", page.text);
    }
    assert_eq!(site.got().len(), 5);
    app.finish().await;
}

#[actix::test]
async fn an_address_reaches_nothing_that_monitors_may_not() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (site, client) = site().await;
    for client in [
        client.as_str(),
        "https://localhost/client.json",
        "https://169.254.169.254/latest",
    ] {
        let page = owner.get(&question(client, &[])).await;
        assert_eq!(page.status, 400, "{client}");
        assert!(
            page.text.contains("This app can't be connected"),
            "{}",
            page.text
        );
    }
    assert_eq!(site.got().len(), 0);
    app.finish().await;
}

#[actix::test]
async fn only_signed_in_people_make_this_server_ask_and_thirty_times() {
    let app = App::with(OPEN).await;
    let (site, client) = site().await;
    let stranger = Browser::new(&app);
    let page = stranger.get(&question(&client, &[])).await;
    assert_eq!(page.status, 303);
    assert!(
        page.header("location").contains("/login"),
        "{}",
        page.header("location")
    );
    assert_eq!(site.got().len(), 0);

    let owner = Browser::owner(&app).await;
    for _ in 0..30 {
        assert_eq!(owner.get(&question(&client, &[])).await.status, 400);
    }
    assert_eq!(owner.get(&question(&client, &[])).await.status, 429);
    assert_eq!(site.got().len(), 30);
    app.finish().await;
}

#[actix::test]
async fn clients_read_that_they_need_not_register() {
    let app = App::spawn().await;
    let stranger = Browser::new(&app);
    let answer = stranger
        .get("/.well-known/oauth-authorization-server")
        .await;
    assert_eq!(answer.body["client_id_metadata_document_supported"], true);
    app.finish().await;
}
