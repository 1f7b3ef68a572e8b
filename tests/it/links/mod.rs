//! Short links as the people behind them meet them: every click known, none invented.

mod clicks;
mod conversions;
mod drill;
mod forwarding;
mod hostile;
mod landing;
mod leftovers;
mod locked;
mod oracle;
mod pages;
mod uncounted;

use serde_json::{Value, json};

use crate::app::{Answer, App};

/// A client that shows where it is led.
fn client() -> reqwest::Client {
    let client = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

/// Follows a link, as the browser of a computer unless the headers say otherwise.
async fn follow(app: &App, path: &str, headers: &[(&str, &str)]) -> Answer {
    let usual = [
        (
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
        ),
        ("accept-language", "en"),
    ];
    let said = |name: &str| headers.iter().any(|(own, _)| *own == name);
    let mut request = client().get(format!("{}/{path}", app.links));
    for (name, value) in usual
        .into_iter()
        .filter(|(name, _)| !said(name))
        .chain(headers.iter().copied())
    {
        request = request.header(name, value);
    }
    Answer::send(request).await
}

/// How many people have followed a link until now.
async fn count_clicks(app: &App, link: &Value) -> u64 {
    app.platform.as_ref().unwrap().clicks().flush().await;
    let body = json!({ "parameters": ["link_total_clicks"], "startDate": "2020-01-01", "endDate": "2026-12-31" });
    let url = format!(
        "{}/v1/query?link_id={}",
        app.base,
        link["id"].as_str().unwrap()
    );
    app.post(url, &body).await.rows(0)[0]["total"]
        .as_u64()
        .unwrap()
}

/// Makes a link.
async fn create_link(app: &App, fields: Value) -> Value {
    let mut body = json!({ "name": "a link", "targetUrl": "https://example.com/landing" });
    let fields = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(fields);
    let answer = app.post(format!("{}/links/create", app.base), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

#[actix::test]
async fn two_hundred_who_want_one_slug_make_one_link() {
    let app = App::with("limits.key_requests = 0\nlimits.key_in_flight = 0").await;
    let body = json!({ "name": "a", "targetUrl": "https://example.com", "slug": "wanted" });
    let all = (0..200).map(|_| app.post(format!("{}/links/create", app.base), &body));
    let answers = futures_util::future::join_all(all).await;
    let with = |status: u16| answers.iter().filter(move |answer| answer.status == status);
    assert_eq!((with(200).count(), with(409).count()), (1, 199));
    for refused in with(409) {
        let said = (&refused.body["code"], &refused.body["message"]);
        let expected = (&json!("CONFLICT"), &json!("This slug is already taken"));
        assert_eq!(said, expected);
    }
    let listed = app
        .post(format!("{}/links/list", app.base), &json!({}))
        .await;
    assert_eq!(listed.body.as_array().unwrap().len(), 1);
    app.finish().await;
}
