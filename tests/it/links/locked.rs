//! Links with a password reveal their target only with it.

use std::time::Duration;

use serde_json::{Value, json};

use super::{count_clicks, create_link, follow};
use crate::app::{Answer, App};

const PROXY: &str = "server.trusted_proxies = ['127.0.0.1/32']\nlimits.query_requests = 0";
const FORM: &str = "application/x-www-form-urlencoded";
const SECRET: &str = "https://secret.example/page";

/// Says a password, as browsers do.
async fn say(app: &App, slug: &str, password: &str, headers: &[(&str, &str)]) -> Answer {
    let body: String = format!("password={}", password.replace(' ', "+"));
    let headers: Vec<_> = headers
        .iter()
        .copied()
        .chain([("content-type", FORM)])
        .collect();
    let mut request = super::client()
        .post(format!("{}/{slug}", app.links))
        .body(body);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    Answer::send(request).await
}

fn cookie(answer: &Answer) -> String {
    let whole = answer.header("set-cookie");
    whole.split(';').next().unwrap().to_owned()
}

async fn change(app: &App, link: &Value, fields: Value) -> Value {
    let mut body = fields;
    body["id"] = link["id"].clone();
    let answer = app.post(format!("{}/links/update", app.base), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

#[actix::test]
async fn who_knows_the_password_is_led_on_for_an_hour_and_nobody_else() {
    let app = App::with(PROXY).await;
    let fields = json!({ "slug": "vault", "targetUrl": SECRET, "password": "open sesame", "ogTitle": "A vault" });
    let link = create_link(&app, fields).await;
    let shown = app
        .post(
            format!("{}/links/get", app.base),
            &json!({ "id": link["id"] }),
        )
        .await;
    let listed = app
        .post(format!("{}/links/list", app.base), &json!({}))
        .await;
    let table = app
        .post(format!("{}/links/exportCsv", app.base), &json!({}))
        .await;
    assert_eq!(shown.body["hasPassword"], true);
    for text in [link.to_string(), shown.text, listed.text, table.text] {
        assert!(
            !text.contains("sesame") && !text.contains("argon2"),
            "{text}"
        );
    }

    let page = follow(&app, "vault", &[]).await;
    assert_eq!(page.status, 403);
    assert!(
        page.text.contains("<form method=\"post\">") && page.text.contains("type=\"password\"")
    );
    let policy = page.header("content-security-policy").to_owned();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("script-src"),
        "{policy}"
    );
    assert_eq!(page.header("cache-control"), "private, no-store");
    let refused = follow(&app, "vault", &[("accept", "application/json")]).await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (403, &json!("PASSWORD_REQUIRED"))
    );
    assert_eq!(refused.body["requestId"], refused.header("x-request-id"));
    let wrong = say(&app, "vault", "open barley", &[]).await;
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("role=\"alert\"") && wrong.header("set-cookie").is_empty());
    let preview = follow(&app, "vault", &[("user-agent", "Twitterbot/1.0")]).await;
    assert!(
        preview.status == 200 && preview.text.contains("A vault"),
        "{}",
        preview.text
    );
    for answer in [&page, &refused, &wrong, &preview] {
        let told = format!("{:?} {}", answer.headers, answer.text);
        assert!(!told.contains("secret.example"), "{told}");
    }
    assert_eq!(
        count_clicks(&app, &link).await,
        0,
        "nobody was led anywhere"
    );

    let right = say(&app, "vault", "open sesame", &[]).await;
    assert_eq!((right.status, right.header("location")), (303, "/vault"));
    let set = right.header("set-cookie");
    assert!(
        set.ends_with("; Path=/vault; Max-Age=3600; HttpOnly; SameSite=Lax"),
        "{set}"
    );
    let pass = cookie(&right);
    let json = say(
        &app,
        "vault",
        "open sesame",
        &[("accept", "application/json")],
    )
    .await;
    assert_eq!((json.status, &json.body["success"]), (200, &json!(true)));
    assert!(json.header("set-cookie").starts_with("pharos_link="));
    let led = follow(&app, "vault", &[("cookie", &pass)]).await;
    assert_eq!(
        (led.status, led.header("location")),
        (
            302,
            &*format!("{SECRET}?ref={}", link["id"].as_str().unwrap())
        )
    );
    assert_eq!(count_clicks(&app, &link).await, 1);

    // A pass is of its own link, of its own password, and of its own hour.
    create_link(
        &app,
        json!({ "slug": "other", "targetUrl": SECRET, "password": "open sesame" }),
    )
    .await;
    let forged = format!("{}0", &pass[..pass.len() - 1]);
    let longer = pass.replacen("pharos_link=", "pharos_link=f", 1);
    let status =
        async |slug: &str, pass: &str| follow(&app, slug, &[("cookie", pass)]).await.status;
    assert_eq!(status("other", &pass).await, 403);
    if forged != pass {
        assert_eq!(status("vault", &forged).await, 403);
    }
    assert_eq!(status("vault", &longer).await, 403);
    assert_eq!(status("vault", &pass).await, 302);
    app.clock.advance(Duration::from_millis(3_599_999));
    assert_eq!(status("vault", &pass).await, 302);
    app.clock.advance(Duration::from_millis(1));
    assert_eq!(status("vault", &pass).await, 403);
    let pass = cookie(&say(&app, "vault", "open sesame", &[]).await);
    assert_eq!(status("vault", &pass).await, 302);
    change(&app, &link, json!({ "name": "still locked" })).await;
    assert_eq!(status("vault", &pass).await, 302);
    change(&app, &link, json!({ "password": "another one" })).await;
    assert_eq!(status("vault", &pass).await, 403);
    let open = change(&app, &link, json!({ "password": null })).await;
    assert_eq!(
        (&open["hasPassword"], status("vault", "").await),
        (&json!(false), 302)
    );
    assert_eq!(say(&app, "vault", "another one", &[]).await.status, 405);
    app.finish().await;
}

/// Tries of one address that say the right password are no guesses, and a network's first three are counted apart.
#[actix::test]
async fn a_password_is_guessed_ten_times_by_an_address_and_a_hundred_times_by_all() {
    let app = App::with(PROXY).await;
    create_link(&app, json!({ "slug": "vault", "password": "open sesame" })).await;
    let from = async |address: String, password: &str| {
        let answer = say(&app, "vault", password, &[("x-forwarded-for", &address)]).await;
        if answer.status == 429 {
            assert!(answer.header("retry-after").parse::<u64>().unwrap() > 0);
        }
        answer.status
    };
    for guess in 0..10 {
        assert_eq!(
            from("198.51.100.1".into(), &format!("guess {guess}")).await,
            403
        );
    }
    assert_eq!(
        from("198.51.100.1".into(), "open sesame").await,
        429,
        "also when it is right"
    );
    // Seven of its ten were no first tries any more; 93 are left of the hundred.
    for guess in 0..3 + 93 {
        // All of a /64 is one address, and all of a /48 one network.
        assert_eq!(
            from(format!("2001:db8:0:{guess:x}::1"), "guess").await,
            403,
            "{guess}"
        );
    }
    assert_eq!(
        from("2001:db8:0:ffff::1".into(), "open sesame").await,
        429,
        "the hundred of all are used up, and the network's own tries"
    );
    for _ in 0..20 {
        assert_eq!(from("198.51.100.3".into(), "open sesame").await, 303);
    }
    for guess in 0..3 {
        assert_eq!(from("198.51.100.4".into(), "guess").await, 403, "{guess}");
    }
    assert_eq!(from("198.51.100.4".into(), "open sesame").await, 429);
    app.clock.advance(Duration::from_mins(15));
    assert_eq!(from("198.51.100.1".into(), "open sesame").await, 303);
    app.finish().await;
}

#[actix::test]
async fn what_is_no_password_is_refused_in_every_spelling() {
    let app = App::with(PROXY).await;
    create_link(&app, json!({ "slug": "vault", "password": "open sesame" })).await;
    create_link(&app, json!({ "slug": "open" })).await;
    let http = super::client();
    let long = format!("password={}", "a".repeat(5_000));
    for (slug, media, body, status) in [
        ("vault", FORM, "", 400),
        ("vault", FORM, "word=open+sesame", 400),
        ("vault", FORM, &*long, 400),
        ("vault", "application/json", "{", 400),
        ("vault", "application/json", r#"{"password": 5}"#, 400),
        (
            "vault",
            "application/json",
            r#"{"password": "open barley"}"#,
            403,
        ),
        (
            "vault",
            "application/json",
            r#"{"password": "open sesame"}"#,
            303,
        ),
        ("vault", FORM, "password=open%20sesame", 303),
        ("open", FORM, "password=open+sesame", 405),
        ("nothing", FORM, "password=open+sesame", 404),
    ] {
        let url = format!("{}/{slug}", app.links);
        let request = http
            .post(url)
            .header("content-type", media)
            .body(body.to_owned());
        assert_eq!(
            Answer::send(request).await.status,
            status,
            "{slug} {media} {body:.40}"
        );
    }
    let create = async |password: Value| {
        let body = json!({ "name": "a", "targetUrl": SECRET, "password": password });
        app.post(format!("{}/links/create", app.base), &body).await
    };
    for password in ["abc".to_owned(), "a".repeat(129)] {
        let refused = create(json!(password)).await;
        assert_eq!(refused.status, 400);
        assert_eq!(
            refused.body["data"]["issues"][0]["path"],
            json!(["password"]),
            "{}",
            refused.text
        );
    }
    for password in [json!(7), json!(["open sesame"])] {
        assert_eq!(create(password).await.status, 400);
    }
    app.finish().await;
}

/// Guesses from a few addresses do not lock visitors of other addresses out.
#[actix::test]
async fn a_few_addresses_lock_nobody_else_out_of_a_link() {
    let app = App::with(PROXY).await;
    create_link(&app, json!({ "slug": "vault", "password": "open sesame" })).await;
    let from = async |address: String, password: &str| {
        let forwarded = [("x-forwarded-for", address.as_str())];
        say(&app, "vault", password, &forwarded).await.status
    };
    for address in 0..15 {
        for _ in 0..10 {
            from(format!("198.51.100.{address}"), "guess").await;
        }
    }
    for visitor in 0..5 {
        assert_eq!(
            from(format!("203.0.113.{visitor}"), "open sesame").await,
            303,
            "{visitor}"
        );
    }
    app.finish().await;
}

/// Passwords of new links are hashed apart from those that visitors say.
#[actix::test]
async fn imports_of_links_with_passwords_keep_no_visitor_waiting() {
    let app = App::with(PROXY).await;
    create_link(&app, json!({ "slug": "vault", "password": "open sesame" })).await;
    let done = std::cell::Cell::new(false);
    let importing = async {
        let imports = (0..24).map(|_| {
            let link =
                json!({ "name": "a", "targetUrl": SECRET, "password": "four words are enough" });
            let (app, links) = (&app, json!({ "links": vec![link; 3] }));
            async move {
                let url = format!("{}/links/bulkCreate", app.base);
                app.post(url, &links).await.status
            }
        });
        let imported = futures_util::future::join_all(imports).await;
        done.set(true);
        imported
    };
    let visiting = async {
        let mut seen = Vec::new();
        while !done.get() {
            let address = format!("203.0.113.{}", seen.len() % 250);
            let said = say(
                &app,
                "vault",
                "open sesame",
                &[("x-forwarded-for", &address)],
            )
            .await;
            seen.push(said.status);
        }
        seen
    };
    let (imported, seen) = futures_util::future::join(importing, visiting).await;
    assert!(imported.contains(&200), "{imported:?}");
    assert!(seen.iter().all(|status| *status == 303), "{seen:?}");
    app.finish().await;
}
