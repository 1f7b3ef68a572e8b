//! The documentation in a real browser.

use serde_json::json;

use super::browse;
use crate::{app::App, docs};

#[actix::test]
async fn every_page_of_the_documentation_fits_a_phone_and_is_accessible() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let mut app = App::spawn().await;
    // Pages of the reference are alike.
    let paths: Vec<String> = docs::pages(&app)
        .await
        .into_keys()
        .filter(|path| !path.starts_with("/docs/api/") || path.ends_with("/websites"))
        .collect();
    app.website = json!({ "base": app.base, "paths": paths }).to_string();
    let said = browse(&app, "docs").await;
    for quiet in ["console", "reports", "violations", "overflow"] {
        assert_eq!(said[quiet], json!([]), "{quiet}");
    }
    assert_eq!(said["pages"], paths.len());
    let found = json!({ "name": "First-party proxy", "path": "/docs/tracker" });
    assert_eq!(said["found"], found);
    assert_eq!(said["copied"].as_str().unwrap().trim(), "./start");
    assert_eq!(said["old"], "/docs/tracker");
    assert_eq!(said["control"], 1, "what is wrong would have been found");
    app.finish().await;
}
