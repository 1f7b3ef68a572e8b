//! Tokens are in no log and no file (threat T75).

use serde_json::json;

use super::client::{Client, token, user};
use crate::{app::App, oauth::leaks::is_in_files, people::browser::Browser};

#[actix::test]
async fn neither_a_log_nor_a_file_has_a_token() {
    let app = App::outside("log.level = \"trace\"").await;
    let owner = Browser::owner(&app).await;
    let (secret, id) = token(&owner).await;
    let client = Client {
        app: &app,
        token: secret.clone(),
    };
    assert_eq!(
        client.post("/Users", &user("ada@example.com")).await.status,
        201
    );
    assert_eq!(client.get("/Users?filter=nothing").await.status, 400);
    owner.post("/scim/revokeToken", &json!({ "id": id })).await;
    assert_eq!(client.get("/Users").await.status, 401);
    assert_eq!(app.count_log_lines(&secret), 0);
    assert!(!is_in_files(app.directory(), &secret));
    app.finish().await;
}
