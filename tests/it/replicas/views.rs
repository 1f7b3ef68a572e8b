//! What one process writes is what the others answer, domain by domain; and what two of them decide at once fits together.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::fleet::{Fleet, REPLICAS, with_website};
use crate::app::{Answer, until};

/// Waits until every program answers like this.
async fn everywhere(
    fleet: &Fleet,
    what: &str,
    path: &str,
    body: &Value,
    fits: impl Fn(&Answer) -> bool,
) {
    for replica in 0..REPLICAS {
        until(&format!("{what} at replica {replica}"), async || {
            fits(&fleet.at(replica, path, body).await)
        })
        .await;
    }
}

fn id(made: &Value) -> &str {
    made["id"].as_str().unwrap()
}

#[actix::test]
async fn a_write_is_seen_by_every_process() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    // Websites: made at one, renamed at the next, deleted at the last.
    let made = fleet
        .call_ok(
            0,
            "/websites/create",
            json!({ "name": "New", "domain": "new.example" }),
        )
        .await;
    let one = json!({ "id": id(&made) });
    everywhere(&fleet, "a website", "/websites/getById", &one, |answer| {
        answer.status == 200
    })
    .await;
    let change = json!({ "id": id(&made), "name": "Renamed" });
    fleet.call_ok(1, "/websites/update", change).await;
    everywhere(&fleet, "its name", "/websites/getById", &one, |answer| {
        answer.body["name"] == "Renamed"
    })
    .await;
    fleet.call_ok(2, "/websites/delete", one.clone()).await;
    everywhere(
        &fleet,
        "that it is gone",
        "/websites/getById",
        &one,
        |answer| answer.status == 404,
    )
    .await;

    // Flags are evaluated from memory.
    let flag = fleet
        .call_ok(
            0,
            "/flags/create",
            with_website(&fleet, json!({ "key": "fresh" })),
        )
        .await;
    let ask = async |replica: usize| {
        let base = &fleet.replicas[replica].base;
        let url = format!("{base}/public/v1/flags/bulk?clientId={}", fleet.website);
        Answer::send(fleet.plain().get(url)).await
    };
    for replica in 0..REPLICAS {
        until("a flag is evaluated", async || {
            ask(replica).await.body["flags"]["fresh"].is_object()
        })
        .await;
    }
    let off = json!({ "id": id(&flag), "status": "inactive" });
    fleet.call_ok(1, "/flags/update", off).await;
    for replica in 0..REPLICAS {
        until("a flag is off", async || {
            ask(replica).await.body["flags"]["fresh"].is_null()
        })
        .await;
    }

    // Links lead from memory.
    let fields = json!({ "name": "a", "slug": "away", "targetUrl": "https://example.com/a" });
    let link = fleet.call_ok(1, "/links/create", fields).await;
    let clicks = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let clicks = clicks.build().unwrap();
    let leads = async |replica: usize| {
        let url = format!("{}/away", fleet.replicas[replica].links);
        let answer = Answer::send(clicks.get(url).header("user-agent", "Mozilla/5.0")).await;
        answer
            .headers
            .get("location")
            .map(|to| to.to_str().unwrap().to_owned())
    };
    for replica in 0..REPLICAS {
        until("a link leads somewhere", async || {
            leads(replica).await.is_some()
        })
        .await;
    }
    let change = json!({ "id": id(&link), "targetUrl": "https://example.com/b" });
    fleet.call_ok(2, "/links/update", change).await;
    for replica in 0..REPLICAS {
        until("a link leads elsewhere", async || {
            leads(replica)
                .await
                .is_some_and(|to| to.starts_with("https://example.com/b"))
        })
        .await;
    }
    fleet.finish();
}

#[actix::test]
async fn what_is_watched_and_shown_is_the_same_in_every_process() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    let fields = json!({ "kind": "push", "granularity": "hour", "name": "Job", "retries": 0 });
    let made = fleet.call_ok(0, "/uptime/createSchedule", fields).await;
    let monitor = made["scheduleId"].as_str().unwrap();
    let one = json!({ "scheduleId": monitor });
    everywhere(&fleet, "a monitor", "/uptime/getSchedule", &one, |answer| {
        answer.status == 200
    })
    .await;
    let change = json!({ "scheduleId": monitor, "name": "Other job" });
    fleet.call_ok(1, "/uptime/updateSchedule", change).await;
    everywhere(&fleet, "its name", "/uptime/getSchedule", &one, |answer| {
        answer.text.contains("Other job")
    })
    .await;

    let page = json!({ "name": "Page", "slug": "page" });
    let page = fleet.call_ok(1, "/statusPage/create", page).await;
    let add = json!({ "statusPageId": id(&page), "uptimeScheduleId": monitor });
    until("the other process knows the page", async || {
        fleet.at(2, "/statusPage/addMonitor", &add).await.status == 200
    })
    .await;
    everywhere(
        &fleet,
        "a page",
        "/statusPage/getBySlug",
        &json!({ "slug": "page" }),
        |answer| answer.text.contains("Other job"),
    )
    .await;

    let alarm = json!({
        "name": "Down", "triggerType": "uptime",
        "destinations": [{ "type": "webhook", "identifier": "http://127.0.0.1:1/hook" }],
    });
    let alarm = fleet.call_ok(2, "/alarms/create", alarm).await;
    let own = json!({ "alarmId": id(&alarm) });
    everywhere(&fleet, "an alarm", "/alarms/get", &own, |answer| {
        answer.status == 200
    })
    .await;

    let goal = json!({ "type": "PAGE_VIEW", "target": "/thanks", "name": "Thanks" });
    let goal = fleet
        .call_ok(0, "/goals/create", with_website(&fleet, goal))
        .await;
    let list = with_website(&fleet, json!({}));
    everywhere(&fleet, "a goal", "/goals/list", &list, |answer| {
        answer.text.contains(id(&goal))
    })
    .await;
    fleet.finish();
}

#[actix::test]
async fn what_processes_decide_at_once_fits_together() {
    let Some(fleet) = Fleet::start(&[]).await else {
        return;
    };
    // Many requests for one domain at different processes: one succeeds, and none is asked to retry.
    for round in 0..5 {
        let body = json!({ "name": "Same", "domain": format!("same{round}.example") });
        let asked = (0..9).map(|at| fleet.at(at, "/websites/create", &body));
        let answers = join_all(asked).await;
        let mut codes: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        codes.sort_unstable();
        assert_eq!(codes[0], 200, "{codes:?}");
        assert!(codes[1..].iter().all(|code| *code == 409), "{codes:?}");
    }
    // Concurrent changes of one thing by different processes are all kept.
    let page = json!({ "name": "Page", "slug": "page" });
    let page = fleet.call_ok(0, "/statusPage/create", page).await;
    for replica in 0..REPLICAS {
        until("the page is known", async || {
            fleet
                .at(
                    replica,
                    "/statusPage/get",
                    &json!({ "statusPageId": id(&page) }),
                )
                .await
                .status
                == 200
        })
        .await;
    }
    let incidents = (0..12).map(|at| {
        let body = json!({
            "statusPageId": id(&page), "title": format!("Incident {at}"),
            "message": "We look.",
        });
        let fleet = &fleet;
        async move { fleet.at(at, "/statusPage/createIncident", &body).await }
    });
    for answer in join_all(incidents).await {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    everywhere(
        &fleet,
        "all incidents",
        "/statusPage/getBySlug",
        &json!({ "slug": "page" }),
        |answer| (0..12).all(|at| answer.text.contains(&format!("Incident {at}"))),
    )
    .await;
    fleet.finish();
}
