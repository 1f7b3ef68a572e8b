//! An identity provider, as far as we see it.

use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";
pub const GROUP: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";
pub const PATCH: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/// A provider that shows a token.
pub struct Client<'a> {
    pub app: &'a App,
    pub token: String,
}

impl<'a> Client<'a> {
    /// One with a token that this person made in their organization.
    pub async fn made_by(app: &'a App, maker: &Browser<'_>) -> Self {
        Self {
            app,
            token: token(maker).await.0,
        }
    }

    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        self.send_with(method, path, body, &[]).await
    }

    pub async fn send_with(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Answer {
        let method = method.parse().unwrap();
        let url = format!("{}/scim/v2{path}", self.app.base);
        let mut request = self.app.http.request(method, url);
        request = request.bearer_auth(&self.token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/scim+json")
                .body(body.to_string());
        }
        Answer::send(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, operations: Value) -> Answer {
        let body = json!({ "schemas": [PATCH], "Operations": operations });
        self.send("PATCH", path, Some(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None).await
    }

    /// Creates a user; their ID.
    pub async fn create(&self, email: &str) -> String {
        let answer = self.post("/Users", &user(email)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        id(&answer)
    }

    /// Creates a group of these users; its ID.
    pub async fn group(&self, name: &str, users: &[&str]) -> String {
        let members: Vec<Value> = users.iter().map(|id| json!({ "value": id })).collect();
        let body = json!({ "schemas": [GROUP], "displayName": name, "members": members });
        let answer = self.post("/Groups", &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        id(&answer)
    }

    pub async fn set_active(&self, id: &str, active: bool) -> Answer {
        let operation = json!([{ "op": "replace", "value": { "active": active } }]);
        self.patch(&format!("/Users/{id}"), operation).await
    }

    pub async fn is_active(&self, id: &str) -> bool {
        let answer = self.get(&format!("/Users/{id}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["active"].as_bool().unwrap()
    }
}

/// A token, and its ID.
pub async fn token(maker: &Browser<'_>) -> (String, String) {
    let made = maker
        .post("/scim/createToken", &json!({ "name": "Test" }))
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let text = |name: &str| made.body[name].as_str().unwrap().to_owned();
    (text("secret"), text("id"))
}

pub fn user(email: &str) -> Value {
    json!({
        "schemas": [USER], "userName": email, "active": true,
        "emails": [{ "value": email, "type": "work", "primary": true }],
    })
}

pub fn id(answer: &Answer) -> String {
    answer.body["id"].as_str().unwrap().to_owned()
}

/// Holds a failure against the protocol's form.
pub fn assert_failed(answer: &Answer, status: u16, keyword: Option<&str>) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/scim+json");
    let body = &answer.body;
    assert_eq!(
        body["schemas"],
        json!(["urn:ietf:params:scim:api:messages:2.0:Error"])
    );
    assert_eq!(body["status"], status.to_string());
    assert_eq!(body["scimType"].as_str(), keyword, "{}", answer.text);
    assert!(body["detail"].is_string(), "{}", answer.text);
}

/// Lets the members of a group have a role.
pub async fn set_role(by: &Browser<'_>, group: &str, role: Option<&str>) -> Answer {
    let body = json!({ "id": group, "role": role });
    by.post("/scim/setGroupRole", &body).await
}
