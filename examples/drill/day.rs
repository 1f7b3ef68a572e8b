//! A day in an hour: everything at once (events, questions, redirects, flags, monitors, backups, retention, merges) with kills in
//! between, and afterwards every book has to be right.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::ensure;
use serde_json::{Value, json};

use crate::{
    Setting,
    client::{Clients, until},
    ledger::{Ledger, ask},
    program::{House, Running},
    report::Report,
    samples::Samples,
    visitors::{Target, Visitors},
    watch::Watch,
};

/// How long a starved machine may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// Growth of memory that a day may have, bytes an hour, in the long mode.
const MORE_MEMORY: f64 = 64e6;

/// How much of everything.
struct Size {
    length: Duration,
    monitors: usize,
    links: usize,
    flags: usize,
    life: Duration,
    backups: Duration,
}

impl Size {
    fn of(setting: &Setting) -> Self {
        let length = setting.length(0.8, 60.0);
        if setting.long {
            Self {
                length,
                monitors: 1_000,
                links: 100,
                flags: 50,
                life: Duration::from_mins(3),
                backups: Duration::from_mins(10),
            }
        } else {
            Self {
                length,
                monitors: 20,
                links: 10,
                flags: 5,
                life: Duration::from_secs(12),
                backups: Duration::from_secs(15),
            }
        }
    }
}

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let size = Size::of(setting);
    let mut report = Report::new("day");
    let rows = if setting.long { "2000" } else { "200" };
    let house = House::new(
        setting,
        None,
        &[
            ("PHAROS_DRILL_SEAL_ROWS", rows),
            ("PHAROS__EGRESS__ALLOW", "127.0.0.0/8"),
            ("PHAROS__LIMITS__FLAGS_REQUESTS", "0"),
            ("PHAROS__LIMITS__KEY_REQUESTS", "0"),
        ],
    )?;
    let target = Target::start().await?;
    let ledger = Arc::new(Ledger::default());
    let running = house.start().await?;
    let old = furnish(&house, &size, &target).await?;
    let visitors = Visitors::start(&house, &ledger, size.links);
    let mut day = Day {
        setting,
        house: &house,
        size: &size,
        ledger: &ledger,
        begun: Watch::start(),
        copies: house.directory.path().join("copies"),
        kills: 0,
        copied: 0,
        samples: Samples::default(),
    };
    let alive = day.pass(running, &mut report).await?;
    let Day {
        begun,
        copies,
        kills,
        copied,
        samples,
        ..
    } = day;
    let seen = visitors.stop().await;
    back_up(&house, &copies, &mut report).await?;
    report.figure(format!(
        "{:.0} s, {kills} kills, {} copies, {} monitors, {seen}",
        begun.elapsed().as_secs_f64(),
        copied + 1,
        size.monitors
    ));
    samples.judge(setting, MORE_MEMORY, &mut report);
    seen.judge(size.length, &mut report);
    ledger.report(&house, &mut report).await?;
    report.figure(format!(
        "{} requests were told to come again",
        ledger.refused.load(Ordering::Relaxed)
    ));
    books(&house, &size, &target, &old, &mut report).await?;
    alive.stop().await?;
    restored(&house, &copies, &ledger, &mut report).await?;
    Ok(report)
}

/// A day while it passes.
struct Day<'a> {
    setting: &'a Setting,
    house: &'a House,
    size: &'a Size,
    ledger: &'a Arc<Ledger>,
    begun: Watch,
    /// Where copies go, and how many were made.
    copies: PathBuf,
    copied: u32,
    kills: u32,
    samples: Samples,
}

impl Day<'_> {
    /// Lives through it; the program that runs at its end.
    async fn pass(&mut self, mut running: Running, report: &mut Report) -> anyhow::Result<Running> {
        let whole = self.size.length;
        let mut since_copy = Watch::start();
        loop {
            let rest = Duration::from_millis(20);
            let clients = Clients::resting(self.house, self.ledger, 8, rest);
            let life = Watch::start();
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let now = self.begun.elapsed();
                // The second half of the day passes without kills, so that growth shows.
                let quiet = now * 2 > whole;
                if quiet {
                    self.samples.take(now, self.house, &running).await?;
                }
                if since_copy.elapsed() > self.size.backups {
                    since_copy = Watch::start();
                    back_up(self.house, &self.copies, report).await?;
                    self.copied += 1;
                }
                if now >= whole {
                    clients.stop().await;
                    return Ok(running);
                }
                if !quiet && life.elapsed() >= self.size.life {
                    break;
                }
            }
            running.kill()?;
            self.kills += 1;
            clients.stop().await;
            if self.setting.sabotage {
                self.house.tear_log()?;
            }
            running = self.house.start().await?;
        }
    }
}

/// Makes monitors, links, flags, and a website whose events are too old; that website's id.
async fn furnish(house: &House, size: &Size, target: &Target) -> anyhow::Result<String> {
    for n in 0..size.monitors {
        let url = format!("{}/{n}", target.url);
        let monitor =
            json!({ "url": url, "name": format!("m{n}"), "granularity": "thirty_seconds" });
        house.call("/uptime/createSchedule", &monitor).await?;
    }
    for n in 0..size.links {
        let url = format!("https://example.com/{n}");
        let link = json!({ "slug": format!("day-{n}"), "name": format!("l{n}"), "targetUrl": url });
        house.call("/links/create", &link).await?;
    }
    for n in 0..size.flags {
        let flag = json!({
            "websiteId": house.website, "key": format!("f{n}"), "type": "rollout", "rolloutPercentage": 50,
        });
        house.call("/flags/create", &flag).await?;
    }
    let old = json!({ "name": "Old", "domain": "old.example" });
    let old = house.call("/websites/create", &old).await?;
    let id = old["id"].as_str().unwrap_or_default().to_owned();
    let kept = json!({ "id": id, "settings": { "retentionDays": 2 } });
    house.call("/websites/updateSettings", &kept).await?;
    let now = chrono::Utc::now();
    let event = |name: &str, days: i64| {
        let at = (now - chrono::Duration::days(days))
            .to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        json!({ "name": name, "websiteId": id, "timestamp": at })
    };
    let events = json!([
        event("too-old", 30),
        event("too-old", 3),
        event("kept", 1),
        event("kept", 0)
    ]);
    let request = reqwest::Client::new().post(format!("{}/track", house.track()));
    let sent = request
        .header("x-api-key", &house.key)
        .json(&events)
        .send()
        .await?;
    ensure!(
        sent.status() == 200,
        "the old website's events: {}",
        sent.text().await?
    );
    Ok(id)
}

/// A copy beside whatever happens.
async fn back_up(house: &House, copies: &Path, report: &mut Report) -> anyhow::Result<()> {
    let copy = copies.display().to_string();
    let output = house.run(&["backup", &copy, "--keep", "2"]).await?;
    report.check(output.status.success(), || {
        format!("a copy failed: {}", String::from_utf8_lossy(&output.stderr))
    });
    Ok(())
}

/// What has to hold beside the ledger of events.
async fn books(
    house: &House,
    size: &Size,
    target: &Target,
    old: &str,
    report: &mut Report,
) -> anyhow::Result<()> {
    let audit = house.run(&["audit", "verify"]).await?;
    report.check(audit.status.success(), || {
        format!("the audit log: {}", String::from_utf8_lossy(&audit.stderr))
    });
    let links = house.call("/links/list", &json!({})).await?;
    let count = links.as_array().map_or(0, Vec::len);
    report.check(count == size.links, || {
        format!("{count} links of {}", size.links)
    });
    let flags = house
        .call("/flags/list", &json!({ "websiteId": house.website }))
        .await?;
    let flags = flags.as_array().map_or(0, Vec::len);
    report.check(flags == size.flags, || {
        format!("{flags} flags of {}", size.flags)
    });
    // One monitor that is checked again and again is one.
    let checked = async || Ok(target.distinct() >= size.monitors);
    let checked = until("every monitor was checked", PATIENCE, checked).await;
    report.check(checked.is_ok(), || {
        format!(
            "{} monitors of {} were checked",
            target.distinct(),
            size.monitors
        )
    });
    report.figure(format!(
        "{} checks of {} monitors",
        target.checks(),
        target.distinct()
    ));
    // Old events go within two minutes of a start, when the program looks for them for the first time.
    let question = json!({ "parameters": ["custom_events"], "preset": "last_90d", "limit": 100 });
    let url = format!("{}/v1/query?website_id={old}", house.base());
    let names = async || -> anyhow::Result<Vec<String>> {
        let request = reqwest::Client::new()
            .post(&url)
            .header("x-api-key", &house.key);
        let answer: Value = request.json(&question).send().await?.json().await?;
        let rows = answer["data"][0]["data"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        Ok(rows
            .iter()
            .filter_map(|row| Some(row["name"].as_str()?.to_owned()))
            .collect())
    };
    let gone = async || Ok(names().await? == ["kept"]);
    let gone = until("events that are too old are gone", PATIENCE, gone).await;
    report.check(gone.is_ok(), || {
        "events that are too old are still there".to_owned()
    });
    Ok(())
}

/// The last copy is whole, and has everything that the program had.
async fn restored(
    house: &House,
    copies: &Path,
    ledger: &Ledger,
    report: &mut Report,
) -> anyhow::Result<()> {
    let data: PathBuf = house.directory.path().join("restored");
    let there = data.display().to_string();
    let copy = copies.display().to_string();
    let settings = [("PHAROS__STORAGE__DATA_DIR", there.as_str())];
    let output = house
        .run_with(&["restore", &copy, "--verify"], &settings)
        .await?;
    report.check(output.status.success(), || {
        format!("the copy: {}", String::from_utf8_lossy(&output.stderr))
    });
    if !output.status.success() {
        return Ok(());
    }
    let second = house.moved_to(&data);
    let running = second.start().await?;
    let balance = ledger.settle(&second).await?;
    report.figure(format!("restored: {balance}"));
    report.check(balance.lost + balance.doubled == 0, || {
        format!("restored: {balance}")
    });
    let totals = json!({ "parameters": ["summary_totals"], "preset": "last_7d" });
    ask(&second, &totals).await?;
    running.stop().await
}
