//! F7: a full disk. Events are refused with 503 and `Retry-After: 30`, people still sign in and change things, and
//! everything goes on by itself when there is room again.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::json;

use crate::{
    Setting,
    client::{Clients, send_once, until},
    ledger::Ledger,
    program::House,
    report::Report,
    root::Mount,
};

/// Bytes of the disk, and of the reserve on it.
const DISK: &str = "size=256m";
const RESERVE: u64 = 48 << 20;
/// How soon it has to go on.
const SOON: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Vec<Report>> {
    const NAMES: [&str; 2] = ["F7 disk filled by events", "F7 disk filled by others"];
    let mut reports = Vec::new();
    for (name, to_the_brim) in NAMES.into_iter().zip([false, true]) {
        let place = tempfile::tempdir_in(&setting.directory)?;
        let disk = place.path().join("disk");
        reports.push(
            match Mount::new(&disk, &["-t", "tmpfs", "-o", DISK, "none"]) {
                Ok(_mount) => one(setting, name, to_the_brim, &disk).await?,
                Err(error) => Report::skipped(name, error.to_string()),
            },
        );
    }
    Ok(reports)
}

async fn one(
    setting: &Setting,
    name: &'static str,
    to_the_brim: bool,
    disk: &Path,
) -> anyhow::Result<Report> {
    let mut report = Report::new(name);
    let settings = [
        ("PHAROS__STORAGE__RESERVE_BYTES", &*RESERVE.to_string()),
        ("PHAROS_DRILL_SEAL_ROWS", "500"),
        // More than the disk holds: the backlog is not what is tried here.
        ("PHAROS_DRILL_BACKLOG_BYTES", "1000000000"),
    ];
    let house = House::new(setting, Some(&disk.join("data")), &settings)?;
    let ledger = Arc::new(Ledger::default());
    let mut running = house.start().await?;
    let foreign = disk.join("foreign");
    if !to_the_brim {
        // Little is left for events before the reserve begins.
        let room = free(disk)?.saturating_sub(RESERVE + (2 << 20));
        fill(&foreign, room)?;
    }
    let clients = Clients::start(&house, &ledger, 8);
    let some = async || Ok(ledger.count() > 500);
    until("acknowledged events", PATIENCE, some).await?;
    if to_the_brim {
        // Somebody else takes everything, while events come and segments are written.
        fill(&foreign, u64::MAX)?;
    }
    let refused = async || Ok(ledger.refused.load(Ordering::Relaxed) > 0);
    until("a refusal", PATIENCE, refused).await?;
    let number = ledger.take(1);
    let answer = send_once(&house, &ledger, &[number]).await;
    report.check(
        matches!(&answer, Some((503, Some(after))) if after == "30"),
        || format!("refused with {answer:?}"),
    );
    // The ballast is given up within half a second.
    let mut told = Vec::new();
    let state = async || {
        told = vec![sign_in(&house).await?, add_website(&house).await?];
        Ok(told.iter().all(|status| *status == 200))
    };
    let changed = until("a change of state", Duration::from_secs(5), state).await;
    report.check(changed.is_ok(), || {
        format!("signing in and adding a website are answered {told:?}")
    });
    fs::remove_file(&foreign)?;
    let goes_on = async || {
        let number = ledger.take(1);
        let answer = send_once(&house, &ledger, &[number]).await;
        Ok(answer.is_some_and(|(status, _)| status == 200))
    };
    let after = until("events are taken again", PATIENCE, goes_on).await?;
    report.check(after < SOON, || format!("it went on after {after:?} only"));
    clients.stop().await;
    if setting.sabotage {
        running = house.restart_without_log(running).await?;
    }
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    let refusals = ledger.refused.load(Ordering::Relaxed);
    report.figure(format!(
        "{refusals} refusals, taken again after {:.1} s",
        after.as_secs_f64()
    ));
    Ok(report)
}

fn free(disk: &Path) -> anyhow::Result<u64> {
    let stat = rustix::fs::statvfs(disk)?;
    Ok(stat.f_bavail * stat.f_frsize)
}

/// Writes so many bytes, or as many as there is room for.
fn fill(path: &Path, bytes: u64) -> anyhow::Result<()> {
    let mut file = File::create(path)?;
    let mut left = bytes;
    let mut piece: &[u8] = &vec![7; 64 << 10];
    while left > 0 && !piece.is_empty() {
        let now = &piece[..piece.len().min(left as usize)];
        match file.write_all(now) {
            Ok(()) => left -= now.len() as u64,
            // The last bytes as well.
            Err(_) => piece = &piece[..piece.len() / 2],
        }
    }
    Ok(())
}

async fn sign_in(house: &House) -> anyhow::Result<u16> {
    let (email, password) = &house.owner;
    let url = format!("{}/api/auth/sign-in/email", house.base());
    let body = json!({ "email": email, "password": password });
    let answer = reqwest::Client::new().post(url).json(&body).send().await?;
    Ok(answer.status().as_u16())
}

/// Any write of state.
async fn add_website(house: &House) -> anyhow::Result<u16> {
    let url = format!("{}/websites/create", house.base());
    let domain = format!("{}.example", uuid::Uuid::new_v4());
    let body = json!({ "name": "Drill", "domain": domain });
    let http = reqwest::Client::new();
    let asked = http.post(url).header("x-api-key", &house.key).json(&body);
    Ok(asked.send().await?.status().as_u16())
}
