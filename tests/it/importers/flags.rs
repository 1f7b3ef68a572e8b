use serde_json::{Value, json};

use super::{call, counts, fixture, named};
use crate::app::App;

async fn keys(app: &App, scope: &Value) -> Vec<String> {
    let listed = call(app, "/flags/list", scope.clone()).await;
    let keys = listed.as_array().unwrap().iter();
    let mut keys: Vec<String> = keys
        .map(|flag| flag["key"].as_str().unwrap().to_owned())
        .collect();
    keys.sort();
    keys
}

#[actix::test]
async fn flags_are_planned_created_and_evaluated_as_before() {
    let app = App::spawn().await;
    let scope = json!({ "websiteId": app.website });
    for (format, content, expected) in [
        (
            "unleash",
            fixture!("unleash.json"),
            &[
                "grouped",
                "half",
                "insiders",
                "off",
                "on-for-all",
                "sticky",
                "tried",
                "variants",
            ][..],
        ),
        (
            "flagsmith",
            fixture!("flagsmith.json"),
            &["banner_text", "dark_mode", "max_items"],
        ),
        (
            "growthbook",
            fixture!("growthbook.json"),
            &["new-nav", "price"],
        ),
    ] {
        let before = keys(&app, &scope).await;
        let body = json!({ "websiteId": app.website, "format": format, "content": content });
        let plan = call(&app, "/imports/planFlags", body.clone()).await;
        assert_eq!(counts(&plan), [expected.len() as u64, 0, 0], "{plan}");
        assert_eq!(keys(&app, &scope).await, before);
        let applied = call(&app, "/imports/applyFlags", body.clone()).await;
        let mut made = named(&applied, "created");
        made.sort_unstable();
        assert_eq!(made, expected, "{applied}");
        let again = call(&app, "/imports/applyFlags", body).await;
        assert_eq!(counts(&again), [0, expected.len() as u64, 0], "{again}");
        assert_eq!(
            keys(&app, &scope).await.len(),
            before.len() + expected.len()
        );
    }
    let evaluate = async |key: &str, more: &str| {
        let url = format!(
            "{}/public/v1/flags/evaluate?clientId={}&key={key}{more}",
            app.base, app.website
        );
        app.get(url).await.body
    };
    assert_eq!(evaluate("insiders", "&userId=anna").await["enabled"], true);
    assert_eq!(evaluate("insiders", "&userId=otto").await["enabled"], false);
    assert_eq!(evaluate("banner_text", "").await["value"], "Welcome back");
    assert_eq!(evaluate("off", "").await["enabled"], false);
    app.finish().await;
}

#[actix::test]
async fn without_a_website_flags_are_the_organizations() {
    let app = App::spawn().await;
    let body = json!({ "format": "growthbook", "environment": "dev", "content": fixture!("growthbook.json") });
    let applied = call(&app, "/imports/applyFlags", body).await;
    assert_eq!(
        named(&applied, "created"),
        ["new-nav", "dev-only"],
        "{applied}"
    );
    let scope = json!({ "organizationId": app.organization });
    assert_eq!(keys(&app, &scope).await, ["dev-only", "new-nav"]);
    app.finish().await;
}
