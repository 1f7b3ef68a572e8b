//! F27: SIGTERM and SIGINT under load. What was taken is finished, nobody is let in any more, and it ends soon.

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use rustix::process::Signal;

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::House,
    report::Report,
    watch::Watch,
};

const CLIENTS: usize = 32;
/// How long a starved machine may take to take something.
const PATIENCE: Duration = Duration::from_mins(5);
/// How soon it has to end.
const SOON: Duration = Duration::from_secs(10);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let stops = setting.times(4, 100);
    let mut report = Report::new("F27 stop");
    let house = House::new(setting, None, &[("PHAROS_DRILL_SEAL_ROWS", "200")])?;
    let ledger = Arc::new(Ledger::default());
    let mut slowest = Duration::ZERO;
    for stop in 0..stops {
        let mut running = house.start().await?;
        let clients = Clients::resting(&house, &ledger, CLIENTS, setting.rest());
        let before = ledger.count();
        let some = async || Ok(ledger.count() > before + 50);
        until("acknowledged events", PATIENCE, some).await?;
        let begun = Watch::start();
        let signal = if stop % 2 == 0 {
            Signal::TERM
        } else {
            Signal::INT
        };
        ensure!(running.signal(signal), "it had ended by itself");
        let status = running.ended().await?;
        slowest = slowest.max(begun.elapsed());
        clients.stop().await;
        report.check(status.success(), || format!("it ended with {status}"));
        if setting.sabotage {
            house.tear_log()?;
        }
    }
    report.check(slowest < SOON, || {
        format!("a stop took {:.1} s", slowest.as_secs_f64())
    });
    report.figure(format!(
        "{stops} stops under {CLIENTS} clients, the slowest {:.2} s",
        slowest.as_secs_f64()
    ));
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}
