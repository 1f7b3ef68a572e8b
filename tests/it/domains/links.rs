//! Short links on hosts of their own.

use serde_json::{Value, json};

use super::{get, open, remove, verified};
use crate::{app::App, names::Names};

async fn create(app: &App, body: &Value) -> crate::app::Answer {
    app.post(format!("{}/links/create", app.base), body).await
}

fn link(domain: Option<&str>, slug: &str, to: &str) -> Value {
    json!({ "name": slug, "slug": slug, "domain": domain, "targetUrl": to })
}

#[actix::test]
async fn each_host_has_slugs_of_its_own_and_the_usual_one_stays() {
    let names = Names::start();
    let app = open(&names).await;
    for host in ["go.acme.example", "l.other.example"] {
        verified(&app, &names, &json!({ "host": host, "use": "links" })).await;
    }
    let mut made = Vec::new();
    for (domain, to) in [
        (None, "https://usual.example/"),
        (Some("go.acme.example"), "https://acme.example/"),
        (Some("l.other.example"), "https://other.example/"),
    ] {
        let answer = create(&app, &link(domain, "sale", to)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        made.push(answer.body);
    }
    assert_eq!(made[1]["shortUrl"], "http://go.acme.example/sale");
    assert_eq!(
        (&made[1]["domain"], &made[0]["domain"]),
        (&json!("go.acme.example"), &Value::Null)
    );
    let taken = create(
        &app,
        &link(Some("go.acme.example"), "sale", "https://x.example/"),
    )
    .await;
    assert_eq!(taken.status, 409, "{}", taken.text);

    // Through the listener of links, and through the one listener that serves everything.
    for at in [&app.links, &app.base] {
        for (host, to) in [
            ("go.acme.example", "https://acme.example/"),
            ("l.other.example:8443", "https://other.example/"),
        ] {
            let seen = get(at, host, "/sale").await;
            assert_eq!(seen.status, 302, "{host}: {}", seen.text);
            assert!(
                seen.header("location").starts_with(to),
                "{}",
                seen.header("location")
            );
        }
    }
    assert!(
        get(&app.links, "127.0.0.1", "/sale")
            .await
            .header("location")
            .starts_with("https://usual.example/")
    );
    for path in ["/other", "//x/sale", "/%2F%2Fx%2Fsale"] {
        assert_eq!(
            get(&app.links, "go.acme.example", path).await.status,
            404,
            "{path}"
        );
    }
    // The key of a hosted link is no path of another host.
    let id = app
        .post(format!("{}/domains/list", app.base), &json!({}))
        .await
        .body[0]["id"]
        .clone();
    let path = format!("//{}/sale", id.as_str().unwrap());
    assert_eq!(get(&app.links, "127.0.0.1", &path).await.status, 404);

    app.platform.as_ref().unwrap().clicks().flush().await;
    let body = json!({ "parameters": ["link_total_clicks"], "startDate": "2020-01-01", "endDate": "2026-12-31" });
    let url = format!(
        "{}/v1/query?link_id={}",
        app.base,
        made[1]["id"].as_str().unwrap()
    );
    let counted = app.post(url, &body).await;
    assert_eq!(
        counted.rows(0)[0]["total"],
        1,
        "one visitor counts once: {}",
        counted.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_link_moves_between_hosts_and_leads_to_none_of_them() {
    let names = Names::start();
    let mut app = open(&names).await;
    let id = verified(
        &app,
        &names,
        &json!({ "host": "go.acme.example", "use": "links" }),
    )
    .await;
    let made = create(
        &app,
        &link(Some("GO.acme.example"), "sale", "https://acme.example/"),
    )
    .await;
    let update = |app: &App, body: Value| {
        let mut body = body;
        body["id"] = made.body["id"].clone();
        let url = format!("{}/links/update", app.base);
        let (http, key) = (app.http.clone(), app.key.clone());
        async move {
            crate::app::Answer::send(http.post(url).header("x-api-key", key).json(&body)).await
        }
    };
    let renamed = update(&app, json!({ "name": "other name" })).await;
    assert_eq!(
        renamed.body["domain"], "go.acme.example",
        "what is not named stays"
    );
    let refused = remove(&app, &id).await;
    assert_eq!(
        refused.status, 409,
        "its links would be lost: {}",
        refused.text
    );
    let moved = update(&app, json!({ "domain": null })).await;
    assert_eq!(moved.body["domain"], Value::Null, "{}", moved.text);
    assert_eq!(
        get(&app.links, "go.acme.example", "/sale").await.status,
        404
    );
    assert_eq!(get(&app.links, "127.0.0.1", "/sale").await.status, 302);
    let back = update(
        &app,
        json!({ "domain": "go.acme.example", "slug": "sale2" }),
    )
    .await;
    assert_eq!(
        back.body["shortUrl"], "http://go.acme.example/sale2",
        "{}",
        back.text
    );

    app.restart().await;
    assert_eq!(
        get(&app.links, "go.acme.example", "/sale2").await.status,
        302,
        "kept by a restart"
    );
    for (domain, to, field) in [
        (Some("nobody.example"), "https://a.example/", "domain"),
        (None, "https://go.acme.example/x", "targetUrl"),
        (None, "http://GO.ACME.example.:8080/x", "targetUrl"),
    ] {
        let refused = create(&app, &link(domain, "wrong", to)).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(field), "{}", refused.text);
    }
    update(&app, json!({ "domain": null })).await;
    assert_eq!(remove(&app, &id).await.status, 200);
    app.finish().await;
}
