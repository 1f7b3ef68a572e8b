//! What an installation says when everything is asked of it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::home::{InitialData, call};
use crate::{app::Answer, process::Process, round_trip};

/// What is about this moment.
const PASSING: [&str; 2] = ["realtime", "active"];
/// What lists the things of an organization, for people who are signed in.
const LISTS: [&str; 10] = [
    "/websites/list",
    "/links/list",
    "/flags/list",
    "/goals/list",
    "/annotations/list",
    "/uptime/listSchedules",
    "/alarms/list",
    "/statusPage/list",
    "/apikeys/list",
    "/audit/list",
];
/// Numbers of the two engines are rounded to two digits or more, and ties are sums in another order.
const ROUNDED: f64 = 0.0101;

/// A row: its words, and its numbers in their order.
type Row = (String, Vec<f64>);

/// Every question, and its rows.
pub type Answers = BTreeMap<String, Vec<Row>>;

/// Everything that is asked of it, and what it says.
pub async fn answers(process: &Process, made: &InitialData) -> Answers {
    let key = &made.credentials.key;
    let mut all = BTreeMap::new();
    let website = format!("website_id={}", made.credentials.website);
    for target in [website, format!("link_id={}", made.link)] {
        let url = format!("{}/v1/query?{target}", process.base);
        for (name, rows) in round_trip::answers_at(&url, process, key, &PASSING, 0).await {
            let rows = rows
                .iter()
                .map(|row| split(serde_json::from_str(row).unwrap()));
            let mut rows: Vec<Row> = rows.collect();
            rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
            all.insert(format!("{target} {name}"), rows);
        }
    }
    let here = |text: String| {
        let text = text
            .replace(&process.base, "base")
            .replace(&process.track, "track");
        text.replace(&process.links, "links")
    };
    for path in LISTS {
        let body = match path {
            "/flags/list" | "/goals/list" | "/annotations/list" => {
                json!({ "websiteId": made.credentials.website })
            }
            _ => json!({ "organizationId": made.organization }),
        };
        let request = crate::web::client().post(format!("{}{path}", process.base));
        let answer = Answer::send(request.header("cookie", &made.cookie).json(&body)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        all.insert(path.to_owned(), vec![(here(answer.text), Vec::new())]);
    }
    let alarm = call(
        process,
        key,
        "/alarms/get",
        &json!({ "alarmId": made.alarm }),
    )
    .await;
    all.insert(
        "alarm".to_owned(),
        vec![(here(alarm.to_string()), Vec::new())],
    );
    all
}

/// How many custom events of a name there are.
pub async fn count(process: &Process, made: &InitialData, name: &str) -> u64 {
    let url = format!("/v1/query?website_id={}", made.credentials.website);
    let body = json!({ "parameters": ["custom_events"], "preset": "last_7d", "limit": 1000 });
    let said = call(process, &made.credentials.key, &url, &body).await;
    let rows = said["data"][0]["data"].as_array().unwrap();
    let found = rows.iter().find(|row| row["name"] == name);
    found.map_or(0, |row| row["total_events"].as_u64().unwrap())
}

/// Takes the numbers out of a row.
fn split(row: Value) -> Row {
    fn without(value: Value, numbers: &mut Vec<f64>) -> Value {
        match value {
            Value::Array(all) => all
                .into_iter()
                .map(|value| without(value, numbers))
                .collect(),
            Value::Object(all) => {
                // When it was asked.
                let all = all.into_iter().filter(|(name, _)| name != "previous_to");
                let all = all.map(|(name, value)| (name, without(value, numbers)));
                all.collect()
            }
            Value::String(text) => match number(&text) {
                Some(number) => {
                    numbers.push(number);
                    Value::Null
                }
                // A property that is a whole number with a fraction is one without in ClickHouse.
                None => json!(text.strip_suffix(".0").unwrap_or(&text)),
            },
            other => other,
        }
    }
    let mut numbers = Vec::new();
    let words = without(row, &mut numbers).to_string();
    (words, numbers)
}

/// A number as [`round_trip`] writes it; ids of sessions may look like some, too.
fn number(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once('e')?;
    let fraction = digits.split_once('.')?.1;
    let is_one = fraction.len() == 5 && exponent.parse::<i32>().is_ok();
    text.parse().ok().filter(|_| is_one)
}

/// Fails where something else is said than before.
pub fn same(before: &Answers, after: &Answers) {
    let names: Vec<_> = before.keys().collect();
    assert_eq!(names, after.keys().collect::<Vec<_>>());
    for (name, rows) in before {
        let now = &after[name];
        assert_eq!(rows.len(), now.len(), "{name}: {rows:?} and {now:?}");
        for (row, now) in rows.iter().zip(now) {
            let pairs = row.1.iter().zip(&now.1);
            let close = pairs
                .clone()
                .all(|(a, b)| (a - b).abs() <= ROUNDED + a.abs() * 2e-5);
            let same = row.0 == now.0 && row.1.len() == now.1.len() && close;
            assert!(same, "{name}: {row:?} and {now:?}");
        }
    }
}
