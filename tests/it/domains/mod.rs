//! Hosts that organizations bring: verified by name servers that say what the test says, and asked by their names.

mod below;
mod browser;
mod connections;
mod console;
mod defaults;
mod imported;
mod isolation;
mod limits;
mod links;
mod pages;
mod tracker;
mod verification;

use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    names::Names,
    people::browser::Browser,
};

/// Where the program is reached.
const HERE: &str = "127.0.0.1";

/// A program that asks these name servers.
async fn open(names: &Names) -> App {
    let toml = format!("egress.allow = ['127.0.0.0/8']\n{}", names.toml());
    App::with(&toml).await
}

/// Adds a domain with the key of the app; the answer.
async fn add(app: &App, body: &Value) -> Answer {
    app.post(format!("{}/domains/add", app.base), body).await
}

async fn check(app: &App, id: &str) -> Answer {
    app.post(format!("{}/domains/check", app.base), &json!({ "id": id }))
        .await
}

async fn remove(app: &App, id: &str) -> Answer {
    app.post(format!("{}/domains/remove", app.base), &json!({ "id": id }))
        .await
}

/// A domain that leads here and is verified; its ID.
async fn verified(app: &App, names: &Names, body: &Value) -> String {
    let added = add(app, body).await;
    assert_eq!(added.status, 200, "{}", added.text);
    names.set_address(body["host"].as_str().unwrap(), Some(HERE));
    if added.body["requiresTxtRecord"] == true {
        let record = |part: &str| added.body["verification"][part].as_str().unwrap();
        names.set(record("name"), &[record("value")]);
    }
    let id = added.body["id"].as_str().unwrap().to_owned();
    let checked = check(app, &id).await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    id
}

/// What came back from a host. The OpenAPI document does not describe hosts of organizations.
struct Seen {
    status: u16,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Seen {
    fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

fn client() -> reqwest::Client {
    let client = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

/// Sends a request to an address by the name of a host.
async fn send(host: &str, request: reqwest::RequestBuilder) -> Seen {
    let answer = request.header("host", host).send().await.unwrap();
    Seen {
        status: answer.status().as_u16(),
        headers: answer.headers().clone(),
        text: answer.text().await.unwrap(),
    }
}

/// Gets a path of a host, at an address of the program.
async fn get(at: &str, host: &str, path: &str) -> Seen {
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
    let request = client().get(format!("{at}{path}"));
    send(host, request.header("user-agent", agent)).await
}

/// A second organization of the app's owner; its ID.
async fn second_organization(owner: &Browser<'_>) -> String {
    let body = json!({ "name": "Other" });
    let made = owner.post("/api/auth/organization/create", &body).await;
    made.body["id"].as_str().unwrap().to_owned()
}
