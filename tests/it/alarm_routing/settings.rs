use serde_json::{Value, json};

use super::{alarm, destinations, webhook};
use crate::{
    alarms::{OPEN, call, call_ok},
    app::App,
    receiver::Receiver,
};

#[actix::test]
async fn settings_that_cannot_work_are_refused_with_their_place() {
    let app = App::with(OPEN).await;
    let receiver = Receiver::start().await;
    let night = |zone: &str, to: &str| json!({ "quietHours": { "from": "22:00", "to": to, "timezone": zone } });
    for (settings, place) in [
        (json!({ "fallback": "1" }), "destinations.0.fallback"),
        (json!({ "fallback": "unknown" }), "destinations.0.fallback"),
        (
            night("Europe/Atlantis", "07:00"),
            "destinations.0.quietHours.timezone",
        ),
        (night("UTC", "25:00"), "destinations.0.quietHours.to"),
        (
            json!({ "rateLimit": { "messages": 0, "minutes": 5 } }),
            "destinations.0.rateLimit.messages",
        ),
    ] {
        let fields = json!({ "name": "A", "destinations": [webhook(&receiver, settings)] });
        let answer = call(&app, "/alarms/create", fields.clone()).await;
        assert_eq!(answer.status, 400, "{fields}: {}", answer.text);
        let path = answer.body["data"]["issues"][0]["path"].clone();
        let path: Vec<String> = path
            .as_array()
            .unwrap()
            .iter()
            .map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
            .collect();
        assert_eq!(path.join("."), place, "{}", answer.text);
    }
    let ring = ["2", "3", "1"].map(|fallback| webhook(&receiver, json!({ "fallback": fallback })));
    let fields = json!({ "name": "A", "destinations": ring });
    let answer = call(&app, "/alarms/create", fields).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("leads back"), "{}", answer.text);
    app.finish().await;
}

#[actix::test]
async fn a_change_keeps_the_settings_that_it_does_not_name_and_null_removes_them() {
    let app = App::with(OPEN).await;
    let receiver = Receiver::start().await;
    let limit = json!({ "messages": 2, "minutes": 5 });
    let settings = json!({ "severities": ["info"], "rateLimit": limit, "fallback": "2" });
    let to = [webhook(&receiver, settings), webhook(&receiver, json!({}))];
    let one = alarm(&app, &to, json!({})).await;
    let before = destinations(&app, &one).await;
    let kept = |nth: usize| json!({ "id": before[nth]["id"], "type": "webhook" });
    let change = json!({ "alarmId": one["alarmId"], "destinations": [kept(0), kept(1)] });
    call_ok(&app, "/alarms/update", change).await;
    let after = destinations(&app, &one).await;
    for field in ["severities", "rateLimit", "fallback"] {
        assert_eq!(after[0][field], before[0][field], "{field}");
    }
    // A fallback that is removed is none any more.
    let mut first = kept(0);
    first["severities"] = json!([]);
    first["rateLimit"] = Value::Null;
    let change = json!({ "alarmId": one["alarmId"], "destinations": [first] });
    call_ok(&app, "/alarms/update", change).await;
    let after = destinations(&app, &one).await;
    for field in ["severities", "rateLimit", "fallback"] {
        assert_eq!(after[0].get(field), None, "{field}");
    }
    app.finish().await;
}
