//! The balance: whatever is sent is stored or counted, once, also across restarts and kills.

mod mix;

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};

use self::mix::{Balance, Mix, Shot};
use crate::{
    app::{Answer, App},
    process::{Credentials, Process, pharos, set_up, start},
};

/// Parts of the balance and the reasons that count in each.
const PARTS: [(&str, &[&str]); 8] = [
    ("stored", &["stored"]),
    ("duplicates", &["duplicate"]),
    ("bots", &["bot"]),
    ("opted_out", &["opted_out"]),
    ("excluded", &[]),
    (
        "rejected",
        &[
            "invalid_body",
            "invalid_key",
            "origin_not_authorized",
            "unsupported_encoding",
        ],
    ),
    ("rate_limited", &["rate_limited"]),
    ("unavailable", &[]),
];

async fn fire(http: &reqwest::Client, track: &str, shot: Shot) {
    let url = format!("{track}{}", shot.path);
    let mut request = http.request(shot.method.clone(), url);
    if shot.method == Method::POST {
        request = request.body(shot.body);
    }
    for (name, value) in shot.headers {
        request = request.header(name, value);
    }
    let answer = Answer::send(request).await;
    assert_eq!(answer.status, shot.status, "{}: {}", shot.path, answer.text);
}

/// What the program says of the website: its totals, and its reasons.
async fn read_counts(base: &str, website: &str, key: &str) -> (Value, Vec<(String, u64)>) {
    let body = json!({
        "parameters": ["data_quality_totals", "data_quality_reasons", "data_quality"], "preset": "last_7d",
    });
    let url = format!("{base}/v1/query?website_id={website}");
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", key)
        .json(&body);
    let answer = Answer::send(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let totals = answer.rows(0).remove(0);
    let reasons: Vec<(String, u64)> = answer
        .rows(1)
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap().to_owned(),
                row["events"].as_u64().unwrap(),
            )
        })
        .collect();
    for (part, _) in PARTS {
        let days: u64 = answer
            .rows(2)
            .iter()
            .map(|day| day[part].as_u64().unwrap())
            .sum();
        assert_eq!(totals[part], days, "{part}: the days add up");
    }
    (totals, reasons)
}

/// received = stored + duplicates + … over what the program says.
fn adds_up(totals: &Value, reasons: &[(String, u64)]) {
    let parts: u64 = PARTS
        .iter()
        .map(|(part, _)| totals[part].as_u64().unwrap())
        .sum();
    assert_eq!(totals["received"], parts, "{totals}");
    let all: u64 = reasons.iter().map(|(_, count)| count).sum();
    assert_eq!(totals["received"], all, "{reasons:?}");
}

/// The program's books are the oracle's.
fn agrees(own: &Balance, totals: &Value, reasons: &[(String, u64)]) {
    adds_up(totals, reasons);
    let mut sorted = reasons.to_vec();
    sorted.sort();
    let expected: Vec<(String, u64)> = own
        .iter()
        .map(|(reason, count)| ((*reason).to_owned(), *count))
        .collect();
    assert_eq!(sorted, expected);
    for (part, reasons) in PARTS {
        let expected: u64 = reasons
            .iter()
            .map(|reason| own.get(reason).copied().unwrap_or_default())
            .sum();
        assert_eq!(totals[part], expected, "{part}");
    }
}

#[actix::test]
async fn every_request_is_stored_or_counted_once() {
    for seed in 1..=2 {
        let mut app = App::with("limits.track_requests = 60\nlimits.query_requests = 0").await;
        let mut mix = Mix::new(seed, &app.website, &app.key, 60);
        for round in 0..3 {
            for _ in 0..80 {
                fire(&app.http, &app.track, mix.shot()).await;
            }
            let (totals, reasons) = read_counts(&app.base, &app.website, &app.key).await;
            agrees(&mix.own, &totals, &reasons);
            assert!(mix.own["stored"] > 20, "{:?}", mix.own);
            match round {
                0 => {
                    app.restart().await;
                    // Limits are the process's.
                    let (own, nobodys) = (mix.own.clone(), mix.nobodys.clone());
                    mix = mix.after_a_restart();
                    assert_eq!((&mix.own, &mix.nobodys), (&own, &nobodys));
                }
                1 => {
                    let domains = app.platform.as_ref().unwrap().domains();
                    domains
                        .ingest
                        .ask(pharos::actors::ingest::Seal)
                        .await
                        .unwrap();
                }
                _ => {}
            }
            let (totals, reasons) = read_counts(&app.base, &app.website, &app.key).await;
            agrees(&mix.own, &totals, &reasons);
        }
        for reason in ["rate_limited", "duplicate", "invalid_body", "bot"] {
            assert!(mix.own.contains_key(reason), "the mix is poor: {reason}");
        }
        the_rest_is_the_organizations_or_nobodys(&app, &mix).await;
        app.finish().await;
    }
}

/// Keys that name unknown websites concern their organization; the metrics know everything of this process.
async fn the_rest_is_the_organizations_or_nobodys(app: &App, mix: &Mix) {
    let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    let body = json!({ "parameters": ["data_quality_reasons"], "preset": "today" });
    let rows = app.post(url, &body).await.rows(0);
    let unknown = rows
        .iter()
        .find(|row| row["name"] == "unknown_website")
        .map_or(0, |row| row["events"].as_u64().unwrap());
    let expected = mix.nobodys.get("organizations").copied();
    assert_eq!(unknown, expected.unwrap_or_default());
}

#[actix::test]
async fn killed_at_any_moment_the_books_still_balance() {
    let data = tempfile::tempdir().unwrap();
    let credentials = set_up(data.path());
    let begin = async || {
        let mut command = pharos(data.path());
        command
            .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
            .env("PHAROS__LIMITS__QUERY_REQUESTS", "0");
        start(command).await
    };
    let books = async |process: &Process, credentials: &Credentials| {
        read_counts(&process.base, &credentials.website, &credentials.key).await
    };
    let mut mix = Mix::new(7, &credentials.website, &credentials.key, 0);
    let mut process = begin().await;
    let http = crate::web::client();
    for round in 0..3 {
        for _ in 0..30 {
            fire(&http, &process.track, mix.shot()).await;
        }
        // Asking makes it durable.
        let (totals, reasons) = books(&process, &credentials).await;
        agrees(&mix.own, &totals, &reasons);
        let durable = mix.own.clone();
        for _ in 0..20 + 7 * round {
            fire(&http, &process.track, mix.shot()).await;
        }
        process.signal(Signal::KILL);
        process.child.wait().unwrap();
        process = begin().await;

        let (totals, reasons) = books(&process, &credentials).await;
        adds_up(&totals, &reasons);
        for (reason, most) in &mut mix.own {
            let found = reasons.iter().find(|(name, _)| name == reason);
            let found = found.map_or(0, |(_, count)| *count);
            if matches!(*reason, "stored" | "duplicate") {
                assert_eq!(found, *most, "{reason} is exact");
            }
            let least = durable.get(reason).copied().unwrap_or_default();
            assert!(
                (least..=*most).contains(&found),
                "{reason}: {least}..={most}, not {found}"
            );
            *most = found;
        }
        mix.own.retain(|_, count| *count > 0);
    }
    process.signal(Signal::TERM);
    assert!(process.child.wait().unwrap().success());
    process = begin().await;
    let (totals, reasons) = books(&process, &credentials).await;
    agrees(&mix.own, &totals, &reasons);
}
