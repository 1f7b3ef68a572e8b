//! Clicks under `kill -9`: none is ever counted twice, and what is lost is what was followed last.

use std::{
    collections::HashMap,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    app::{Answer, until_met},
    process::{Credentials, Process, pharos, set_up, start},
};

/// Kills of the short mode; `PHAROS_DRILL_KILLS` asks for more.
const KILLS: usize = 4;
const CLIENTS: usize = 6;
/// Clicks that are written together, at most: what a kill may cost.
const BATCH: usize = 1_000;
const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";

/// The program without limits, behind a proxy that names visitors' addresses; small segments let kills hit seals too.
fn unlimited(data: &Path) -> Command {
    let mut command = pharos(data);
    command
        .env("PHAROS_DRILL_SEAL_ROWS", "60")
        .env("PHAROS__SERVER__TRUSTED_PROXIES", "127.0.0.1/32")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0");
    command
}

/// One client's clicks in one life of the program, in the order in which they were answered.
type Run = Vec<String>;

/// Follows the link until the program is gone, every time from another address and another website, which names the click.
async fn follow(
    links: String,
    name: String,
    number: u16,
    answered: &AtomicUsize,
    stop: &AtomicBool,
) -> Run {
    let http = crate::web::builder();
    let http = http
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let mut run = Run::new();
    while !stop.load(Ordering::Relaxed) {
        let click = format!("{name}x{}.example", run.len());
        let address = format!("2001:db8:{number:x}:{:x}::1", run.len());
        let request = http
            .get(format!("{links}/drill"))
            .header("x-forwarded-for", address)
            .header("user-agent", BROWSER)
            .header("accept-language", "en")
            .header("referer", format!("https://{click}/"));
        match request.send().await {
            Ok(answer) => {
                assert_eq!(answer.status(), 302);
                run.push(click);
                answered.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => break,
        }
    }
    run
}

/// How often every click is stored.
async fn stored(process: &Process, credentials: &Credentials, link: &str) -> HashMap<String, u64> {
    let http = crate::web::client();
    let mut found = HashMap::new();
    for page in 1.. {
        let body = json!({ "parameters": ["link_top_referrers"], "preset": "last_7d", "limit": 10_000, "page": page,
            "sortBy": "name", "sortOrder": "asc" });
        let url = format!("{}/v1/query?link_id={link}", process.base);
        let asked = http
            .post(url)
            .header("x-api-key", &credentials.key)
            .json(&body);
        let rows = Answer::send(asked).await.rows(0);
        found.extend(rows.iter().map(|row| {
            (
                row["name"].as_str().unwrap().to_owned(),
                row["clicks"].as_u64().unwrap(),
            )
        }));
        if rows.len() < 10_000 {
            break;
        }
    }
    found
}

async fn make(process: &Process, credentials: &Credentials) -> String {
    let http = crate::web::client();
    let link = json!({ "name": "drill", "slug": "drill", "targetUrl": "https://example.com" });
    let url = format!("{}/links/create", process.base);
    let made = Answer::send(
        http.post(url)
            .header("x-api-key", &credentials.key)
            .json(&link),
    )
    .await;
    made.body["id"].as_str().unwrap().to_owned()
}

/// Starts the program and waits until it knows browsers and countries: clicks wait for that in memory.
async fn begin(data: &Path, credentials: &Credentials) -> Process {
    let process = start(unlimited(data)).await;
    let http = crate::web::client();
    let sent = http
        .post(format!("{}/track", process.track))
        .header("x-api-key", &credentials.key)
        .json(&json!({ "name": "ready", "websiteId": credentials.website }));
    assert_eq!(sent.send().await.unwrap().status(), 200);
    process
}

/// Lets clients follow the link and ends the program by a signal in the midst of it.
async fn one_life(process: Process, (life, times): (usize, usize), signal: Signal) -> Vec<Run> {
    let (answered, stop) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (answered, stop) = (Arc::clone(&answered), Arc::clone(&stop));
            let (links, name) = (process.links.clone(), format!("k{life}c{client}"));
            let number = (life * CLIENTS + client) as u16;
            tokio::spawn(async move { follow(links, name, number, &answered, &stop).await })
        })
        .collect();
    // Not a time but an amount: the end comes while links are followed.
    let enough = (60 + (life * 53) % 200) * times;
    let is_over = || clients.iter().all(tokio::task::JoinHandle::is_finished);
    while answered.load(Ordering::Relaxed) < enough && !is_over() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    process.signal(signal);
    let mut runs = Vec::new();
    for client in clients {
        runs.push(client.await.unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    let mut process = process;
    process.child.wait().unwrap();
    runs
}

/// The premise: clicks are written while links are followed. Where the machine is so slow that a life ends before its first clicks
/// are, nothing but losses is hit, and the next attempt has longer lives.
#[actix::test]
async fn killed_at_any_moment_clicks_are_lost_from_the_end_and_never_doubled() {
    until_met(async |attempt| lose_from_the_end(1 + attempt).await).await;
}

/// Lives of so many times the usual number of clicks; which premise was missing.
async fn lose_from_the_end(times: usize) -> Result<(), String> {
    let kills = std::env::var("PHAROS_DRILL_KILLS").ok();
    let kills = kills.and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let data = tempfile::tempdir().unwrap();
    let credentials = set_up(data.path());
    let process = begin(data.path(), &credentials).await;
    let link = make(&process, &credentials).await;
    let mut lives = vec![one_life(process, (0, times), Signal::KILL).await];
    for life in 1..kills {
        let process = begin(data.path(), &credentials).await;
        lives.push(one_life(process, (life, times), Signal::KILL).await);
    }
    // A life that ends in good order loses nothing at all.
    let process = begin(data.path(), &credentials).await;
    lives.push(one_life(process, (kills, times), Signal::TERM).await);

    let process = begin(data.path(), &credentials).await;
    let stored = stored(&process, &credentials, &link).await;
    let total: Value = json!({ "parameters": ["link_total_clicks"], "preset": "last_7d" });
    let url = format!("{}/v1/query?link_id={link}", process.base);
    let asked = crate::web::client()
        .post(url)
        .header("x-api-key", &credentials.key)
        .json(&total);
    let total = Answer::send(asked).await.rows(0)[0]["total"]
        .as_u64()
        .unwrap();
    assert_eq!(total as usize, stored.len());
    process.stop();
    judge(&lives, &stored)
}

/// The invariants of clicks answered in these lives, the last of which ended in order, by how often each is stored.
fn judge(lives: &[Vec<Run>], stored: &HashMap<String, u64>) -> Result<(), String> {
    let (orderly, killed) = lives.split_last().unwrap();
    let doubled: Vec<_> = stored.iter().filter(|(_, count)| **count != 1).collect();
    assert!(doubled.is_empty(), "doubled: {doubled:?}");
    let lost_of = |run: &Run| {
        run.iter()
            .filter(|click| !stored.contains_key(*click))
            .count()
    };
    for life in killed {
        let lost: usize = life.iter().map(lost_of).sum();
        assert!(lost <= BATCH, "{lost} clicks are lost by one kill");
        for run in life {
            // A click that was followed after one that is there cannot be missing before it.
            let kept = run.len() - lost_of(run);
            let holes: Vec<_> = run[..kept]
                .iter()
                .filter(|click| !stored.contains_key(*click))
                .collect();
            assert!(holes.is_empty(), "lost in the midst: {holes:?}");
        }
    }
    let lost: Vec<usize> = orderly.iter().map(lost_of).collect();
    assert!(
        lost.iter().all(|lost| *lost == 0),
        "lost by an orderly stop: {lost:?}"
    );
    let answered: usize = lives.iter().flatten().map(Vec::len).sum();
    let survived = lives.iter().flatten().map(|run| run.len() - lost_of(run));
    let survived: usize = survived.sum();
    // Of each client one more may have been counted than it was answered for.
    assert!(stored.len() <= answered + CLIENTS * lives.len());
    if survived <= answered / 2 {
        return Err(format!(
            "of {answered} clicks {survived} were written in time"
        ));
    }
    Ok(())
}
