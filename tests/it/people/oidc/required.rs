//! Organizations that require a provider.

use serde_json::{Value, json};

use super::{Provider, require};
use crate::{app::App, people::browser::Browser, process::pharos};

/// The owner, signed in at the provider.
async fn owner_at<'a>(provider: &Provider, app: &'a App) -> Browser<'a> {
    let owner = json!({ "sub": "o", "email": app.email, "email_verified": true });
    provider.signed_in(app, &owner).await
}

async fn works_in(browser: &Browser<'_>) -> Value {
    browser.current_session().await["session"]["activeOrganizationId"].clone()
}

#[actix::test]
async fn an_organization_lets_its_members_in_only_with_its_provider() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("email_domains = ['localhost']")).await;
    let with_password = Browser::owner(&app).await;
    // Who cannot sign in there must not lock everybody out.
    assert_eq!(require(&with_password, Some("test")).await, 403);
    let at_provider = owner_at(&provider, &app).await;
    for other in ["other", "", "-", "\u{d5a78}n", "ß"] {
        assert_eq!(require(&at_provider, Some(other)).await, 403, "{other:?}");
    }
    assert_eq!(require(&at_provider, Some("test")).await, 200);

    // Sessions that began in another way lose the organization at once, also by its ID.
    assert_eq!(works_in(&at_provider).await, app.organization);
    assert_eq!(works_in(&with_password).await, Value::Null);
    let body = json!({ "organizationId": app.organization });
    for path in ["get-full-organization", "list-members"] {
        let path = format!(
            "/api/auth/organization/{path}?organizationId={}",
            app.organization
        );
        assert_eq!(with_password.get(&path).await.status, 404, "{path}");
    }
    for path in ["leave", "delete", "require-provider"] {
        let path = format!("/api/auth/organization/{path}");
        assert_eq!(with_password.post(&path, &body).await.status, 404, "{path}");
    }
    let list = json!({ "organizationId": app.organization });
    assert_eq!(
        with_password.post("/websites/list", &list).await.status,
        404
    );
    let refused = Browser::new(&app).sign_in(&app.email, &app.password).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(
        refused.text.contains("requires you to sign in with Test"),
        "{}",
        refused.text
    );

    assert_eq!(require(&at_provider, None).await, 200);
    Browser::owner(&app).await;
    app.finish().await;
}

#[actix::test]
async fn the_operator_lets_an_owner_in_with_the_password() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("email_domains = ['localhost']")).await;
    let at_provider = owner_at(&provider, &app).await;
    assert_eq!(require(&at_provider, Some("test")).await, 200);
    let break_glass = |more: &[&str]| {
        let ended = pharos(app.directory())
            .args(["user", "break-glass", "--email", &app.email])
            .args(more)
            .env("PHAROS__STORAGE__DATA_DIR", app.directory())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{said}");
    };
    break_glass(&[]);
    assert_eq!(
        works_in(&Browser::owner(&app).await).await,
        app.organization
    );
    break_glass(&["--remove"]);
    let refused = Browser::new(&app).sign_in(&app.email, &app.password).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert_eq!(works_in(&at_provider).await, app.organization);
    app.finish().await;
}
