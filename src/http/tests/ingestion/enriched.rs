//! What a view is known to be of: the browser, the place and the source of traffic, as the engine has them afterwards.

use super::*;
use crate::http::edge::Proxies;

const DESKTOP: (&str, &str) = ("user-agent", CHROME);

impl TestApp {
    /// Sends a view with these headers and further fields; what is stored of it under `columns`.
    async fn send_view(
        &self,
        number: usize,
        headers: &[(&str, &str)],
        more: &Value,
        columns: &str,
    ) -> String {
        let mut view = page(&number.to_string());
        let fields = view.as_object_mut().unwrap();
        fields.insert("path".into(), json!(format!("http://localhost/{number}")));
        fields.extend(more.as_object().unwrap().clone());
        let path = self.path("/?client_id=ID");
        let answer = self.track(&path, headers, &view).await;
        assert_eq!(
            answer.json(),
            json!({"status": "success", "type": "track"}),
            "{view}"
        );
        let columns: Vec<String> = columns
            .split(' ')
            .map(|column| format!("coalesce({column}, '-')"))
            .collect();
        let told = columns.join(" || ' | ' || ");
        let rows = self.stored(&format!("path || ': ' || {told}")).await;
        let start = format!("/{number}: ");
        let row = rows.iter().find_map(|row| row.strip_prefix(&start));
        row.unwrap_or_else(|| panic!("{start} is not in {rows:?}"))
            .to_owned()
    }
}

#[actix::test]
async fn browsers_systems_and_devices_have_names_and_versions() {
    let app = TestApp::open().await;
    let columns =
        "browser_name browser_version os_name os_version device_type device_brand device_model";
    let told = [
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
            "Mobile Safari | 17.5 | iOS | 17.5 | mobile | Apple | iPhone",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Safari/605.1.15",
            "Safari | 17.4.1 | macOS | 10.15.7 | desktop | Apple | Mac",
        ),
        (CHROME, "Chrome | 126 | Windows | 10 | desktop | - | -"),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "Firefox | 128 | Linux | - | desktop | - | -",
        ),
        (
            "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
            "Chrome Mobile | 126 | Android | 14 | mobile | Google | Pixel 8",
        ),
        ("curl/8.5.0", "curl | 8.5 | - | - | - | - | -"),
    ];
    let mut found = Vec::new();
    for (number, (agent, _)) in told.into_iter().enumerate() {
        let headers = [("user-agent", agent)];
        found.push((
            agent,
            app.send_view(number, &headers, &json!({}), columns).await,
        ));
    }
    assert_eq!(
        found,
        told.map(|(agent, expected)| (agent, expected.to_owned()))
    );
    app.close().await;
}

#[actix::test]
async fn the_built_in_table_knows_the_country_of_a_forwarded_address() {
    let options = Options {
        proxies: Proxies {
            trusted: vec!["192.0.2.0/24".parse().unwrap()],
            ..Proxies::default()
        },
        ..Options::default()
    };
    let app = TestApp::with(Limits::default(), options).await;
    for (number, (address, expected)) in [
        ("193.0.6.139", "NL | - | -"),
        ("2001:4860:4860::8888", "US | - | -"),
        ("::ffff:193.0.6.139", "NL | - | -"),
        ("10.1.2.3", "- | - | -"),
        ("::1", "- | - | -"),
    ]
    .into_iter()
    .enumerate()
    {
        let headers = [DESKTOP, ("x-forwarded-for", address)];
        let found = app
            .send_view(number, &headers, &json!({}), "country region city")
            .await;
        assert_eq!(found, expected, "{address}");
    }
    app.close().await;
}

#[actix::test]
async fn sources_are_told_by_registrable_domain_and_campaign() {
    let app = TestApp::open().await;
    let columns = "source channel referrer_domain utm_campaign click_id";
    for (number, (query, referrer, expected)) in [
        ("", "direct", "- | direct | - | - | -"),
        (
            "",
            "https://www.google.com/search?q=x",
            "Google | search | google.com | - | -",
        ),
        (
            "",
            "https://news.google.co.uk/",
            "Google | search | google.co.uk | - | -",
        ),
        // What only contains or begins with a known name is another.
        (
            "",
            "https://notgoogle.com/",
            "notgoogle.com | referral | notgoogle.com | - | -",
        ),
        (
            "",
            "https://google.com.evil.example/",
            "evil.example | referral | evil.example | - | -",
        ),
        (
            "",
            "https://evil.example/google.com",
            "evil.example | referral | evil.example | - | -",
        ),
        (
            "",
            "https://l.facebook.com/l.php",
            "Facebook | social | facebook.com | - | -",
        ),
        (
            "",
            "https://chatgpt.com/",
            "ChatGPT | ai | chatgpt.com | - | -",
        ),
        (
            "?utm_source=news&utm_medium=email&utm_campaign=May",
            "",
            "news | email | - | May | -",
        ),
        (
            "?utm_source=google&utm_medium=cpc",
            "https://www.google.com/",
            "Google | paid | google.com | - | -",
        ),
        (
            "?utm_source=partner",
            "https://www.google.com/",
            "partner | campaign | google.com | - | -",
        ),
        (
            "?gclid=secret",
            "https://www.google.com/",
            "Google | paid | google.com | - | gclid",
        ),
        ("?msclkid=secret", "", "Bing | paid | - | - | msclkid"),
        (
            "?fbclid=secret",
            "https://l.facebook.com/",
            "Facebook | social | facebook.com | - | fbclid",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let more =
            json!({"path": format!("http://localhost/{number}{query}"), "referrer": referrer});
        let found = app.send_view(number, &[DESKTOP], &more, columns).await;
        assert_eq!(found, expected, "{query} {referrer}");
    }
    let everything = app.stored("concat_ws(' ', path, referrer, source, click_id, properties)");
    let everything = everything.await.join("\n");
    assert!(!everything.contains("secret"), "{everything}");
    app.close().await;
}
