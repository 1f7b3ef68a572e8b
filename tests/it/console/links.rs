//! Short links at the console.

use reqwest::redirect::Policy;
use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{Answer, App},
    people::{OPEN, browser::Browser, team::invited},
};

async fn link(app: &App, id: &str) -> Value {
    let url = format!("{}/links/get", app.base);
    app.post(url, &json!({ "id": id })).await.body
}

/// A browser follows a short URL.
async fn follow(app: &App, slug: &str) -> Answer {
    follow_from(app, slug, PERSON, 1).await
}

const PERSON: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
const MACHINE: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/// A browser with this address follows it, according to the proxy.
async fn follow_from(app: &App, slug: &str, agent: &str, address: u8) -> Answer {
    let client = crate::web::builder().redirect(Policy::none());
    let request = client.build().unwrap().get(format!("{}/{slug}", app.links));
    let request = request.header("x-forwarded-for", format!("198.51.100.{address}"));
    Answer::send(request.header("user-agent", agent)).await
}

#[actix::test]
async fn a_link_is_created_followed_changed_and_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let none = page(&owner, "/console/links").await;
    assert!(none.contains("No short links yet"), "{none}");
    page(&owner, "/console/links/new").await;
    let fields = [
        ("targetUrl", "https://example.com/sale?a=b#top"),
        ("slug", "spring"),
        ("name", "Spring <b>sale"),
        ("utm_source", "news letter"),
        ("iosUrl", "https://example.com/ios"),
        ("maxClicks", "10"),
        ("expiresAt", "2026-12-24T18:00"),
        ("tags", "a, b"),
        ("countries", "DE https://example.com/de"),
        ("redirectStatus", "301"),
        ("queryForwarding", "append"),
    ];
    let made = owner.submit("/console/links/new", &fields).await;
    let path = leads_to(&made).to_owned();
    let id = path.rsplit('/').next().unwrap();
    let stored = link(&app, id).await;
    assert_eq!(
        stored["targetUrl"],
        "https://example.com/sale?a=b&utm_source=news+letter#top"
    );
    assert_eq!(stored["expiresAt"], "2026-12-24T18:00:00.000Z");
    assert_eq!(stored["maxClicks"], 10);
    assert_eq!(stored["redirectStatus"], 301);
    assert_eq!(stored["queryForwarding"], "append");
    assert_eq!(stored["tags"], json!(["a", "b"]));

    assert_eq!(follow(&app, "spring").await.status, 301);
    app.platform.as_ref().unwrap().clicks().flush().await;
    let shown = page(&owner, &path).await;
    assert!(shown.contains("1 click in 30 days"), "{shown}");
    assert!(shown.contains("Spring &lt;b&gt;sale"), "{shown}");
    assert!(
        shown.contains("value=\"news letter\"")
            && shown.contains("value=\"https://example.com/sale?a=b#top\""),
        "{shown}"
    );
    assert!(
        shown.contains("<svg class=\"qr\"")
            && shown.contains(&format!("href=\"/links/{id}/qr.svg\"")),
        "{shown}"
    );
    let image = owner.get(&format!("/links/{id}/qr.svg")).await;
    assert_eq!(image.header("content-type"), "image/svg+xml");
    assert!(
        page(&owner, &format!("{path}?days=7"))
            .await
            .contains("1 click in 7 days")
    );

    let change = [
        ("targetUrl", "https://example.com/other"),
        ("slug", "summer"),
        ("name", "Summer"),
        ("password", "open sesame"),
    ];
    let changed = owner.submit(&path, &change).await;
    assert_eq!(leads_to(&changed), format!("{path}?done=1"));
    let stored = link(&app, id).await;
    assert_eq!(stored["slug"], "summer");
    assert_eq!(
        (&stored["maxClicks"], &stored["countries"], &stored["tags"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(stored["hasPassword"], true);
    let shown = page(&owner, &format!("{path}?done=1")).await;
    assert!(
        shown.contains("Saved.") && !shown.contains("sesame"),
        "{shown}"
    );
    let kept = [
        ("targetUrl", "https://example.com/other"),
        ("name", "Summer"),
    ];
    owner.submit(&path, &kept).await;
    assert_eq!(
        link(&app, id).await["hasPassword"],
        true,
        "nobody took it away"
    );
    owner
        .submit(&path, &[kept[0], kept[1], ("clearPassword", "on")])
        .await;
    assert_eq!(link(&app, id).await["hasPassword"], false);
    assert_eq!(
        link(&app, id).await["slug"],
        "summer",
        "an empty slug stays"
    );

    let gone = owner.submit(&format!("{path}/delete"), &[]).await;
    assert_eq!(leads_to(&gone), "/console/links");
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn links_are_found_by_words_and_folder() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = "/console/links/folders";
    assert!(page(&owner, path).await.contains("No folders yet"));
    is_page(&owner.submit(path, &[("name", " ")]).await, 400);
    assert_eq!(
        leads_to(&owner.submit(path, &[("name", "News & Co")]).await),
        path
    );
    let folders = page(&owner, path).await;
    assert!(folders.contains("News &amp; Co"), "{folders}");
    let id = folders
        .split("?folder=")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    for (name, folder) in [("In it", id), ("Loose", "")] {
        let fields = [
            ("targetUrl", "https://example.com/"),
            ("name", name),
            ("folderId", folder),
        ];
        leads_to(&owner.submit("/console/links/new", &fields).await);
    }
    let is_shown = async |query: &str| {
        let list = page(&owner, &format!("/console/links?{query}")).await;
        (list.contains(">In it</a>"), list.contains(">Loose</a>"))
    };
    assert_eq!(is_shown("").await, (true, true));
    assert_eq!(is_shown(&format!("folder={id}")).await, (true, false));
    assert_eq!(is_shown("folder=none").await, (false, true));
    assert_eq!(is_shown("q=loose").await, (false, true));
    assert_eq!(is_shown("q=nothing").await, (false, false));
    assert!(
        page(&owner, "/console/links?q=%3Cscript%3E")
            .await
            .contains("No short links found")
    );
    let renamed = owner
        .submit(
            "/console/links/folders/rename",
            &[("id", id), ("name", "Letters")],
        )
        .await;
    assert_eq!(leads_to(&renamed), path);
    assert!(page(&owner, path).await.contains("Letters"));
    leads_to(
        &owner
            .submit("/console/links/folders/delete", &[("id", id)])
            .await,
    );
    assert_eq!(is_shown("folder=none").await, (true, true));
    app.finish().await;
}

#[actix::test]
async fn a_list_has_pages() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let links: Vec<Value> = (0..30)
        .map(|number| json!({ "name": format!("Number {number}."), "targetUrl": "https://example.com/" }))
        .collect();
    let made = app
        .post(
            format!("{}/links/bulkCreate", app.base),
            &json!({ "links": links }),
        )
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let first = page(&owner, "/console/links").await;
    let second = page(&owner, "/console/links?page=2").await;
    assert!(first.contains("/console/links?page=2"), "{first}");
    assert!(
        second.contains("/console/links?page=1") && !second.contains("page=3"),
        "{second}"
    );
    let count = |text: &str| text.matches(">Number ").count();
    assert_eq!((count(&first), count(&second)), (25, 5));
    app.finish().await;
}

#[actix::test]
async fn problems_of_a_link_are_beside_their_field() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let send = async |browser: &Browser<'_>, fields: &[(&str, &str)]| {
        browser.submit("/console/links/new", fields).await
    };
    let wrong = send(
        &owner,
        &[
            ("targetUrl", "data:text/html,x"),
            ("name", "\"><script>alert(1)</script>"),
            ("slug", ""),
        ],
    )
    .await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"targetUrl-wrong\""),
        "{}",
        wrong.text
    );
    assert!(
        wrong.text.contains("&quot;&gt;&lt;script&gt;"),
        "what was typed stays: {}",
        wrong.text
    );
    let many = send(
        &owner,
        &[
            ("targetUrl", "https://example.com"),
            ("name", "A"),
            ("maxClicks", "many"),
            ("expiresAt", "soon"),
        ],
    )
    .await;
    is_page(&many, 400);
    for field in ["maxClicks", "expiresAt"] {
        assert!(
            many.text.contains(&format!("id=\"{field}-wrong\"")),
            "{}",
            many.text
        );
    }
    let viewer = invited(&app, &owner, "viewer").await;
    let refused = send(
        &viewer,
        &[("targetUrl", "https://example.com"), ("name", "A")],
    )
    .await;
    is_page(&refused, 403);
    let made = send(
        &owner,
        &[
            ("targetUrl", "https://example.com"),
            ("name", "A"),
            ("slug", "taken"),
        ],
    )
    .await;
    let path = leads_to(&made).to_owned();
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains("Delete link") && !seen.contains("name=\"targetUrl\""),
        "{seen}"
    );
    let again = send(
        &owner,
        &[
            ("targetUrl", "https://example.com"),
            ("name", "B"),
            ("slug", "taken"),
        ],
    )
    .await;
    is_page(&again, 409);
    let bad = owner
        .submit(&path, &[("targetUrl", ""), ("name", "A")])
        .await;
    is_page(&bad, 400);
    app.finish().await;
}

#[actix::test]
async fn the_list_shows_the_clicks_of_each_link() {
    let proxied = format!("{OPEN}\nserver.trusted_proxies = [\"127.0.0.0/8\"]\n");
    let app = App::with(&proxied).await;
    let owner = Browser::owner(&app).await;
    for (slug, times) in [("often", 3), ("once", 1), ("never", 0)] {
        let fields = [("targetUrl", "https://example.com/"), ("slug", slug)];
        leads_to(&owner.submit("/console/links/new", &fields).await);
        for address in 1..=times {
            let followed = follow_from(&app, slug, PERSON, address).await;
            let target = followed.header("location");
            assert!(target.starts_with("https://example.com/"), "{target}");
        }
    }
    follow_from(&app, "once", MACHINE, 9).await;
    // Other organizations have links of their own.
    let eve = Browser::signed_up(&app, "eve").await;
    eve.submit("/console/organization/new", &[("name", "Eve's")])
        .await;
    let fields = [("targetUrl", "https://example.com/"), ("slug", "eves")];
    leads_to(&eve.submit("/console/links/new", &fields).await);
    follow(&app, "eves").await;
    app.platform.as_ref().unwrap().clicks().flush().await;
    let clicks = |list: &str, slug: &str| {
        let row = list
            .split("<tr>")
            .find(|row| row.contains(&format!("/{slug}<")));
        let row = row.unwrap_or_else(|| panic!("{slug}: {list}"));
        let cell = row.split("data-label=\"Clicks\">").nth(1).unwrap();
        cell.split('<').next().unwrap().to_owned()
    };
    let list = page(&owner, "/console/links").await;
    for (slug, times) in [("often", "3"), ("once", "1"), ("never", "0")] {
        assert_eq!(clicks(&list, slug), times, "{slug}");
    }
    assert!(!list.contains("/eves"), "{list}");
    assert_eq!(clicks(&page(&eve, "/console/links").await, "eves"), "1");
    app.finish().await;
}

#[actix::test]
async fn a_destination_without_a_scheme_gets_https() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = [("targetUrl", "example.com/sale"), ("slug", "bare")];
    let path = leads_to(&owner.submit("/console/links/new", &fields).await).to_owned();
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(
        link(&app, id).await["targetUrl"],
        "https://example.com/sale"
    );
    let wrong = [("targetUrl", "sale"), ("slug", "nowhere")];
    let wrong = owner.submit("/console/links/new", &wrong).await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("Enter a full URL, such as"),
        "{}",
        wrong.text
    );
    let list = page(&owner, "/console/links").await;
    let copy = format!("data-copy hidden aria-label=\"Copy {}/bare\"", app.links);
    assert!(list.contains(&copy), "{list}");
    app.finish().await;
}

#[actix::test]
async fn a_preview_shows_the_qr_code_and_the_social_card() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, "/console/links/new").await;
    assert!(
        form.contains("data-link-preview=\"/console/links/preview\""),
        "{form}"
    );
    let query =
        "slug=spring&targetUrl=example.com%2Fa&ogTitle=%3Cb%3ESale&ogDescription=Half+price";
    let preview = page(&owner, &format!("/console/links/preview?{query}")).await;
    assert!(
        preview.contains("&lt;b&gt;Sale") && preview.contains("Half price"),
        "{preview}"
    );
    assert!(
        preview.contains(&format!("QR code of {}/spring", app.links)),
        "{preview}"
    );
    assert!(preview.contains("example.com</p>"), "{preview}");
    let blank = page(&owner, "/console/links/preview").await;
    assert!(
        !blank.contains("<svg class=\"qr\""),
        "no slug, no code: {blank}"
    );
    let fields = [
        ("targetUrl", "example.com"),
        ("slug", "spring"),
        ("ogTitle", "Sale"),
    ];
    let path = leads_to(&owner.submit("/console/links/new", &fields).await).to_owned();
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("Social preview") && shown.contains("<strong>Sale</strong>"),
        "{shown}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_link_shows_its_referrers_over_time_and_a_map() {
    let app =
        App::with("server.trusted_proxies = ['127.0.0.1/32']\ngeo.country_header = 'x-country'\n")
            .await;
    let owner = Browser::owner(&app).await;
    let fields = [("targetUrl", "https://example.com/"), ("slug", "news")];
    let path = leads_to(&owner.submit("/console/links/new", &fields).await).to_owned();
    let client = crate::web::builder().redirect(Policy::none());
    let request = client.build().unwrap().get(format!("{}/news", app.links));
    let request = request
        .header("user-agent", PERSON)
        .header("x-forwarded-for", "198.51.100.7")
        .header("x-country", "DE");
    let followed = Answer::send(request.header("referer", "https://news.example/a")).await;
    assert_eq!(followed.status, 302);
    app.platform.as_ref().unwrap().clicks().flush().await;
    let shown = page(&owner, &path).await;
    let over_time = shown.split("Referrers over time").nth(1);
    let over_time = over_time.unwrap_or_else(|| panic!("{shown}"));
    assert!(
        over_time.contains("news.example<span class=\"dim\"> 1 click"),
        "{over_time}"
    );
    assert!(
        over_time.contains("Clicks from news.example"),
        "{over_time}"
    );
    assert!(
        shown.contains("aria-label=\"Clicks by country\"") && shown.contains("Germany: 1 click"),
        "{shown}"
    );
    app.finish().await;
}
