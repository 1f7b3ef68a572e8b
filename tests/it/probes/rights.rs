//! What a probe's token opens, and what it doesn't.

use std::time::Duration;

use futures_util::future::{Either, select};
use serde_json::{Value, json};

use super::{
    OPEN, Probe, call, count_place_checks, create, rows,
    way::{Proxy, Way},
    wire::{batch, report, work, work_after},
};
use crate::{
    app::{Answer, App, until},
    uptime::{self, Target},
};

#[actix::test]
async fn a_probe_gets_its_own_work_and_a_token_opens_nothing_else() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (_, other) = create(&app, "Oslo").await;
    let fields = json!({
        "url": target.url, "name": "Shop", "granularity": "hour", "places": [id, "here"],
        "request": { "headers": { "x-secret": "s3cr3t" } },
    });
    let monitor = uptime::create(&app, fields).await;
    let elsewhere = format!("{}?a", target.url);
    uptime::create(&app, json!({ "url": elsewhere, "granularity": "hour" })).await;

    let own = work(&app, &token).await;
    assert_eq!(own.status, 200, "{}", own.text);
    let monitors = own.body["monitors"].as_array().unwrap();
    assert_eq!(monitors.len(), 1);
    assert_eq!(monitors[0]["id"], monitor.as_str());
    assert!(own.text.contains("s3cr3t") && !own.text.contains("Shop"));
    let none = work(&app, &other).await;
    assert_eq!(none.body["monitors"], json!([]));

    let listed = call(&app, "list", json!({})).await;
    assert!(!listed.text.contains(&token), "{}", listed.text);
    let websites = app.http.get(format!("{}/v1/query/websites", app.base));
    let monitors = app.http.post(format!("{}/uptime/listSchedules", app.base));
    for request in [websites, monitors.json(&json!({}))] {
        let answer = Answer::send(request.bearer_auth(&token)).await;
        assert_eq!(answer.status, 401, "{}", answer.text);
    }
    assert_eq!(work(&app, &app.key).await.status, 401);
    let renewed = call(&app, "renewToken", json!({ "id": id })).await;
    assert_eq!(renewed.status, 200, "{}", renewed.text);
    assert_eq!(work(&app, &token).await.status, 401);
    let token = renewed.body["token"].as_str().unwrap();
    assert_eq!(work(&app, token).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_probe_has_one_request_that_is_held_and_the_newer_ends_the_older() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let own = work(&app, &token).await;
    let revision = own.body["revision"].as_str().unwrap();
    let hold = || Box::pin(work_after(&app, &token, revision));
    let (ended, held) = match select(hold(), hold()).await {
        Either::Left(both) | Either::Right(both) => both,
    };
    assert_eq!(ended.status, 200, "{}", ended.text);
    assert_eq!(ended.body["revision"], revision);
    assert_eq!(ended.body["monitors"], Value::Null);
    // The other one is still held, and hears of the change.
    let fields = json!({ "url": target.url, "granularity": "hour", "places": [id] });
    let (monitor, changed) = tokio::join!(uptime::create(&app, fields), held);
    assert_eq!(changed.body["monitors"][0]["id"], monitor.as_str());
    app.finish().await;
}

#[actix::test]
async fn results_of_monitors_that_did_not_choose_the_probe_are_ignored() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, token) = create(&app, "Paris").await;
    let (_, stranger) = create(&app, "Oslo").await;
    let fields = json!({ "url": target.url, "granularity": "minute", "places": [id] });
    let monitor = uptime::create(&app, fields).await;
    let slot = app.clock.now_ms() - 1;

    let body = batch(&monitor, slot);
    let unsigned = report(&app, &token, &body, Some("00")).await;
    assert_eq!(unsigned.status, 403, "{}", unsigned.text);
    for (token, known) in [(&stranger, 0), (&token, 1), (&token, 1)] {
        let answer = report(&app, token, &body, None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.body["acknowledged"], 1);
        until("what was sent is stored", async || {
            count_place_checks(&app, &monitor).await == known
        })
        .await;
    }
    let by_region = rows(&app, &monitor, "uptime_by_region").await;
    assert_eq!(by_region.len(), 1, "{by_region:?}");
    assert_eq!(by_region[0]["region"], "Paris");
    assert_eq!(by_region[0]["total_checks"], 1);
    app.finish().await;
}

#[actix::test]
async fn places_are_probes_of_the_organization_and_a_probe_in_use_stays() {
    let app = App::with(OPEN).await;
    let target = Target::start().await;
    let (id, _) = create(&app, "Paris").await;
    let refused = async |fields: Value, field: &str| {
        let mut body = json!({ "url": target.url, "granularity": "thirty_seconds" });
        let more = fields.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(more);
        let url = format!("{}/uptime/createSchedule", app.base);
        let answer = app.post(url, &body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert!(answer.text.contains(field), "{body}: {}", answer.text);
    };
    refused(json!({ "places": ["no-such-probe"] }), "places").await;
    refused(json!({ "places": [id, "here"], "quorum": 3 }), "quorum").await;
    refused(json!({ "places": [id], "timeout": 31_000 }), "timeout").await;
    refused(
        json!({ "kind": "push", "url": null, "places": [id] }),
        "places",
    )
    .await;

    let fields = json!({ "url": target.url, "granularity": "minute", "places": [id] });
    let monitor = uptime::create(&app, fields).await;
    let in_use = call(&app, "delete", json!({ "id": id })).await;
    assert_eq!(in_use.status, 400, "{}", in_use.text);
    let change = json!({ "scheduleId": monitor, "places": null });
    uptime::call_ok(&app, "updateSchedule", change).await;
    let deleted = call(&app, "delete", json!({ "id": id })).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    app.clock.advance(Duration::from_mins(1));
    uptime::checked(&app, &monitor, 1).await;
    app.finish().await;
}

#[actix::test]
async fn a_revoked_probe_stops_and_says_so() {
    let app = App::with(OPEN).await;
    let (id, token) = create(&app, "Paris").await;
    let directory = tempfile::tempdir().unwrap();
    let mut probe = Probe::start(directory.path(), &app.base, &token, 0);
    until("it has its work", async || {
        probe.count_log_lines("\"monitors\":0") > 0
    })
    .await;
    let revoked = call(&app, "revoke", json!({ "id": id })).await;
    assert_eq!(revoked.body["status"], "revoked", "{}", revoked.text);
    until("it ends", async || probe.has_ended()).await;
    assert!(probe.count_log_lines("the probe stops") > 0);
    assert_eq!(probe.child.wait().unwrap().code(), Some(2));
    app.finish().await;
}

#[actix::test]
async fn a_proxy_that_refuses_a_probe_does_not_end_it() {
    let app = App::with(OPEN).await;
    let (_, token) = create(&app, "Paris").await;
    let way = Proxy::start(&app.base).await;
    way.set(Way::Refused);
    let directory = tempfile::tempdir().unwrap();
    let mut probe = Probe::start(directory.path(), &way.url, &token, 0);
    until("it asks again", async || {
        probe.count_log_lines("asked for again") > 3
    })
    .await;
    way.set(Way::Open);
    until("it has its work", async || {
        probe.count_log_lines("\"monitors\":0") > 0
    })
    .await;
    assert!(!probe.has_ended());
    app.finish().await;
}
