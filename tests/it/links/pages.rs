//! The pages between a link and its target: the one that opens an app, and the one that previews are drawn of.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{count_clicks, create_link, follow};
use crate::app::{Answer, App};

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
const CRAWLING_PHONE: &str = "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// The text between two marks of a page.
fn between<'a>(page: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = page
        .split_once(before)
        .unwrap_or_else(|| panic!("{before} is not in {page}"));
    rest.split_once(after).unwrap().0
}

/// Whether the browser runs what is in the page, and nothing else.
fn policy_allows_its_own(page: &Answer) {
    let policy = page.header("content-security-policy");
    for (kind, tag) in [("style-src", "style"), ("script-src", "script")] {
        let own = between(&page.text, &format!("<{tag}>"), &format!("</{tag}>"));
        let hash = STANDARD.encode(Sha256::digest(own));
        assert!(
            policy.contains(&format!("{kind} 'sha256-{hash}'")),
            "{policy}"
        );
    }
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
}

#[actix::test]
async fn on_phones_a_link_opens_its_app_and_elsewhere_the_page() {
    let app = App::with("limits.query_requests = 0").await;
    let link = create_link(&app, json!({ "slug": "video", "targetUrl": "https://youtu.be/a-B?t=5&x=%22", "deepLinkApp": "youtube" })).await;
    let id = link["id"].as_str().unwrap();
    let page = follow(&app, "video", &[("user-agent", ANDROID)]).await;
    assert_eq!(page.status, 200, "{}", page.text);
    policy_allows_its_own(&page);
    assert_eq!(
        between(&page.text, "data-app=\"", "\""),
        "vnd.youtube://www.youtube.com/watch?v=a-B"
    );
    let web = format!("https://youtu.be/a-B?t=5&amp;x=%22&amp;ref={id}");
    assert_eq!(between(&page.text, "data-web=\"", "\""), web);
    assert_eq!(
        between(&page.text, "http-equiv=\"refresh\" content=\"0;url=", "\""),
        web
    );
    let plain = format!("https://youtu.be/a-B?t=5&x=%22&ref={id}");
    let computer = follow(&app, "video", &[("sec-gpc", "1")]).await;
    assert_eq!(
        (computer.status, computer.header("location")),
        (302, &*plain)
    );
    let bot = follow(&app, "video", &[("user-agent", CRAWLING_PHONE)]).await;
    assert_eq!(
        (bot.status, bot.header("location")),
        (302, "https://youtu.be/a-B?t=5&x=%22")
    );
    assert_eq!(
        count_clicks(&app, &link).await,
        1,
        "who opens the app has clicked"
    );

    // A target of its own for iPhones comes first, and what the app does not show is a page.
    create_link(&app, json!({ "slug": "two", "targetUrl": "https://youtu.be/a", "iosUrl": "https://apps.example/x", "deepLinkApp": "youtube" })).await;
    let ios = follow(&app, "two", &[("user-agent", IPHONE)]).await;
    assert!(
        ios.header("location").starts_with("https://apps.example/x"),
        "{}",
        ios.text
    );
    create_link(
        &app,
        json!({ "slug": "else", "targetUrl": "https://example.com/", "deepLinkApp": "youtube" }),
    )
    .await;
    assert_eq!(
        follow(&app, "else", &[("user-agent", IPHONE)]).await.status,
        302
    );
    app.finish().await;
}

#[actix::test]
async fn a_preview_is_drawn_of_the_links_own_texts_and_address() {
    let app = App::with("limits.query_requests = 0").await;
    let link = create_link(
        &app,
        json!({ "slug": "sale", "ogTitle": "50 % \"off\" <b>", "ogDescription": "a & b",
        "ogImageUrl": "https://img.example/a.png", "ogVideoUrl": "https://img.example/a.mp4" }),
    )
    .await;
    let page = follow(&app, "sale", &[("user-agent", "facebookexternalhit/1.1")]).await;
    assert_eq!(page.status, 200);
    let meta = |name: &str| {
        between(&page.text, &format!("property=\"{name}\" content=\""), "\"").to_owned()
    };
    assert_eq!(meta("og:title"), "50 % &quot;off&quot; &lt;b&gt;");
    assert_eq!(meta("og:description"), "a &amp; b");
    assert_eq!(meta("og:image"), "https://img.example/a.png");
    assert_eq!(meta("og:video"), "https://img.example/a.mp4");
    assert_eq!(meta("og:url"), link["shortUrl"].as_str().unwrap());
    assert!(
        !page.text.contains("<script") && !page.text.contains("<b>"),
        "{}",
        page.text
    );
    let person = follow(&app, "sale", &[("user-agent", IPHONE)]).await;
    assert_eq!(person.status, 302);
    assert_eq!(count_clicks(&app, &link).await, 1, "previews count nobody");
    // Without texts of its own it is led on like any bot.
    create_link(&app, json!({ "slug": "bare" })).await;
    let bare = follow(&app, "bare", &[("user-agent", "facebookexternalhit/1.1")]).await;
    assert_eq!(
        (bare.status, bare.header("location")),
        (302, "https://example.com/landing")
    );
    app.finish().await;
}

#[actix::test]
async fn failures_have_one_id_in_the_page_and_in_the_head() {
    let app = App::spawn().await;
    create_link(
        &app,
        json!({ "slug": "over", "expiresAt": "2020-01-01T00:00:00Z" }),
    )
    .await;
    for (slug, status, code) in [("nothing", 404, "NOT_FOUND"), ("over", 410, "GONE")] {
        let told = follow(&app, slug, &[("accept", "application/json")]).await;
        assert_eq!((told.status, &told.body["code"]), (status, &json!(code)));
        assert_eq!(
            told.body["requestId"],
            told.header("x-request-id"),
            "{slug}"
        );
        let page = follow(&app, slug, &[]).await;
        assert_eq!(page.status, status);
        assert!(page.header("content-type").starts_with("text/html") && page.text.contains("<h1>"));
        assert!(
            page.header("content-security-policy")
                .starts_with("default-src 'none'")
        );
    }
    app.finish().await;
}
