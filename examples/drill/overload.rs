//! F11: a thousand connections. What is done stays near what can be done, the rest is refused in order, memory stays, and
//! afterwards everything is as fast as before.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use crate::{Setting, ledger, program::House, report::Report};

/// Connections that reach what the program can do, and many more.
const ENOUGH: usize = 64;
const MANY: usize = 1_000;
/// Memory that it may take, bytes.
const MEMORY: u64 = 512 << 20;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F11 overload");
    let house = House::new(setting, None, &[])?;
    let mut running = house.start().await?;
    let length = Duration::from_secs(if setting.long { 60 } else { 3 });
    let calm = load(&house, 4, Duration::from_secs(2)).await?;
    let peak = load(&house, ENOUGH, length / 2).await?;
    let flood = load(&house, MANY, length).await?;
    let resident = running.resident();
    // Normal again within five seconds.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = load(&house, 4, Duration::from_secs(2)).await?;

    let share = flood.goodput() / peak.goodput();
    report.figure(format!(
        "goodput {:.0}/s with {ENOUGH} connections, {:.0}/s ({:.0} %) with {MANY}, answers {:?}, {} MB resident, p99 {:.1} ms before and {:.1} ms after",
        peak.goodput(),
        flood.goodput(),
        share * 100.0,
        flood.answers,
        resident >> 20,
        calm.p99.as_secs_f64() * 1e3,
        after.p99.as_secs_f64() * 1e3,
    ));
    report.check(!setting.timed() || share >= 0.9, || {
        format!("goodput fell to {:.0} %", share * 100.0)
    });
    let odd = |load: &Load| {
        load.answers
            .keys()
            .any(|status| ![200, 429, 503].contains(status))
    };
    report.check(![&calm, &peak, &flood, &after].into_iter().any(odd), || {
        "other answers than 200, 429 and 503".to_owned()
    });
    report.check(resident < MEMORY, || {
        format!("{} MB resident", resident >> 20)
    });
    let normal = after.p99 < (calm.p99 * 4).max(Duration::from_millis(200));
    report.check(!setting.timed() || normal, || "it stayed slow".to_owned());
    let sent: u64 = [&calm, &peak, &flood, &after]
        .into_iter()
        .map(|load| load.good)
        .sum();
    if setting.sabotage {
        running = house.restart_without_log(running).await?;
    }
    let stored = count(&house).await?;
    // What was under way when a round ended may be stored without an answer.
    let most = sent + (2 * 4 + ENOUGH + MANY) as u64;
    report.figure(format!("{sent} acknowledged, {stored} stored"));
    report.check((sent..=most).contains(&stored), || {
        "the count is wrong".to_owned()
    });
    running.stop().await?;
    Ok(report)
}

/// What came of a round.
struct Load {
    answers: BTreeMap<u16, u64>,
    good: u64,
    took: Duration,
    p99: Duration,
}

impl Load {
    fn goodput(&self) -> f64 {
        self.good as f64 / self.took.as_secs_f64()
    }
}

async fn load(house: &House, connections: usize, length: Duration) -> anyhow::Result<Load> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let stop = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..connections {
        let (stop, port) = (Arc::clone(&stop), house.track_port());
        let (website, key) = (house.website.clone(), house.key.clone());
        tasks.spawn(async move {
            let mut answers: Vec<(u16, Duration)> = Vec::new();
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
            stream.set_nodelay(true)?;
            while !stop.load(Ordering::Relaxed) {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let body = json!({ "name": "load", "eventId": format!("o{number}"), "websiteId": website });
                let body = body.to_string();
                let request = format!(
                    "POST /track HTTP/1.1\r\nhost: drill\r\nx-api-key: {key}\r\ncontent-type: application/json\r\n\
                     content-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let asked = Instant::now();
                stream.write_all(request.as_bytes()).await?;
                answers.push((status(&mut stream).await?, asked.elapsed()));
            }
            anyhow::Ok(answers)
        });
    }
    tokio::time::sleep(length).await;
    stop.store(true, Ordering::Relaxed);
    let mut load = Load {
        answers: BTreeMap::new(),
        good: 0,
        took: begun.elapsed(),
        p99: Duration::ZERO,
    };
    let mut latencies = Vec::new();
    while let Some(answers) = tasks.join_next().await {
        for (status, latency) in answers?? {
            *load.answers.entry(status).or_default() += 1;
            load.good += u64::from(status == 200);
            latencies.push(latency);
        }
    }
    latencies.sort_unstable();
    ensure!(!latencies.is_empty(), "nothing was answered");
    load.p99 = latencies[latencies.len() * 99 / 100];
    Ok(load)
}

/// Reads one answer to its end; its status.
async fn status(stream: &mut TcpStream) -> anyhow::Result<u16> {
    let mut held = Vec::with_capacity(1_024);
    let head = loop {
        ensure!(
            stream.read_buf(&mut held).await? > 0,
            "the connection was closed"
        );
        if let Some(at) = held.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let text = std::str::from_utf8(&held[..head])?.to_ascii_lowercase();
    let length = text.split("content-length: ").nth(1).context("no length")?;
    let length: usize = length.split("\r\n").next().context("no length")?.parse()?;
    while held.len() < head + length {
        ensure!(
            stream.read_buf(&mut held).await? > 0,
            "the connection was closed"
        );
    }
    Ok(text.get(9..12).context("no status")?.parse()?)
}

/// How many events are stored.
async fn count(house: &House) -> anyhow::Result<u64> {
    let body = json!({ "parameters": ["custom_events"], "preset": "last_7d", "limit": 10 });
    let answer = ledger::ask(house, &body).await?;
    let rows = answer["data"][0]["data"].as_array().context("no rows")?;
    let counts = rows.iter().filter_map(|row| row["total_events"].as_u64());
    Ok(counts.sum())
}
