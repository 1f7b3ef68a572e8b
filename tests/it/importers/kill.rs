//! An import that is killed, and run again.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Process, pharos, set_up, start},
};

const MONITORS: usize = 60;

async fn post(process: &Process, key: &str, path: &str, body: &Value) -> Answer {
    let request = crate::web::client().post(format!("{}{path}", process.base));
    Answer::send(request.header("x-api-key", key).json(body)).await
}

async fn listed(process: &Process, key: &str) -> Vec<Value> {
    let pages = post(process, key, "/statusPage/list", &json!({})).await;
    let Some(page) = pages.body.get(0) else {
        return Vec::new();
    };
    let body = json!({ "statusPageId": page["id"] });
    let page = post(process, key, "/statusPage/get", &body).await;
    page.body["monitors"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

async fn names(process: &Process, key: &str) -> Vec<String> {
    let made = post(process, key, "/uptime/listSchedules", &json!({})).await;
    let made = made.body.as_array().unwrap().iter();
    made.map(|one| {
        assert_eq!(one["isPaused"], true, "{one}");
        one["name"].as_str().unwrap().to_owned()
    })
    .collect()
}

/// Tables of Uptime Kuma with a page that shows every monitor.
fn file() -> Value {
    let monitors: Vec<Value> = (0..MONITORS)
        .map(|nth| json!({ "id": nth, "name": format!("m{nth}"), "type": "port", "hostname": format!("h{nth}.example"), "port": 80, "interval": 60, "active": 0 }))
        .collect();
    let listed: Vec<Value> = (0..MONITORS)
        .map(|nth| json!({ "monitor_id": nth, "group_id": 1, "weight": nth, "send_url": 1 }))
        .collect();
    let tables = json!({
        "monitor": monitors, "monitor_group": listed,
        "group": [{ "id": 1, "name": "All", "weight": 1, "status_page_id": 1 }],
        "status_page": [{ "id": 1, "slug": "all", "title": "All", "published": 1, "theme": "auto" }],
    });
    json!({ "format": "uptime-kuma", "content": json!({ "tables": tables }).to_string() })
}

#[actix::test]
async fn an_import_that_is_killed_is_completed_by_the_next_one() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let key = set_up(data).key;
    let serve = async || {
        let mut command = pharos(data);
        command
            .arg("serve")
            .env("PHAROS__LIMITS__KEY_IN_FLIGHT", "0");
        start(command).await
    };
    // Killed while monitors are made, then while they are put on the page.
    for on_page in [false, true] {
        let mut process = serve().await;
        let request = crate::web::client()
            .post(format!("{}/imports/applyMonitors", process.base))
            .header("x-api-key", &key)
            .json(&file());
        let import = actix::spawn(async move { drop(request.send().await) });
        until("some are made", async || {
            if on_page {
                listed(&process, &key).await.len() > 4
            } else {
                names(&process, &key).await.len() > 4
            }
        })
        .await;
        process.child.kill().unwrap();
        process.child.wait().unwrap();
        import.await.unwrap();
    }
    let process = serve().await;
    let applied = post(&process, &key, "/imports/applyMonitors", &file()).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    assert_eq!(applied.body["refused"], 0, "{}", applied.text);
    let made = names(&process, &key).await;
    let different: BTreeSet<&String> = made.iter().collect();
    assert_eq!(
        (made.len(), different.len()),
        (MONITORS, MONITORS),
        "each once"
    );
    let page = listed(&process, &key).await;
    assert_eq!(page.len(), MONITORS);
    for (nth, one) in page.iter().enumerate() {
        assert_eq!(one["uptimeSchedule"]["name"], format!("m{nth}"));
        assert_eq!(
            (&one["group"], &one["hideUrl"]),
            (&json!("All"), &json!(false)),
            "{one}"
        );
    }
    let again = post(&process, &key, "/imports/applyMonitors", &file()).await;
    assert_eq!(again.body["create"], 0, "{}", again.text);
    assert_eq!(again.body["exist"], MONITORS + 1, "{}", again.text);
    process.stop();
}
