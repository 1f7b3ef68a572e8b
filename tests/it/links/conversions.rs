//! From clicks on a short link to sales on a website, over HTTP.

use serde_json::{Value, json};

use super::{count_clicks, create_link, follow};
use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
};

/// When something happens, so many minutes into the last hour.
fn at(minutes: i64) -> i64 {
    NOW - (60 - minutes) * 60_000
}

/// A page view in a visit of its own.
fn view(who: &str, path: &str, minutes: i64) -> Value {
    json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": who, "path": path,
        "sessionId": format!("{who}-{minutes}"), "timestamp": at(minutes),
    })
}

fn sale(app: &App, who: &str, minutes: i64, properties: &Value) -> Value {
    json!({
        "name": "purchase", "websiteId": app.website, "anonymousId": who, "sessionId": format!("{who}-{minutes}"),
        "timestamp": at(minutes), "properties": properties,
    })
}

async fn rows(app: &App, about: &str, filters: Value) -> Answer {
    let body =
        json!({ "parameters": ["conversions_by_link"], "preset": "last_7d", "filters": filters });
    app.post(format!("{}/v1/query?{about}", app.base), &body)
        .await
}

#[actix::test]
async fn clicks_become_visitors_leads_and_sales_of_the_link_that_brought_them() {
    let app = App::spawn().await;
    let make = async |slug: &str| {
        let body = json!({ "slug": slug, "targetUrl": "http://localhost/offer" });
        let id = create_link(&app, body).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let led = follow(&app, slug, &[]).await;
        (id, led.header("location").to_owned())
    };
    let (sale_id, landing) = make("sale").await;
    let (other_id, other_landing) = make("other").await;
    app.send_pages(&[
        view("anna", &landing, 2),
        view("ben", &landing, 3),
        view("carl", &landing, 4),
        view("ben", &other_landing, 5),
    ])
    .await;
    let paid = |who: &str, minutes: i64, amount: f64, currency: &str| {
        sale(
            &app,
            who,
            minutes,
            &json!({ "revenue": amount, "currency": currency }),
        )
    };
    let sales = json!([
        // What Anna bought before she came is not the link's; what she buys in a later visit is.
        paid("anna", 1, 1_000.0, "EUR"),
        paid("anna", 30, 20.5, "eur"),
        paid("anna", 31, -5.0, "EUR"),
        // Ben buys after he came by the other link.
        paid("ben", 6, 10.0, "USD"),
        // Carl only looks, and no link brought Dora.
        paid("dora", 7, 99.0, "EUR"),
    ]);
    let sent = app.send(&sales).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let known = json!({ "anonymousId": "carl", "profileId": "carl@example.com" });
    let url = format!("{}/identify?client_id={}", app.track, app.website);
    let known = app.post_anonymously(url, &known).await;
    assert_eq!(known.status, 200, "{}", known.text);

    assert_eq!(count_clicks(&app, &json!({ "id": sale_id })).await, 1);
    let organization = format!("organization_id={}", app.organization);
    let all = rows(&app, &organization, json!([])).await;
    let listed = all.rows(0);
    let of = |id: &str| {
        listed
            .iter()
            .find(|row| row["link_id"] == id)
            .cloned()
            .unwrap()
    };
    assert_eq!(
        of(&sale_id),
        json!({
            "link_id": sale_id, "clicks": 1, "visitors": 3, "leads": 1, "customers": 1, "sales": 1,
            "conversion_rate": 33.33, "revenue": [{ "currency": "EUR", "amount": 15.5 }],
        }),
        "{}",
        all.text
    );
    assert_eq!(
        of(&other_id),
        json!({
            "link_id": other_id, "clicks": 1, "visitors": 1, "leads": 0, "customers": 1, "sales": 1,
            "conversion_rate": 100, "revenue": [{ "currency": "USD", "amount": 10 }],
        }),
        "{}",
        all.text
    );
    assert_eq!(listed.len(), 2, "{}", all.text);
    let one = json!([{ "field": "short_link", "op": "eq", "value": other_id }]);
    let one = rows(&app, &format!("website_id={}", app.website), one).await;
    assert_eq!(one.rows(0).len(), 1, "{}", one.text);
    assert_eq!(
        (&one.rows(0)[0]["link_id"], &one.rows(0)[0]["clicks"]),
        (&json!(other_id), &json!(0))
    );

    let owner = Browser::owner(&app).await;
    let shown = owner.get(&format!("/console/link/{sale_id}")).await;
    for word in [
        "Conversions",
        "Leads: identified visitors",
        "1 sale: 15.50 EUR",
    ] {
        assert!(shown.text.contains(word), "{word}: {}", shown.text);
    }
    app.finish().await;
}
