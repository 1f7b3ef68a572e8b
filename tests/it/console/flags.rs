//! Feature flags at the console.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

pub(super) async fn flag(app: &App, id: &str) -> Value {
    let url = format!("{}/flags/getById", app.base);
    app.post(url, &json!({ "id": id })).await.body
}

const RULES: &str =
    r#"[{"type": "email", "operator": "ends_with", "value": "@example.com", "enabled": true}]"#;

#[actix::test]
async fn a_flag_is_created_tested_switched_and_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    assert!(
        page(&owner, "/console/flags")
            .await
            .contains("No feature flags yet")
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
        inside.contains("state good\">On<") && inside.contains("Rule 1 matches and decides."),
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
        shown.contains("Status changed") && shown.contains("Created"),
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
async fn problems_of_a_flag_are_beside_their_field() {
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
            .contains("data-label=\"Scope\">Organization<")
    );
    let viewer = invited(&app, &owner, "viewer").await;
    is_page(
        &send(&viewer, &[("key", "b"), ("type", "boolean")]).await,
        403,
    );
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains("Delete flag") && !seen.contains("/switch"),
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
async fn rules_are_rows_and_nested_rules_are_json() {
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

/// Creates a flag of the app's website, and gives its page.
pub(super) async fn new_flag(app: &App, owner: &Browser<'_>, fields: &[(&str, &str)]) -> String {
    let all = [&[("websiteId", app.website.as_str())], fields].concat();
    leads_to(&owner.submit("/console/flags/new", &all).await).to_owned()
}

#[actix::test]
async fn variants_are_rows_of_the_form() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = [
        ("key", "color"),
        ("type", "multivariant"),
        ("variants.0.key", "blue"),
        ("variants.0.value", "#00f"),
        ("variants.0.weight", "60"),
        ("variants.2.key", "rest"),
        ("variants.2.type", "json"),
        ("variants.2.value", "[1]"),
        ("variants.2.weight", "40"),
    ];
    let path = new_flag(&app, &owner, &fields).await;
    let id = path.rsplit('/').next().unwrap();
    let variants = flag(&app, id).await["variants"].clone();
    assert_eq!(
        variants,
        json!([
            { "key": "blue", "value": "#00f", "type": "string", "weight": 60 },
            { "key": "rest", "value": [1], "type": "json", "weight": 40 },
        ])
    );
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("name=\"variants.1.key\" value=\"rest\""),
        "{shown}"
    );
    let wrong = [
        ("type", "multivariant"),
        ("variants.0.key", "a"),
        ("variants.0.type", "number"),
        ("variants.0.value", "blue"),
    ];
    let wrong = owner.submit(&path, &wrong).await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("The value must be a number"),
        "{}",
        wrong.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_flag_is_scheduled_and_its_schedule_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = new_flag(
        &app,
        &owner,
        &[
            ("key", "later"),
            ("type", "rollout"),
            ("rolloutPercentage", "0"),
        ],
    )
    .await;
    let to = format!("{path}/schedules");
    let missing = owner
        .submit(
            &to,
            &[
                ("schedule.type", "update_rollout"),
                ("schedule.scheduledAt", "soon"),
            ],
        )
        .await;
    is_page(&missing, 400);
    for field in ["schedule.scheduledAt", "schedule.value"] {
        assert!(
            missing.text.contains(&format!("id=\"{field}-wrong\"")),
            "{field}: {}",
            missing.text
        );
    }
    assert!(
        missing.text.contains("value=\"update_rollout\" selected"),
        "what was typed stays: {}",
        missing.text
    );
    let plan = [
        ("schedule.type", "update_rollout"),
        ("schedule.scheduledAt", "2027-01-04T09:00"),
        ("schedule.value", "25"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&to, &plan).await),
        format!("{path}?done=1")
    );
    let shown = page(&owner, &path).await;
    let row = shown
        .split("<strong>Set percentage</strong>")
        .nth(1)
        .unwrap();
    assert!(
        row.contains("25") && row.contains("2027-01-04T09:00:00.000Z"),
        "{row}"
    );
    let id = row.split("name=\"id\" value=\"").nth(1).unwrap();
    let id = id.split('"').next().unwrap();
    leads_to(&owner.submit(&format!("{to}/delete"), &[("id", id)]).await);
    assert!(page(&owner, &path).await.contains("No schedules yet"));
    app.finish().await;
}

#[actix::test]
async fn target_groups_are_created_and_assigned_to_a_flag() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let list = page(&owner, "/console/target-groups").await;
    assert!(list.contains("No target groups yet"), "{list}");
    let fields = [
        ("websiteId", app.website.as_str()),
        ("name", "Testers <b>"),
        ("color", "#112233"),
        ("rules.0.type", "email"),
        ("rules.0.operator", "ends_with"),
        ("rules.0.value", "@example.com"),
        ("rules.0.answer", "on"),
    ];
    let group = leads_to(&owner.submit("/console/target-groups/new", &fields).await).to_owned();
    let list = page(&owner, "/console/target-groups").await;
    assert!(
        list.contains("Testers &lt;b&gt;") && list.contains("1 rule<"),
        "{list}"
    );
    let path = new_flag(&app, &owner, &[("key", "dark"), ("type", "boolean")]).await;
    let id = group.rsplit('/').next().unwrap();
    let assigned = owner
        .submit(&format!("{path}/groups"), &[("targetGroupIds", id)])
        .await;
    assert_eq!(leads_to(&assigned), format!("{path}?done=1"));
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains(&format!("value=\"{id}\" checked")),
        "{shown}"
    );
    let tested = page(&owner, &format!("{path}?userId=&email=a%40example.com")).await;
    assert!(
        tested.contains("Rule 1 of target group Testers &lt;b&gt; matches and decides."),
        "{tested}"
    );
    let renamed = [("name", "Team"), ("color", "#445566")];
    assert_eq!(
        leads_to(&owner.submit(&group, &renamed).await),
        format!("{group}?done=1")
    );
    let viewer = invited(&app, &owner, "viewer").await;
    let seen = page(&viewer, &group).await;
    assert!(
        seen.contains("<h1>Team</h1>") && !seen.contains("Delete target group"),
        "{seen}"
    );
    is_page(&viewer.submit(&format!("{path}/groups"), &[]).await, 403);
    assert_eq!(
        leads_to(&owner.submit(&format!("{group}/delete"), &[]).await),
        "/console/target-groups"
    );
    let stored = flag(&app, path.rsplit('/').next().unwrap()).await;
    assert_eq!(stored["targetGroupIds"], json!([]));
    app.finish().await;
}
