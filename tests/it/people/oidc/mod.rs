//! Signing in at a certified provider (npm `oidc-provider`), which runs on loopback by the clock of the test.

mod accounts;
mod guide;
mod hostile;
mod links;
mod logout;
mod proxy;
mod required;
mod roles;
mod signing_in;
mod upstream;

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

use super::browser::Browser;
use crate::app::{Answer, App, NOW};

/// A running provider that signs in whom the test names.
pub struct Provider {
    child: Child,
    pub url: String,
    http: reqwest::Client,
}

/// Lets an organization insist on a provider, or no longer; the status of the answer.
pub async fn require(browser: &Browser<'_>, provider: Option<&str>) -> u16 {
    let body = json!({ "provider": provider });
    let path = "/api/auth/organization/require-provider";
    browser.post(path, &body).await.status
}

impl Provider {
    pub fn start() -> Self {
        Self::start_at(NOW)
    }

    /// A provider with its clock fixed at this time, Unix ms.
    pub fn start_at(now: i64) -> Self {
        let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
        let installed = clients.join("node_modules/oidc-provider/package.json");
        assert!(
            installed.exists(),
            "the provider is not installed: run scripts/test, or `npm ci` in {}",
            clients.display()
        );
        let mut node = Command::new("node");
        node.current_dir(clients)
            .args(["oidc-provider.mjs", &now.to_string()])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = node.spawn().unwrap();
        let mut port = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut port).unwrap();
        // Node closes what was idle for 5 s, maybe just when a request is on its way.
        let http = crate::web::builder()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0);
        Self {
            child,
            url: format!("http://127.0.0.1:{}", port.trim()),
            http: http.build().unwrap(),
        }
    }

    /// Settings under which it is the provider `test`, with more lines for it.
    pub fn toml(&self, more: &str) -> String {
        self.named("test", more)
    }

    pub fn named(&self, name: &str, more: &str) -> String {
        format!(
            "[[auth.oidc]]\nname = '{name}'\nissuer = '{}'\nclient_id = 'pharos'\n\
             client_secret = 'a secret: with / signs'\n{more}\n",
            self.url
        )
    }

    /// Tells it how to be; what it says of itself.
    pub async fn control(&self, body: &Value) -> Value {
        let request = self.http.post(format!("{}/control", self.url)).json(body);
        let answer = request.send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Lets it sign in a person for a program.
    pub async fn expect(&self, app: &App, account: &Value) {
        let body = json!({ "app": app.base, "account": account });
        self.control(&body).await;
    }

    /// How often a path was asked for.
    pub async fn count(&self, path: &str) -> u64 {
        let told = self.control(&json!({})).await;
        told["asked"][path].as_u64().unwrap_or_default()
    }

    /// Goes where a browser is sent, through the provider, until it is sent back; the path that it is sent back to.
    pub async fn walk(&self, base: &str, start: &str) -> String {
        let mut cookies = BTreeMap::<String, String>::new();
        let mut url = start.to_owned();
        loop {
            if let Some(path) = url.strip_prefix(base) {
                return path.to_owned();
            }
            let pairs = cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            let cookie = pairs.collect::<Vec<_>>().join("; ");
            let answer = self
                .http
                .get(&url)
                .header("cookie", cookie)
                .send()
                .await
                .unwrap();
            for set in answer.headers().get_all("set-cookie") {
                let pair = set.to_str().unwrap().split(';').next().unwrap();
                let (name, value) = pair.split_once('=').unwrap();
                cookies.insert(name.to_owned(), value.to_owned());
            }
            let location = answer
                .headers()
                .get("location")
                .map(|to| to.to_str().unwrap());
            let Some(location) = location.map(str::to_owned) else {
                panic!("{url}: {}", answer.text().await.unwrap());
            };
            let here = reqwest::Url::parse(&url).unwrap();
            url = here.join(&location).unwrap().to_string();
        }
    }

    /// Begins a sign-in in a browser; the path that the provider sends it back to.
    pub async fn begin(&self, app: &App, browser: &Browser<'_>, start: &str) -> String {
        let begun = browser.get(start).await;
        assert_eq!(begun.status, 303, "{}", begun.text);
        self.walk(&app.base, begun.header("location")).await
    }

    /// Signs in in a browser, whatever comes of it.
    pub async fn sign_in(&self, app: &App, browser: &Browser<'_>) -> Answer {
        let back = self.begin(app, browser, "/api/auth/oidc/test").await;
        browser.get(&back).await
    }

    /// Signs in in a browser of its own, which has to work.
    pub async fn signed_in<'a>(&self, app: &'a App, account: &Value) -> Browser<'a> {
        self.expect(app, account).await;
        let browser = Browser::new(app);
        let answer = self.sign_in(app, &browser).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        browser
    }

    /// The page of a sign-in that has to fail.
    pub async fn failed(&self, app: &App, account: &Value) -> String {
        self.expect(app, account).await;
        let browser = Browser::new(app);
        let answer = self.sign_in(app, &browser).await;
        assert_eq!(browser.current_session().await, Value::Null);
        is_refused(&answer)
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a page that says why a sign-in failed.
pub fn is_refused(answer: &Answer) -> String {
    assert!(
        (400..600).contains(&answer.status),
        "{}: {}",
        answer.status,
        answer.text
    );
    assert!(
        answer.header("content-type").starts_with("text/html"),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("<h1>Sign-in failed</h1>"),
        "{}",
        answer.text
    );
    answer.text.replace("&#39;", "'")
}

/// Makes accounts of everybody at `acme.example`.
pub const ACME: &str = "create_accounts = 'verified_email'\nemail_domains = ['acme.example']";

/// A person at `acme.example` as the provider knows them.
pub fn ada(groups: &[&str]) -> Value {
    json!({
        "sub": "ada-1", "email": "Ada@acme.example", "email_verified": true, "name": "Ada Lovelace",
        "groups": groups,
    })
}
