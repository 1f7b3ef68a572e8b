//! Feature flags at the console.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

async fn flag(app: &App, id: &str) -> Value {
    let url = format!("{}/flags/getById", app.base);
    app.post(url, &json!({ "id": id })).await.body
}

const RULES: &str =
    r#"[{"type": "email", "operator": "ends_with", "value": "@example.com", "enabled": true}]"#;

#[actix::test]
async fn a_flag_is_made_explained_switched_and_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    assert!(
        page(&owner, "/console/flags")
            .await
            .contains("There is no flag yet")
    );
    page(&owner, "/console/flags/new").await;
    let fields = [
        ("key", "checkout"),
        ("websiteId", app.website.as_str()),
        ("type", "boolean"),
        ("name", "New <b>checkout"),
        ("rules", RULES),
    ];
    let made = owner.submit("/console/flags/new", &fields).await;
    let path = leads_to(&made).to_owned();
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(flag(&app, id).await["rules"][0]["value"], "@example.com");
    let list = page(&owner, "/console/flags").await;
    assert!(
        list.contains("New &lt;b&gt;checkout") && list.contains("1 rule, then off"),
        "{list}"
    );

    let inside = page(
        &owner,
        &format!("{path}?userId=&email=a%40example.com&organizationId=&teamId=&properties="),
    )
    .await;
    assert!(
        inside.contains("state good\">on<") && inside.contains("Rule 1 matches, and decides."),
        "{inside}"
    );
    let outside = page(
        &owner,
        &format!("{path}?userId=u&email=&organizationId=&teamId=&properties=%7B%7D"),
    )
    .await;
    assert!(outside.contains("Rule 1 does not match."), "{outside}");
    let wrong = page(
        &owner,
        &format!("{path}?userId=&properties=%7B%3Cscript%3E"),
    )
    .await;
    assert!(
        wrong.contains("id=\"properties-wrong\"") && !wrong.contains("<script>\""),
        "{wrong}"
    );

    let off = owner
        .submit(
            &format!("{path}/switch"),
            &[("status", "inactive"), ("from", "list")],
        )
        .await;
    assert_eq!(leads_to(&off), "/console/flags");
    assert_eq!(flag(&app, id).await["status"], "inactive");
    let on = owner
        .submit(
            &format!("{path}/switch"),
            &[("status", "active"), ("from", "page")],
        )
        .await;
    assert_eq!(leads_to(&on), path);
    let change = [
        ("type", "rollout"),
        ("rolloutPercentage", "25"),
        ("status", "active"),
        ("defaultValue", "on"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&path, &change).await),
        format!("{path}?done=1")
    );
    let stored = flag(&app, id).await;
    assert_eq!(
        (
            &stored["rolloutPercentage"],
            &stored["rules"],
            &stored["defaultValue"]
        ),
        (&json!(25), &json!([]), &json!(true))
    );
    let shown = page(&owner, &path).await;
    assert!(shown.contains("on for 25%"), "{shown}");
    assert!(
        shown.contains("status changed") && shown.contains("created"),
        "{shown}"
    );
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        "/console/flags"
    );
    assert!(
        !page(&owner, "/console/flags")
            .await
            .contains("New &lt;b&gt;checkout")
    );
    app.finish().await;
}

#[actix::test]
async fn what_is_wrong_with_a_flag_stands_beside_its_field() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let send = async |browser: &Browser<'_>, fields: &[(&str, &str)]| {
        browser.submit("/console/flags/new", fields).await
    };
    let broken = send(
        &owner,
        &[("key", "a"), ("rules", "[{\"</textarea><script>")],
    )
    .await;
    is_page(&broken, 400);
    assert!(
        broken.text.contains("id=\"rules-wrong\""),
        "{}",
        broken.text
    );
    assert!(
        !broken.text.contains("</textarea><script>"),
        "{}",
        broken.text
    );
    let unknown = send(
        &owner,
        &[("key", "a"), ("rules", r#"[{"type": "weather"}]"#)],
    )
    .await;
    is_page(&unknown, 400);
    is_page(
        &send(&owner, &[("key", "no spaces"), ("type", "boolean")]).await,
        400,
    );
    let made = send(&owner, &[("key", "of-all"), ("type", "boolean")]).await;
    let path = leads_to(&made).to_owned();
    assert!(
        page(&owner, "/console/flags")
            .await
            .contains("the organization")
    );
    let viewer = invited(&app, &owner, "viewer").await;
    is_page(
        &send(&viewer, &[("key", "b"), ("type", "boolean")]).await,
        403,
    );
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains("Delete this flag") && !seen.contains("/switch"),
        "{seen}"
    );
    is_page(
        &viewer
            .submit(&format!("{path}/switch"), &[("status", "inactive")])
            .await,
        403,
    );
    app.finish().await;
}

#[actix::test]
async fn rules_are_rows_of_the_form_and_json_where_rows_cannot_say_them() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = [
        ("key", "rows"),
        ("websiteId", app.website.as_str()),
        ("type", "boolean"),
        ("rules.0.type", "email"),
        ("rules.0.operator", "ends_with"),
        ("rules.0.value", "@example.com"),
        ("rules.0.answer", "on"),
        ("rules.1.type", ""),
        ("rules.1.value", "nobody asks"),
        ("rules.2.type", "property"),
        ("rules.2.field", "seats"),
        ("rules.2.operator", "greater_than"),
        ("rules.2.value", "5"),
        ("rules.2.answer", "off"),
    ];
    let path = leads_to(&owner.submit("/console/flags/new", &fields).await).to_owned();
    let id = path.rsplit('/').next().unwrap();
    let rules = flag(&app, id).await["rules"].clone();
    assert_eq!(rules.as_array().unwrap().len(), 2, "{rules}");
    assert_eq!(rules[0]["value"], "@example.com");
    assert_eq!(
        (&rules[1]["field"], &rules[1]["value"], &rules[1]["enabled"]),
        (&json!("seats"), &json!(5), &json!(false))
    );
    let shown = page(&owner, &path).await;
    let row = "name=\"rules.1.value\" value=\"5\"";
    assert!(shown.contains(row), "rows move up: {shown}");
    let wrong = [
        fields[3],
        ("rules.0.operator", "matches"),
        ("rules.0.value", "("),
    ];
    let refused = owner.submit(&path, &wrong).await;
    is_page(&refused, 400);
    assert!(
        refused.text.contains("id=\"rules-wrong\"") && refused.text.contains("value=\"(\""),
        "{}",
        refused.text
    );
    let made_of = json!([{ "type": "any", "rules": [rules[0]], "enabled": true }]).to_string();
    let saved = owner
        .submit(&path, &[("type", "boolean"), ("rules", &made_of)])
        .await;
    assert_eq!(leads_to(&saved), format!("{path}?done=1"));
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("&quot;type&quot;: &quot;any&quot;")
            && !shown.contains("class=\"inline rule\""),
        "{shown}"
    );
    app.finish().await;
}
