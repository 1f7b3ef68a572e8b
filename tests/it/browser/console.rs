//! The console in a real browser: a newcomer's first half hour.

use serde_json::json;

use super::{SETTINGS, browse};
use crate::{
    agents::answers::script::{Act, Script},
    app::App,
};

#[actix::test]
async fn a_newcomers_first_half_hour_goes_well_with_and_without_a_script() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let script = Script::start().await;
    for _ in 0..2 {
        script.then([Act::Say("All is "), Act::Say("well."), Act::Finish]);
    }
    let settings = format!("{}{SETTINGS}", script.settings());
    let mut app = App::at(pharos::clock::Clock::system(), &settings).await;
    let whole = json!({
        "base": app.base, "email": app.email, "password": app.password,
        "first": { "domain": "shop.example.com", "tag": "first" }, "second": { "domain": "store.example.com", "tag": "second" },
    });
    app.website = whole.to_string();
    let said = browse(&app, "newcomer").await;
    for quiet in ["console", "reports", "violations", "further", "targets"] {
        assert_eq!(said[quiet], json!([]), "{quiet}");
    }
    assert!(said["pages"].as_u64() >= Some(40), "{said}");
    assert_eq!(said["control"], 1, "what is wrong would have been found");
    app.finish().await;
}
