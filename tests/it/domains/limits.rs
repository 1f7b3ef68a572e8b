//! What one organization can ask of name servers, and what is refused.

use serde_json::{Value, json};

use super::{HERE, add, check, open, verified};
use crate::{app::Answer, names::Names};

#[actix::test]
async fn an_organization_has_a_hundred_domains_that_are_not_verified() {
    let names = Names::start();
    let app = open(&names).await;
    let add_nth = async |nth: usize| -> Answer {
        let body = json!({ "host": format!("h{nth}.acme.example"), "use": "links" });
        add(&app, &body).await
    };
    let mut last = Value::Null;
    for nth in 0..100 {
        let added = add_nth(nth).await;
        assert_eq!(added.status, 200, "{}", added.text);
        last = added.body;
    }
    let refused = add_nth(100).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(
        refused
            .text
            .contains("has 100 domains that aren't verified"),
        "{}",
        refused.text
    );
    // A verified one makes room.
    names.set_address(last["host"].as_str().unwrap(), Some(HERE));
    let checked = check(&app, last["id"].as_str().unwrap()).await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    assert_eq!(add_nth(100).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_check_whose_name_servers_say_nothing_is_answered() {
    let names = Names::start();
    let app = open(&names).await;
    let body = json!({ "host": "go.acme.example", "use": "links" });
    let id = verified(&app, &names, &body).await;
    names.set_silent(true);
    let checked = check(&app, &id).await;
    assert_eq!(checked.status, 200, "{}", checked.text);
    assert_eq!(
        (
            &checked.body["findings"]["points"],
            &checked.body["verified"]
        ),
        (&json!("unknown"), &json!(true)),
        "{}",
        checked.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_domain_does_not_lead_to_itself() {
    let names = Names::start();
    let app = open(&names).await;
    for field in ["rootUrl", "unknownUrl", "endedUrl"] {
        let mut body = json!({ "host": "go.acme.example", "use": "links" });
        body[field] = json!("https://GO.acme.example./welcome");
        let refused = add(&app, &body).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        let message = format!("`{field}` leads back to go.acme.example");
        assert!(refused.text.contains(&message), "{}", refused.text);
    }
    let body =
        json!({ "host": "go.acme.example", "use": "links", "rootUrl": "https://acme.example" });
    let added = add(&app, &body).await;
    assert_eq!(added.status, 200, "{}", added.text);
    let body = json!({ "id": added.body["id"], "unknownUrl": "http://go.acme.example:81/" });
    let refused = app
        .post(format!("{}/domains/update", app.base), &body)
        .await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    app.finish().await;
}
