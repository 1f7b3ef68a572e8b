//! F26: many who never finish what they say: heads that come a byte at a time, bodies that stop, answers that nobody reads.
//! Others are answered meanwhile, and in the end nobody holds anything.

use std::{sync::Arc, time::Duration};

use tokio::{io::AsyncWriteExt as _, net::TcpStream, sync::watch, task::JoinSet};

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::House,
    report::Report,
};

/// How long a byte of a slow one takes.
const BYTE: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_mins(5);
/// What others may have to wait, in the long mode.
const SOON: Duration = Duration::from_millis(200);
/// Connections that may be left beyond those of before.
const LEFT: usize = 32;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let many = setting.times(150, 2_000) as usize;
    let lasting = Duration::from_secs(if setting.long { 60 } else { 6 });
    let mut report = Report::new("F26 slow");
    let house = House::new(setting, None, &[])?;
    let ledger = Arc::new(Ledger::default());
    let running = house.start().await?;
    let files = running.open_files();
    let (end, over) = watch::channel(false);
    let mut slow = JoinSet::new();
    let (base, track) = (house.base(), house.track());
    for n in 0..many {
        let url = if n % 2 == 0 { &base } else { &track };
        let address = url.trim_start_matches("http://").to_owned();
        let over = over.clone();
        slow.spawn(async move { drag(n, &address, over).await });
    }
    let clients = Clients::resting(&house, &ledger, 8, Duration::from_millis(20));
    tokio::time::sleep(lasting).await;
    let late = clients.latency(0.99);
    let held = running.open_files();
    clients.stop().await;
    let answered = ledger.count();
    // It may be done with some of them long before they are.
    end.send_replace(true);
    while slow.join_next().await.is_some() {}
    let free = async || Ok(running.open_files() <= files + LEFT);
    let freed = until("connections are given back", PATIENCE, free).await;
    report.figure(format!(
        "{many} slow ones for {} s, at most {held} open files, {answered} events meanwhile, p99 {:.0} ms",
        lasting.as_secs(),
        late.as_secs_f64() * 1e3
    ));
    // Whoever is sent away comes again, so that at any moment most of them are there.
    report.check(held >= files + many / 2, || {
        format!(
            "of {many} slow ones only {} were held",
            held.saturating_sub(files)
        )
    });
    report.check(freed.is_ok(), || {
        format!("{} open files of {files}", running.open_files())
    });
    report.check(!setting.timed() || late < SOON, || {
        format!("p99 of others {:.0} ms", late.as_secs_f64() * 1e3)
    });
    if setting.sabotage {
        house.tear_log()?;
        running.kill()?;
    } else {
        running.stop().await?;
    }
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// One that never finishes, and comes again when it is sent away.
async fn drag(n: usize, address: &str, mut over: watch::Receiver<bool>) {
    let head = match n % 3 {
        0 => "GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ".to_owned(),
        1 => "POST /track HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n[".to_owned(),
        // Nobody reads these answers.
        _ => "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3),
    };
    while !*over.borrow() {
        let Ok(mut stream) = TcpStream::connect(address).await else {
            return;
        };
        let mut open = stream.write_all(head.as_bytes()).await.is_ok();
        while open && !*over.borrow() {
            tokio::select! {
                () = tokio::time::sleep(BYTE) => {}
                _ = over.changed() => {}
            }
            open = n % 3 == 2 || stream.write_all(b"a").await.is_ok();
        }
    }
}
