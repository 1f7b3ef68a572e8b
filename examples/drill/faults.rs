//! F2 and F3: killed at the n-th system call of a kind, or given an error there, by `strace`.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use crate::{
    Setting,
    client::{Clients, send_once},
    ledger::Ledger,
    program::House,
    report::Report,
    trace,
};

/// System calls at which the program is killed.
const CALLS: [&str; 7] = [
    "write",
    "pwrite64",
    "fdatasync",
    "fsync",
    "ftruncate",
    "rename",
    "unlink",
];
/// Requests of a run.
const REQUESTS: u64 = 12;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Vec<Report>> {
    if Command::new("strace").arg("-V").output().is_err() {
        let why = "strace is missing: apt-get install strace";
        return Ok(vec![
            Report::skipped("F2 kill at a system call", why),
            Report::skipped("F3 errors of the disk", why),
        ]);
    }
    Ok(vec![kill(setting).await?, errors(setting).await?])
}

/// Few rows a generation, so that a run has seals and merges.
fn house(setting: &Setting) -> anyhow::Result<House> {
    House::new(setting, None, &[("PHAROS_DRILL_SEAL_ROWS", "20")])
}

fn strace(log: &Path, options: &[&str]) -> Vec<String> {
    let log = log.to_string_lossy();
    let usual = ["strace", "-f", "-qq", "-y", "-o", &log];
    usual
        .iter()
        .chain(options)
        .map(|&text| text.to_owned())
        .collect()
}

async fn kill(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F2 kill at a system call");
    let most = setting.times(2, 200);
    let (house, ledger) = (house(setting)?, Arc::new(Ledger::default()));
    let (mut runs, mut hits) = (0, 0);
    for call in CALLS {
        for turn in 1..=most {
            // The short mode spreads its few tries; the long one goes on until nothing is hit any more.
            let n = if setting.long { turn } else { turn * turn * 4 };
            let trace = format!("trace={call}");
            let inject = format!("inject={call}:signal=SIGKILL:when={n}");
            let wrapper = strace(Path::new("/dev/null"), &["-e", &trace, "-e", &inject]);
            runs += 1;
            let came = one(&house, &ledger, &wrapper).await?;
            hits += u32::from(came.ended);
            if setting.sabotage {
                house.tear_log()?;
            }
            if !came.ended {
                break;
            }
        }
    }
    report.figure(format!("{runs} runs, {hits} hit"));
    report.check(hits > 0, || "nothing was hit".to_owned());
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// What came of a run.
#[derive(Debug, Default)]
struct Run {
    /// Whether the program ended by itself.
    ended: bool,
    /// Requests that it answered with 503.
    refused: u32,
}

/// One run under a fault.
async fn one(house: &House, ledger: &Arc<Ledger>, wrapper: &[String]) -> anyhow::Result<Run> {
    let mut came = Run::default();
    let Some(mut running) = house.start_under(wrapper).await? else {
        came.ended = true;
        return Ok(came);
    };
    for _ in 0..REQUESTS {
        let first = ledger.take(5);
        let numbers: Vec<u64> = (first..first + 5).collect();
        // A client that is told to tries once more.
        for _ in 0..2 {
            match send_once(house, ledger, &numbers).await {
                None | Some((200, _)) => break,
                Some((503, _)) => came.refused += 1,
                Some((status, _)) => anyhow::bail!("{status} is no answer to this"),
            }
        }
    }
    // What is hit may be upkeep, a moment later.
    tokio::time::sleep(Duration::from_millis(100)).await;
    came.ended = running.has_ended();
    running.kill()?;
    Ok(came)
}

async fn errors(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F3 errors of the disk");
    let most = setting.times(2, 40);
    let (mut house, ledger) = (house(setting)?, Arc::new(Ledger::default()));
    if setting.sabotage {
        house.set("PHAROS__INGEST__ACK", "memory");
    }
    let log = house.directory.path().join("strace");
    let (mut injected, mut unsynced) = (0, 0);
    for (call, error) in [
        ("fdatasync", "EIO"),
        ("fsync", "EIO"),
        ("fsync", "ENOSPC"),
        ("pwrite64", "ENOSPC"),
        ("openat", "EMFILE"),
        ("rename", "EIO"),
    ] {
        for turn in 1..=most {
            // A little later every time, and beyond what a start does.
            let n = match call {
                "openat" => 300 + turn * 7,
                "pwrite64" => 20 + turn * 5,
                _ => 4 + turn,
            };
            let trace = "trace=fdatasync,fsync,pwrite64,rename,openat,close";
            let inject = format!("inject={call}:error={error}:when={n}");
            let wrapper = strace(&log, &["-e", trace, "-e", &inject]);
            let came = one(&house, &ledger, &wrapper).await?;
            let calls = trace::calls(&fs::read_to_string(&log)?);
            injected += calls.iter().filter(|call| call.injected).count();
            let failed = trace::failed_syncs(&calls);
            unsynced += failed;
            report.check(failed == 0 || came.refused > 0 || came.ended, || {
                "a batch was answered with 200 although it was not synced".to_owned()
            });
            if let Some(file) = trace::synced_again(&calls) {
                report.check(false, || format!("synced after a failure: {file}"));
            }
        }
    }
    report.figure(format!(
        "{injected} errors, {unsynced} of them of a batch's sync"
    ));
    report.check(unsynced > 0, || "no batch's sync failed".to_owned());
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    if setting.sabotage {
        // What is never synced never fails to be.
        return Ok(report);
    }
    report.check(exits(&mut house, &ledger).await?, || {
        "it goes on although `ingest.on_fsync_error` is `exit`".to_owned()
    });
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// With `on_fsync_error = exit` two failures end the program, and not with success.
async fn exits(house: &mut House, ledger: &Arc<Ledger>) -> anyhow::Result<bool> {
    house.set("PHAROS__INGEST__ON_FSYNC_ERROR", "exit");
    // Every log file fails, from a moment after the start on; the state database syncs with `fsync`.
    let inject = "inject=fdatasync:error=EIO:when=3+";
    let wrapper = strace(
        Path::new("/dev/null"),
        &["-e", "trace=fdatasync", "-e", inject],
    );
    let Some(mut running) = house.start_under(&wrapper).await? else {
        return Ok(true);
    };
    let clients = Clients::start(house, ledger, 4);
    let ended = running.ended().await;
    clients.stop().await;
    Ok(ended.is_ok_and(|status| !status.success()))
}
