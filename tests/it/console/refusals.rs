//! No form comes back without a visible message.

use super::alarms::{LOCAL, NEW, new_alert};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn every_refusal_of_a_form_shows_a_message() {
    let app = App::with(LOCAL).await;
    let owner = Browser::owner(&app).await;
    let recipient = "https://93.184.216.34/hook";
    let alert = new_alert("webhook", recipient);
    let with = |more: &[(&'static str, &'static str)]| [&alert[..], more].concat();
    let forms = [
        (NEW, with(&[("destinations.0.id", "none")])),
        (
            NEW,
            with(&[
                ("triggerConditions.monitorIds", "none"),
                ("websiteId", "none"),
            ]),
        ),
        (NEW, with(&[("destinations.0.headers", "Cookie: a")])),
        (NEW, with(&[("triggerConditions.certificateDays", "999")])),
        (NEW, new_alert("carrier-pigeon", recipient).to_vec()),
        (NEW, new_alert("telegram", "7").to_vec()),
        (NEW, vec![("triggerType", "weather"), ("name", "x")]),
        (
            "/console/flags/new",
            vec![("key", "a"), ("type", "weather")],
        ),
        (
            "/console/flags/new",
            vec![("key", "a"), ("websiteId", "none")],
        ),
        (
            "/console/flags/new",
            vec![("key", "a"), ("dependencies", "none")],
        ),
        (
            "/console/flags/new",
            vec![("key", "a"), ("rolloutBy", "planet")],
        ),
        (
            "/console/flags/new",
            vec![
                ("key", "a"),
                ("variants.0.key", "k"),
                ("variants.0.type", "color"),
            ],
        ),
        (
            "/console/links/new",
            vec![("targetUrl", "https://example.com/"), ("folderId", "none")],
        ),
        (
            "/console/links/new",
            vec![
                ("targetUrl", "https://example.com/"),
                ("deepLinkApp", "none"),
            ],
        ),
        (
            "/console/links/new",
            vec![
                ("targetUrl", "https://example.com/"),
                ("countries", "XXX https://example.com/"),
            ],
        ),
        ("/console/keys/new", vec![("name", "A"), ("scopes", "fly")]),
        (
            "/console/keys/new",
            vec![
                ("name", "A"),
                ("scopes", "read:data"),
                ("resources", "none"),
            ],
        ),
        (
            "/console/target-groups/new",
            vec![("name", "A"), ("color", "blue")],
        ),
    ];
    for (path, fields) in forms {
        let refused = owner.submit(path, &fields).await;
        let is_refused = (400..500).contains(&refused.status);
        assert!(
            is_refused,
            "{path} {fields:?}: {} {}",
            refused.status, refused.text
        );
        let is_shown =
            refused.text.contains("class=\"wrong\"") || refused.text.contains("class=\"failure\"");
        assert!(is_shown, "{path} {fields:?}: {}", refused.text);
    }
    app.finish().await;
}
