//! An organization with one person of each role, and a stranger.

use serde_json::{Value, json};

use super::browser::{Browser, PASSWORD};
use crate::app::{Answer, App};

/// Everybody, signed in.
pub struct Team<'a> {
    pub owner: Browser<'a>,
    pub admin: Browser<'a>,
    pub member: Browser<'a>,
    pub viewer: Browser<'a>,
    pub stranger: Browser<'a>,
}

impl<'a> Team<'a> {
    /// Strangers have to be able to sign up.
    pub async fn invite(app: &'a App) -> Self {
        let owner = Browser::owner(app).await;
        let admin = invited(app, &owner, "admin").await;
        let member = invited(app, &owner, "member").await;
        let viewer = invited(app, &owner, "viewer").await;
        let stranger = Browser::signed_up(app, "stranger").await;
        Self {
            owner,
            admin,
            member,
            viewer,
            stranger,
        }
    }

    pub fn all(&self) -> [(&'static str, &Browser<'a>); 5] {
        [
            ("owner", &self.owner),
            ("admin", &self.admin),
            ("member", &self.member),
            ("viewer", &self.viewer),
            ("stranger", &self.stranger),
        ]
    }
}

/// A person with a role, who has accepted an invitation.
pub async fn invited<'a>(app: &'a App, owner: &Browser<'_>, role: &str) -> Browser<'a> {
    let email = format!("{role}@example.com");
    let token = token(&invite(app, owner, &email, role).await);
    let browser = Browser::new(app);
    let body = json!({ "name": role, "email": email, "password": PASSWORD, "invitation": token });
    let made = browser.post("/api/auth/sign-up/email", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    browser
}

/// Invites a person into the app's organization.
pub async fn invite(app: &App, by: &Browser<'_>, email: &str, role: &str) -> Answer {
    let body = json!({ "organizationId": app.organization, "email": email, "role": role });
    by.post("/api/auth/organization/invite-member", &body).await
}

/// What the link of an invitation ends in.
pub fn token(invited: &Answer) -> String {
    assert_eq!(invited.status, 200, "{}", invited.text);
    let link = invited.body["link"].as_str().unwrap();
    link.rsplit('/').next().unwrap().to_owned()
}

/// The id of the person who is signed in.
pub async fn id(browser: &Browser<'_>) -> String {
    browser.current_session().await["user"]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Members of the app's organization by address, with their roles.
pub async fn roles(browser: &Browser<'_>) -> Vec<(String, String)> {
    let members = browser.get("/api/auth/organization/list-members").await;
    let members = members.body["members"].as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pair = |member: &Value| (text(&member["user"]["email"]), text(&member["role"]));
    members.iter().map(pair).collect()
}
