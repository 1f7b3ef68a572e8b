//! F1: `kill -9` under load, again and again.

use std::{sync::Arc, time::Duration};

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::House,
    report::Report,
};

const CLIENTS: usize = 64;
/// After how many kills the ledger is settled in between.
const SETTLE: u32 = 50;
/// How long a starved machine may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// How soon it has to take events again, in the long mode.
const SOON: Duration = Duration::from_secs(1);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let kills = setting.times(6, 1_000);
    let mut report = Report::new("F1 kills");
    // Rows of a generation: so few that kills hit seals and merges as well.
    let rows = if setting.long { "2000" } else { "200" };
    let house = House::new(setting, None, &[("PHAROS_DRILL_SEAL_ROWS", rows)])?;
    let ledger = Arc::new(Ledger::default());
    let mut starts = Vec::new();
    for kill in 0..kills {
        let running = house.start().await?;
        starts.push(running.ready_after);
        let clients = Clients::resting(&house, &ledger, CLIENTS, setting.rest());
        // Between a tenth of a second and two, and never before something was acknowledged.
        let before = ledger.count();
        tokio::time::sleep(Duration::from_millis(100 + u64::from(kill) * 739 % 1_900)).await;
        let some = async || Ok(ledger.count() > before);
        until("an acknowledged event", PATIENCE, some).await?;
        running.kill()?;
        clients.stop().await;
        if setting.sabotage {
            house.tear_log()?;
        }
        if (kill + 1) % SETTLE == 0 {
            let running = house.start().await?;
            let balance = ledger.settle(&house).await?;
            report.so_far(format!("{} kills, {balance}", kill + 1));
            report.check(balance.lost + balance.doubled == 0, || {
                format!("after {} kills: {balance}", kill + 1)
            });
            running.kill()?;
        }
    }
    let running = house.start().await?;
    report.figure(format!("{kills} kills"));
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    starts.sort_unstable();
    let at = |share: usize| starts[(starts.len() * share / 100).min(starts.len() - 1)];
    report.figure(format!(
        "restart to accepting p50 {:.2} s, p99 {:.2} s, at most {:.2} s",
        at(50).as_secs_f64(),
        at(99).as_secs_f64(),
        at(100).as_secs_f64()
    ));
    report.check(!setting.timed() || at(99) < SOON, || {
        format!("a restart took {:.2} s", at(99).as_secs_f64())
    });
    Ok(report)
}
