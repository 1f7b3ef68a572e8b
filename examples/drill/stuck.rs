//! F10: the sealer hangs. Ingestion does not notice until the backlog is full, then it refuses cleanly; memory
//! stays, and a kill costs nothing.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::{House, Running},
    report::Report,
    watch::Watch,
};

const PATIENCE: Duration = Duration::from_mins(10);
/// How long a backlog that cannot grow is waited for.
const UNSTUCK: Duration = Duration::from_secs(20);
/// Memory that may come and go.
const SLACK: u64 = 64 << 20;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F10 stuck sealer");
    let backlog: u64 = if setting.long { 128 << 20 } else { 1 << 20 };
    let backlog_text = backlog.to_string();
    let settings = [
        (
            "PHAROS_DRILL_SEAL_ROWS",
            if setting.long { "20000" } else { "1000" },
        ),
        ("PHAROS_DRILL_BACKLOG_BYTES", &*backlog_text),
    ];
    let house = House::new(setting, None, &settings)?;
    let ledger = Arc::new(Ledger::default());
    let running = house.start().await?;
    let clients = Clients::start(&house, &ledger, 16);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let usual = clients.latency(0.99);

    let patience = if setting.sabotage { UNSTUCK } else { PATIENCE };
    house.failpoint("seal", Some(if setting.sabotage { "pass" } else { "wait" }))?;
    let before = running.resident();
    let full = async || Ok(ledger.refused.load(Ordering::Relaxed) > 0);
    let full = until("the backlog is full", patience, full).await;
    report.check(full.is_ok(), || "the backlog never filled".to_owned());
    let stuck = clients.latency(0.99);
    let grown = running.resident().saturating_sub(before);
    // Queries answer the whole backlog.
    let balance = ledger.settle(&house).await?;
    report.check(balance.lost + balance.doubled == 0, || {
        format!("while stuck: {balance}")
    });
    running.kill()?;
    let running = after_a_kill(&house, &ledger, &mut report).await?;
    house.failpoint("seal", None)?;
    let refused = ledger.refused.load(Ordering::Relaxed);
    let taken = ledger.count();
    let again = async || Ok(ledger.count() > taken + 1_000);
    until("events are taken again", PATIENCE, again).await?;
    clients.stop().await;

    report.figure(format!(
        "backlog {} MB, p99 {:.1} ms before and {:.1} ms while stuck, memory grew by {} MB, {refused} refusals",
        backlog >> 20,
        usual.as_secs_f64() * 1e3,
        stuck.as_secs_f64() * 1e3,
        grown >> 20
    ));
    report.check(grown < SLACK, || {
        format!("memory grew by {} MB", grown >> 20)
    });
    let alike = stuck < (usual * 4).max(Duration::from_millis(200));
    report.check(!setting.timed() || alike, || {
        "ingestion noticed the sealer".to_owned()
    });
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// A kill finds the whole backlog in the log.
async fn after_a_kill(
    house: &House,
    ledger: &Ledger,
    report: &mut Report,
) -> anyhow::Result<Running> {
    let running = house.start().await?;
    let asked = Watch::start();
    let balance = ledger.settle(house).await?;
    report.figure(format!(
        "killed over the backlog: events taken after {:.2} s, all of them answered {:.2} s later",
        running.ready_after.as_secs_f64(),
        asked.elapsed().as_secs_f64()
    ));
    report.check(balance.lost + balance.doubled == 0, || {
        format!("killed while stuck: {balance}")
    });
    Ok(running)
}
