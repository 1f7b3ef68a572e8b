//! A file of every product, whose import is cut off by a kill, is completed by the next one, and comes once more.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::kuma;
use crate::{
    app::{Answer, until},
    process::{Process, pharos, set_up, start},
};

/// Links of a file: more than are created at once.
const LINKS: usize = 120;
/// Monitors, components or flags of a file.
const OTHERS: usize = 20;

/// A file, with how many definitions are created from it.
struct Export {
    procedure: &'static str,
    body: Value,
    definitions: usize,
}

fn export(procedure: &'static str, format: &str, content: String, definitions: usize) -> Export {
    let body = json!({ "format": format, "content": content });
    Export {
        procedure,
        body,
        definitions,
    }
}

/// A first line and rows.
fn table(head: &str, count: usize, row: fn(usize) -> String) -> String {
    let rows = (0..count).map(row);
    rows.fold(format!("{head}\n"), |mut text, row| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{row}");
        text
    })
}

fn list(count: usize, item: fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(item).collect()
}

fn links() -> Vec<Export> {
    let kutt = list(
        LINKS,
        |nth| json!({ "address": format!("kutt-{nth}"), "target": "https://shop.example/", "banned": false, "password": false }),
    );
    let tables = [
        (
            "bitly",
            table("Bitlink,Long URL", LINKS, |nth| {
                format!("bit.ly/bitly-{nth},https://shop.example/")
            }),
        ),
        (
            "dub",
            table("Short link,Destination URL", LINKS, |nth| {
                format!("https://dub.test/dub-{nth},https://shop.example/")
            }),
        ),
        (
            "shlink",
            table("shortCode,longUrl", LINKS, |nth| {
                format!("shlink-{nth},https://shop.example/")
            }),
        ),
        (
            "yourls",
            table("keyword,url,title", LINKS, |nth| {
                format!("yourls-{nth},https://shop.example/,Title")
            }),
        ),
        ("kutt", json!({ "data": kutt }).to_string()),
    ];
    let export = |(format, content)| export("Links", format, content, LINKS);
    tables.into_iter().map(export).collect()
}

async fn monitors() -> Vec<Export> {
    let backup = list(
        OTHERS,
        |nth| json!({ "id": nth, "name": format!("b{nth}"), "type": "port", "hostname": format!("backup{nth}.example"), "port": 80, "interval": 60, "active": 0 }),
    );
    let backup = json!({ "version": "1.23.11", "monitorList": backup }).to_string();
    let gatus = table("endpoints:", OTHERS, |nth| {
        format!(
            "  - {{name: g{nth}, url: \"tcp://gatus{nth}.example:80\", enabled: false, conditions: [\"[CONNECTED] == true\"]}}"
        )
    });
    let robot = table("Friendly Name,URL,Type,Interval,Status", OTHERS, |nth| {
        format!("r{nth},https://robot{nth}.example/,HTTP,300,Paused")
    });
    let components = list(
        OTHERS,
        |nth| json!({ "id": format!("c{nth}"), "name": format!("Component {nth}"), "group": false, "position": nth }),
    );
    let page = json!({
        "page": { "id": "p", "name": "Shop", "url": "https://killed.statuspage.io" },
        "components": components, "incidents": [], "subscribers": [],
    });
    let database = Export {
        procedure: "Monitors",
        body: json!({ "format": "uptime-kuma", "content": STANDARD.encode(kuma().await), "encoding": "base64" }),
        definitions: 8,
    };
    vec![
        database,
        export("Monitors", "uptime-kuma", backup, OTHERS),
        export("Monitors", "gatus", gatus, OTHERS),
        export("Monitors", "uptimerobot", robot, OTHERS),
        // With its page.
        export("Monitors", "statuspage", page.to_string(), OTHERS + 1),
    ]
}

fn flags() -> Vec<Export> {
    let features = list(
        OTHERS,
        |nth| json!({ "name": format!("unleash-{nth}"), "type": "release", "archived": false }),
    );
    let environments = list(
        OTHERS,
        |nth| json!({ "featureName": format!("unleash-{nth}"), "environment": "production", "enabled": true }),
    );
    let strategies = list(
        OTHERS,
        |nth| json!({ "featureName": format!("unleash-{nth}"), "name": "default", "parameters": {}, "constraints": [] }),
    );
    let unleash = json!({ "features": features, "featureEnvironments": environments, "featureStrategies": strategies });
    let flagsmith = list(
        OTHERS,
        |nth| json!({ "name": format!("flagsmith-{nth}"), "default_enabled": true, "initial_value": null, "value": null, "type": "unicode", "enabled": true, "multivariate": [] }),
    );
    let growthbook = list(
        OTHERS,
        |nth| json!({ "id": format!("growthbook-{nth}"), "archived": false, "valueType": "boolean", "defaultValue": "true", "environments": { "production": { "enabled": true, "defaultValue": "true", "rules": [] } } }),
    );
    vec![
        export("Flags", "unleash", unleash.to_string(), OTHERS),
        export(
            "Flags",
            "flagsmith",
            Value::from(flagsmith).to_string(),
            OTHERS,
        ),
        export(
            "Flags",
            "growthbook",
            json!({ "features": growthbook }).to_string(),
            OTHERS,
        ),
    ]
}

async fn post(process: &Process, key: &str, path: &str, body: &Value) -> Answer {
    let request = crate::web::client().post(format!("{}{path}", process.base));
    Answer::send(request.header("x-api-key", key).json(body)).await
}

/// How many links, monitors and flags there are.
async fn made(process: &Process, key: &str) -> [usize; 3] {
    let mut counts = [0; 3];
    let lists = ["/links/list", "/uptime/listSchedules", "/flags/list"];
    for (count, path) in counts.iter_mut().zip(lists) {
        let listed = post(process, key, path, &json!({})).await;
        *count = listed.body.as_array().map_or(0, Vec::len);
    }
    counts
}

#[actix::test]
async fn an_import_of_every_product_is_completed_after_a_kill_and_creates_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let key = set_up(data).key;
    let serve = async || {
        let mut command = pharos(data);
        command.arg("serve");
        for unlimited in ["KEY_IN_FLIGHT", "KEY_REQUESTS"] {
            command.env(format!("PHAROS__LIMITS__{unlimited}"), "0");
        }
        start(command).await
    };
    let mut exports = links();
    exports.extend(monitors().await);
    exports.extend(flags());

    // All of them at once, until some of each family are made.
    let mut process = serve().await;
    let mut running = Vec::new();
    for Export {
        procedure, body, ..
    } in &exports
    {
        let request = crate::web::client()
            .post(format!("{}/imports/apply{procedure}", process.base))
            .header("x-api-key", &key)
            .json(body);
        running.push(actix::spawn(async move { drop(request.send().await) }));
    }
    until("some of each are made", async || {
        made(&process, &key).await.iter().all(|count| *count > 0)
    })
    .await;
    process.child.kill().unwrap();
    process.child.wait().unwrap();
    for one in running {
        one.await.unwrap();
    }

    let process = serve().await;
    let mut last = [0; 3];
    for again in [false, true] {
        for Export {
            procedure,
            body,
            definitions,
        } in &exports
        {
            let path = format!("/imports/apply{procedure}");
            let applied = post(&process, &key, &path, body).await;
            assert_eq!(applied.status, 200, "{}", applied.text);
            let format = &body["format"];
            let count = |name: &str| applied.body[name].as_u64().unwrap();
            assert_eq!(count("refused"), 0, "{format}: {}", applied.text);
            let all = count("create") + count("exist");
            assert_eq!(all, *definitions as u64, "{format}: {}", applied.text);
            assert!(!again || count("create") == 0, "{format}: {}", applied.text);
        }
        let counts = made(&process, &key).await;
        assert!(!again || counts == last, "{counts:?}, {last:?} before");
        last = counts;
    }
    // Seven monitors of the database, without its page.
    let expected = [5 * LINKS, 7 + 4 * OTHERS, 3 * OTHERS];
    assert_eq!(last, expected, "each once");
    process.stop();
}
