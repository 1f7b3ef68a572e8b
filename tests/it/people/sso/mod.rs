//! Providers that organizations add by themselves, and the domains that they verify: at a certified provider, and by name servers
//! that say what the test says.

mod api;
mod console;
mod crossing;
mod domains;
mod ended;
mod factors;
mod hostile;
mod lost;
mod replicas;
mod required;
mod signing_in;

use serde_json::{Value, json};

use super::{browser::Browser, oidc::Provider};
use crate::{
    app::{Answer, App},
    names::Names,
};

/// A program whose customers may reach this machine and ask these name servers.
async fn open(names: &Names, more: &str) -> App {
    let toml = format!("egress.allow = ['127.0.0.0/8']\n{}\n{more}", names.toml());
    App::with(&toml).await
}

/// Adds a domain, publishes its record and checks it; its ID.
async fn verify(owner: &Browser<'_>, names: &Names, organization: &str, domain: &str) -> String {
    let body = json!({ "organizationId": organization, "domain": domain });
    let added = owner.post("/sso/addDomain", &body).await;
    assert_eq!(added.status, 200, "{}", added.text);
    names.publish(&added.body);
    let id = added.body["id"].as_str().unwrap().to_owned();
    let checked = check(owner, &id).await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    id
}

async fn check(owner: &Browser<'_>, id: &str) -> Answer {
    owner.post("/sso/checkDomain", &json!({ "id": id })).await
}

/// The settings of a provider, with others in place of the usual ones.
fn settings(provider: &Provider, more: &Value) -> Value {
    let mut body = json!({
        "label": "Acme", "issuer": provider.url, "clientId": "pharos",
        "clientSecret": SECRET, "joinRole": "viewer",
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

const SECRET: &str = "a secret: with / signs";

/// Adds a provider; its ID.
async fn add(owner: &Browser<'_>, provider: &Provider, more: &Value) -> String {
    let added = owner
        .post("/sso/createProvider", &settings(provider, more))
        .await;
    assert_eq!(added.status, 200, "{}", added.text);
    added.body["id"].as_str().unwrap().to_owned()
}

/// An organization with the verified domain `acme.example` and a provider.
struct Company<'a> {
    base: &'a str,
    owner: Browser<'a>,
    names: &'a Names,
    provider: &'a Provider,
    domain: String,
    id: String,
}

impl<'a> Company<'a> {
    async fn found(app: &'a App, names: &'a Names, provider: &'a Provider, more: &Value) -> Self {
        let owner = Browser::owner(app).await;
        Self::of(owner, (&app.base, &app.organization), names, provider, more).await
    }

    /// That of an owner, at the program that listens at an address.
    async fn of(
        owner: Browser<'a>,
        (base, organization): (&'a str, &str),
        names: &'a Names,
        provider: &'a Provider,
        more: &Value,
    ) -> Self {
        let domain = verify(&owner, names, organization, "acme.example").await;
        let id = add(&owner, provider, more).await;
        Self {
            base,
            owner,
            names,
            provider,
            domain,
            id,
        }
    }

    /// Signs in in a browser, whatever comes of it.
    async fn try_in(&self, account: &Value) -> (Browser<'a>, Answer) {
        try_at(self.base, self.provider, &self.id, account).await
    }

    /// Signs in, which has to work.
    async fn signed_in(&self, account: &Value) -> Browser<'a> {
        let (browser, answer) = self.try_in(account).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert_eq!(answer.header("location"), "/");
        browser
    }

    /// The page of a sign-in that has to fail.
    async fn refused(&self, account: &Value) -> String {
        let (browser, answer) = self.try_in(account).await;
        assert_eq!(browser.current_session().await, Value::Null);
        super::oidc::is_refused(&answer)
    }
}

/// Signs in at a provider of an organization in a browser of its own, whatever comes of it.
async fn try_at<'a>(
    base: &'a str,
    provider: &Provider,
    id: &str,
    account: &Value,
) -> (Browser<'a>, Answer) {
    let names = ["test", "second", id];
    let body = json!({ "app": base, "names": names, "account": account });
    provider.control(&body).await;
    let browser = Browser::at(base, "");
    let begun = browser.get(&format!("/api/auth/oidc/{id}")).await;
    if begun.status != 303 {
        return (browser, begun);
    }
    let back = provider.walk(base, begun.header("location")).await;
    let answer = browser.get(&back).await;
    (browser, answer)
}

/// A person as the provider knows them.
fn person(sub: &str, email: &str) -> Value {
    json!({ "sub": sub, "email": email, "email_verified": true, "name": sub })
}

/// Whether a browser is signed in.
async fn is_in(browser: &Browser<'_>) -> bool {
    browser.current_session().await != Value::Null
}
