//! F29: an hour of ordinary load with clients that break off. Nothing that a request or a connection took may be kept.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::{io::AsyncWriteExt as _, net::TcpStream, task::JoinHandle};

use crate::{
    Setting, client::Clients, ledger::Ledger, program::House, report::Report, samples::Samples,
    visitors::Visitors, watch::Watch,
};

/// Clients that send events, and how long each rests: about 200 requests in a second, beside some 80 of visitors.
const CLIENTS: usize = 11;
const REST: Duration = Duration::from_millis(50);
/// Clients that fill the store before, without a rest, and for which share of the time.
const FILLERS: usize = 20;
const FILLING: f64 = 0.05;
/// How long whoever breaks off rests: twenty times in a second.
const BREAK: Duration = Duration::from_millis(50);
/// Ceiling of the query engine.
const MEMORY: &str = "64M";
/// Ceiling of the answers that are given again: nearly a kilobyte for each question of an hour otherwise.
const CACHE: &str = "1M";
/// Growth of memory that an hour may have beside the filters of ids, bytes.
const MORE_MEMORY: f64 = 1e6;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F29 soak");
    let house = House::new(
        setting,
        None,
        &[
            ("PHAROS__LIMITS__FLAGS_REQUESTS", "0"),
            ("PHAROS__LIMITS__KEY_REQUESTS", "0"),
            // What has a ceiling reaches it soon, so that only what has none goes on growing.
            ("PHAROS__QUERY__MEMORY", MEMORY),
            ("PHAROS__QUERY__CACHE", CACHE),
        ],
    )?;
    let ledger = Arc::new(Ledger::default());
    let whole = setting.length(0.3, 60.0);
    let mut running = house.start().await?;
    let link = json!({ "slug": "day-0", "name": "l", "targetUrl": "https://example.com/" });
    house.call("/links/create", &link).await?;
    // What a question needs grows with the events of its website, up to the engine's ceiling. It is to be there before.
    let fillers = Clients::start(&house, &ledger, FILLERS);
    tokio::time::sleep(whole.mul_f64(FILLING)).await;
    fillers.stop().await;
    let clients = Clients::resting(&house, &ledger, CLIENTS, REST);
    let visitors = Visitors::start(&house, &ledger, 1);
    let rude = Rude::start(&house);
    let begun = Watch::start();
    let mut samples = Samples::default();
    while begun.elapsed() < whole {
        tokio::time::sleep(Duration::from_secs(1)).await;
        samples.take(begun.elapsed(), &house, &running).await?;
    }
    let broken = rude.stop().await?;
    clients.stop().await;
    let seen = visitors.stop().await;
    report.figure(format!(
        "{:.0} s, {seen}, {broken} connections broken off",
        begun.elapsed().as_secs_f64()
    ));
    samples.judge(setting, MORE_MEMORY, &mut report);
    seen.judge(whole, &mut report);
    if setting.sabotage {
        running.kill()?;
        house.tear_log()?;
        running = house.start().await?;
    }
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// Somebody who begins requests and resets the connection in the middle.
struct Rude {
    stop: Arc<AtomicBool>,
    task: JoinHandle<u64>,
}

impl Rude {
    fn start(house: &House) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let ports = [house.track_port(), house.base_port()];
        let half = "POST /track HTTP/1.1\r\nhost: here\r\ncontent-length: 1000\r\n\r\n[{\"name\":";
        let task = tokio::spawn(async move {
            let mut broken = 0;
            while !stopped.load(Ordering::Relaxed) {
                let port = ports[usize::from(broken % 2 == 0)];
                if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)).await {
                    // Somewhere in the head, or in the body.
                    let until = 10 + broken as usize * 7 % (half.len() - 10);
                    if stream.write_all(&half.as_bytes()[..until]).await.is_ok()
                        && stream.set_zero_linger().is_ok()
                    {
                        broken += 1;
                    }
                }
                tokio::time::sleep(BREAK).await;
            }
            broken
        });
        Self { stop, task }
    }

    /// Ends it; how often it broke off.
    async fn stop(self) -> anyhow::Result<u64> {
        self.stop.store(true, Ordering::Relaxed);
        Ok(self.task.await?)
    }
}
