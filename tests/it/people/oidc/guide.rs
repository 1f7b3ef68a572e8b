//! `docs/sign-in.md`, followed as a new user would: the settings of its first page with what each provider's section says.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Provider, ada};
use crate::{app::App, people::browser::Browser};

const GUIDE: &str = include_str!("../../../../docs/sign-in.md");

/// The sections, with what such a provider says of a person that the usual claims don't.
fn providers() -> [(&'static str, Value); 5] {
    let in_groups = json!({ "groups": ["staff"] });
    [
        (
            "Keycloak",
            json!({ "realm_access": { "roles": ["staff"] } }),
        ),
        ("Authentik", in_groups.clone()),
        ("Google", json!({ "hd": "acme.example" })),
        (
            "Microsoft Entra ID",
            json!({ "email_verified": null, "xms_edov": true, "roles": ["staff"] }),
        ),
        ("Okta", in_groups),
    ]
}

fn section(title: &str) -> &'static str {
    let (_, rest) = GUIDE.split_once(&format!("\n## {title}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// Its name in the settings.
fn name(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

/// The example of the guide for one provider, with the values that its section and the provider give.
fn example(title: &str, provider: &Provider, organization: &str) -> String {
    let (_, rest) = GUIDE.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let section = section(title);
    let given = [
        ("issuer", provider.url.as_str()),
        ("client_id", "pharos"),
        ("client_secret", "a secret: with / signs"),
    ];
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let keys: Vec<_> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(keys, given.map(|(key, _)| key), "{title}");
    let mut settings = String::new();
    for line in example.lines() {
        let key = line.split(" = ").next().unwrap();
        let value = given.iter().find(|(known, _)| *known == key);
        let _ = match (key, value) {
            (_, Some((_, value))) => writeln!(settings, "{key} = \"{value}\""),
            ("name", _) => writeln!(settings, "name = \"{}\"", name(title)),
            ("email_domains", _) => writeln!(settings, "email_domains = [\"acme.example\"]"),
            _ => writeln!(settings, "{line}"),
        };
    }
    if let Some((_, rest)) = section.split_once("set `groups_claim") {
        let setting = rest.split('`').next().unwrap();
        let _ = writeln!(settings, "groups_claim{setting}");
    }
    if section.contains("the scope `groups`") {
        settings.push_str("scopes = \"openid email profile groups\"\n");
    }
    let _ = writeln!(settings, "roles = {{ staff = \"{organization}:member\" }}");
    settings
}

#[actix::test]
async fn each_provider_of_the_guide_signs_people_in_with_its_three_settings() {
    let provider = Provider::start();
    let mut app = App::spawn().await;
    let names = providers().map(|(title, _)| name(title));
    let examples = providers().map(|(title, _)| example(title, &provider, &app.organization));
    app.configure(&examples.concat());
    app.restart().await;
    let page = Browser::new(&app).get("/login").await.text;
    for (number, (title, claims)) in providers().into_iter().enumerate() {
        let name = &names[number];
        let said = section(title);
        let has_groups = !said.contains("sends no groups");
        assert!(page.contains(&format!("/api/auth/oidc/{name}\"")), "{page}");
        let mut account = ada(&[]);
        account["sub"] = json!(number.to_string());
        account["email"] = json!(format!("{number}@acme.example"));
        let body = json!({ "app": app.base, "names": names, "account": account, "tamper": claims });
        provider.control(&body).await;
        let browser = Browser::new(&app);
        let start = format!("/api/auth/oidc/{name}");
        let back = provider.begin(&app, &browser, &start).await;
        let signed_in = browser.get(&back).await;
        assert_eq!(signed_in.status, 303, "{title}: {}", signed_in.text);
        let session = browser.current_session().await;
        assert_eq!(session["user"]["email"], account["email"], "{title}");
        let member = browser
            .get("/api/auth/organization/get-active-member")
            .await;
        let role = member.body["role"].as_str();
        assert_eq!(role, has_groups.then_some("member"), "{title}");
    }
    app.finish().await;
}
