//! Links of other products that come with their domains, and go back with them.

use serde_json::{Value, json};

use super::{get, open, verified};
use crate::{app::App, names::Names};

async fn import(app: &App, format: &str, content: &str) -> Value {
    let body = json!({ "format": format, "content": content });
    let url = format!("{}/imports/applyLinks", app.base);
    let answer = app.post(url, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

#[actix::test]
async fn imported_links_keep_a_verified_domain_and_others_are_named() {
    let names = Names::start();
    let app = open(&names).await;
    verified(
        &app,
        &names,
        &json!({ "host": "go.acme.example", "use": "links" }),
    )
    .await;

    // One slug on three domains: the default one, a verified one, and one that is no domain of the organization's.
    let csv = "domain,shortCode,longUrl\n\
        ,sale,https://usual.example/\n\
        GO.acme.example,sale,https://acme.example/\n\
        s.other.example,sale,https://other.example/\n\
        s.other.example,more,https://other.example/more\n";
    let made = import(&app, "shlink", csv).await;
    assert_eq!(
        (&made["create"], &made["refused"]),
        (&json!(3), &json!(1)),
        "{made}"
    );
    assert_eq!(made["items"][2]["outcome"], "refused", "{made}");
    assert_eq!(made["omitted"][0]["what"], "domain s.other.example");
    let reason = made["omitted"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("its links (1)"), "{reason}");
    for (host, to) in [
        ("127.0.0.1", "https://usual.example/"),
        ("go.acme.example", "https://acme.example/"),
    ] {
        let seen = get(&app.links, host, "/sale").await;
        assert!(
            seen.status == 302 && seen.header("location").starts_with(to),
            "{host}"
        );
    }
    assert_eq!(
        get(&app.links, "go.acme.example", "/more").await.status,
        404
    );

    // The domain of Dub, Bitly and Kutt stands in the short URL.
    for (format, content) in [
        (
            "dub",
            "short link,destination url\nhttps://go.acme.example/dub,https://d.example/\n",
        ),
        (
            "bitly",
            "link,long url\ngo.acme.example/bitly,https://b.example/\n",
        ),
        (
            "kutt",
            r#"{"data":[{"address":"kutt","target":"https://k.example/","link":"https://go.acme.example/kutt"}]}"#,
        ),
    ] {
        let made = import(&app, format, content).await;
        assert_eq!(made["create"], 1, "{made}");
        assert!(made["omitted"].as_array().unwrap().is_empty(), "{made}");
        let again = import(&app, format, content).await;
        assert_eq!(again["exist"], 1, "{again}");
        let seen = get(&app.links, "go.acme.example", &format!("/{format}")).await;
        assert_eq!(seen.status, 302, "{format}");
    }

    let url = format!("{}/v1/export/links?format=shlink", app.base);
    let exported = app.get(url).await;
    let data = exported.body["shortUrls"]["data"].as_array().unwrap();
    let domains: Vec<&str> = data
        .iter()
        .filter_map(|link| link["domain"].as_str())
        .collect();
    assert_eq!(domains, ["go.acme.example"; 4], "{}", exported.text);
    app.finish().await;
}
