//! Codes and tokens are in no log and no file (threat T75).

use std::{fs, path::Path};

use serde_json::json;

use super::flow::{
    REDIRECT_URI, VERIFIER, call, code, connected, exchange, opens, post_form, refresh, register,
};
use crate::{app::App, people::browser::Browser};

/// Whether a file below a directory has the text.
pub fn is_in_files(directory: &Path, text: &str) -> bool {
    fs::read_dir(directory).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_in_files(&path, text);
        }
        // What is not a file any more has no text.
        let bytes = fs::read(&path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

#[actix::test]
async fn neither_a_log_nor_a_file_has_a_code_or_a_token() {
    let app = App::outside("log.level = \"trace\"").await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    let first = connected(&client, &exchange(&app, &client, &code).await);
    let second = connected(&client, &refresh(&app, &client, &first.refresh).await);
    assert!(opens(&app, &second.access).await);
    // What is refused is said in the log, without what was sent.
    assert_eq!(
        call(&app, &second.access, "/websites/list", &json!({}))
            .await
            .status,
        401
    );
    refresh(&app, &client, &first.refresh).await;
    exchange(&app, &client, &code).await;
    post_form(&app, "/oauth/revoke", &[("token", &second.refresh)]).await;
    let secrets = [
        code.as_str(),
        VERIFIER,
        &first.access,
        &first.refresh,
        &second.access,
        &second.refresh,
    ];
    for secret in secrets {
        assert_eq!(app.count_log_lines(secret), 0, "{secret}");
        assert!(!is_in_files(app.directory(), secret), "{secret}");
    }
    app.finish().await;
}
