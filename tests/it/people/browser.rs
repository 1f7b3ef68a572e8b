//! A person at a browser: cookies that are kept, and sent along with where they come from.

use std::{collections::BTreeMap, sync::Mutex};

use serde_json::{Value, json};

use crate::app::{Answer, App};

/// One browser of one person.
pub struct Browser<'a> {
    base: &'a str,
    /// Redirects are seen, not followed.
    http: reqwest::Client,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl<'a> Browser<'a> {
    /// A browser without a session.
    pub fn new(app: &'a App) -> Self {
        Self::at(&app.base, "")
    }

    /// One with this cookie.
    pub fn with(app: &'a App, cookie: &str) -> Self {
        Self::at(&app.base, cookie)
    }

    /// One with this cookie, of whatever program listens at `base`.
    pub fn at(base: &'a str, cookie: &str) -> Self {
        let pairs = cookie.split("; ").filter_map(|pair| pair.split_once('='));
        let cookies = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
        // A connection each: what is behind an address may be several programs.
        let http = http.pool_max_idle_per_host(0);
        Self {
            base,
            http: http.build().unwrap(),
            cookies: Mutex::new(cookies.collect()),
        }
    }

    /// One in which the owner is signed in.
    pub async fn owner(app: &'a App) -> Self {
        let browser = Self::new(app);
        let signed_in = browser.sign_in(&app.email, &app.password).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.text);
        browser
    }

    /// A browser of a new account (sign-up has to be open).
    pub async fn signed_up(app: &'a App, name: &str) -> Self {
        let browser = Self::new(app);
        let body = json!({
            "name": name, "email": format!("{name}@example.com"), "password": PASSWORD,
        });
        let answer = browser.post("/api/auth/sign-up/email", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        browser
    }

    pub async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post("/api/auth/sign-in/email", &body).await
    }

    /// The cookies as they are sent.
    pub fn cookie(&self) -> String {
        let cookies = self.cookies.lock().unwrap();
        let pairs = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    /// The session's cookie alone, as it is sent; empty where there is none.
    pub fn session(&self) -> String {
        let cookie = self.cookie();
        let mut pairs = cookie.split("; ");
        let own = pairs.find(|pair| pair.starts_with("pharos_session="));
        own.unwrap_or_default().to_owned()
    }

    pub async fn get(&self, path: &str) -> Answer {
        let request = self.http.get(format!("{}{path}", self.base));
        self.send(request).await
    }

    /// Sends a form of one of our pages.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base));
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", self.base)
            .body(body);
        self.send(request).await
    }

    /// Sends a form with a file.
    pub async fn upload(&self, path: &str, bytes: &[u8]) -> Answer {
        self.upload_with(path, &[], bytes).await
    }

    /// The same with fields before the file.
    pub async fn upload_with(&self, path: &str, fields: &[(&str, &str)], bytes: &[u8]) -> Answer {
        let mut head = String::new();
        for (name, value) in fields {
            let field = format!("content-disposition: form-data; name=\"{name}\"");
            head.extend(["--b\r\n", &field, "\r\n\r\n", value, "\r\n"]);
        }
        head += "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n";
        let body = [head.as_bytes(), bytes, b"\r\n--b--\r\n"].concat();
        let request = self.http.post(format!("{}{path}", self.base));
        let request = request
            .header("content-type", "multipart/form-data; boundary=b")
            .header("origin", self.base)
            .body(body);
        self.send(request).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.http.post(format!("{}{path}", self.base));
        self.send(request.json(body).header("origin", self.base))
            .await
    }

    /// The session of the person who is signed in; null without one.
    pub async fn current_session(&self) -> Value {
        self.get("/api/auth/get-session").await.body
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Answer {
        let cookie = self.cookie();
        if !cookie.is_empty() {
            request = request.header("cookie", cookie);
        }
        let answer = Answer::send(request).await;
        for set in answer.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            let mut cookies = self.cookies.lock().unwrap();
            if value.is_empty() {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }
}

/// Of everybody who signs up.
pub const PASSWORD: &str = "a password of one's own";
