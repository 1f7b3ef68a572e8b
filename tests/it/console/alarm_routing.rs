//! Routing of an alert's channels at the console: set, shown, refused, removed.

use serde_json::{Value, json};

use super::{
    alarms::{LOCAL, NEW, new_alert},
    is_page, leads_to, page,
};
use crate::{app::App, people::browser::Browser, receiver::Receiver};

async fn only_alarm(app: &App) -> Value {
    let url = format!("{}/alarms/list", app.base);
    app.post(url, &json!({})).await.body[0].clone()
}

#[actix::test]
async fn a_channel_gets_its_routing_in_the_form_and_loses_it_there() {
    let app = App::with(LOCAL).await;
    let receiver = Receiver::start().await;
    let owner = Browser::owner(&app).await;
    let alert = new_alert("webhook", &receiver.url);
    let routing = [
        ("severity", "warning"),
        ("destinations.0.severities", "critical"),
        ("destinations.0.severities", "warning"),
        ("destinations.0.quietHours.from", "22:00"),
        ("destinations.0.quietHours.to", "07:00"),
        ("destinations.0.quietHours.days", "friday"),
        ("destinations.0.rateLimit.messages", "5"),
        ("destinations.0.rateLimit.minutes", "60"),
        ("destinations.0.fallback", "2"),
        ("destinations.1.type", "webhook"),
        ("destinations.1.identifier", &receiver.url),
    ];
    let wrong = [("destinations.0.quietHours.timezone", "Atlantis")];
    let refused = [&alert[..], &routing, &wrong].concat();
    let refused = owner.submit(NEW, &refused).await;
    is_page(&refused, 400);
    let beside = "id=\"destinations.0.quietHours.timezone-wrong\"";
    assert!(refused.text.contains(beside), "{}", refused.text);
    assert!(refused.text.contains("value=\"22:00\""), "{}", refused.text);

    let made = owner.submit(NEW, &[&alert[..], &routing].concat()).await;
    is_page(&made, 200);
    let alarm = only_alarm(&app).await;
    assert_eq!(alarm["severity"], "warning");
    let [first, second] = [0, 1].map(|nth| alarm["destinations"][nth].clone());
    assert_eq!(first["severities"], json!(["critical", "warning"]));
    let hours = json!({ "from": "22:00", "to": "07:00", "days": ["friday"] });
    assert_eq!(first["quietHours"], hours);
    assert_eq!(first["rateLimit"], json!({ "messages": 5, "minutes": 60 }));
    assert_eq!(first["fallback"], second["id"]);

    let path = format!("/console/alarm/{}", alarm["id"].as_str().unwrap());
    let shown = page(&owner, &path).await;
    assert!(shown.contains("value=\"friday\" checked"), "{shown}");
    let ids = [&first, &second].map(|one| one["id"].as_str().unwrap());
    let [first, second] = ids;
    let chosen = format!("<option value=\"{second}\" selected>Notification channel 2</option>");
    assert!(shown.contains(&chosen), "{shown}");
    let change = [
        &alert[..],
        &[
            ("destinations.0.id", first),
            ("destinations.1.id", second),
            ("destinations.1.type", "webhook"),
            ("destinations.1.identifier", &receiver.url),
        ],
    ];
    let changed = owner.submit(&path, &change.concat()).await;
    assert_eq!(leads_to(&changed), format!("{path}?done=1"));
    let alarm = only_alarm(&app).await;
    assert_eq!(alarm["severity"], Value::Null);
    for field in ["severities", "quietHours", "rateLimit", "fallback"] {
        assert_eq!(alarm["destinations"][0].get(field), None, "{field}");
    }
    app.finish().await;
}
