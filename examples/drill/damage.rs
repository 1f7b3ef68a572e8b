//! F9: a segment is damaged. It is left out of answers, which say so; all other rows are answered; a copy from a backup
//! under its name brings everything back.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, ensure};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::{House, Running, files},
    report::Report,
};

const PATIENCE: Duration = Duration::from_mins(1);
/// Rows of a segment.
const ROWS: usize = 300;

type Damage = (&'static str, fn(&Path) -> anyhow::Result<()>);

const DAMAGES: [Damage; 4] = [
    ("flipped", |path| {
        let mut bytes = fs::read(path)?;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Ok(fs::write(path, bytes)?)
    }),
    ("cut", |path| {
        let file = fs::File::options().write(true).open(path)?;
        Ok(file.set_len(file.metadata()?.len() / 2)?)
    }),
    ("garbage", |path| Ok(fs::write(path, [0x55; 5_000])?)),
    ("deleted", |path| Ok(fs::remove_file(path)?)),
];

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new("F9 damaged segment");
    let rows = ROWS.to_string();
    // An answer from memory is right, and says nothing of the files.
    let settings = [
        ("PHAROS_DRILL_SEAL_ROWS", &*rows),
        ("PHAROS__QUERY__CACHE", "0"),
    ];
    let house = House::new(setting, None, &settings)?;
    let ledger = Arc::new(Ledger::default());
    let running = house.start().await?;
    let clients = Clients::start(&house, &ledger, 4);
    // Fewer than are merged.
    let some = async || Ok(segments(&house)?.len() >= 5);
    until("a few segments", PATIENCE, some).await?;
    clients.stop().await;
    running.stop().await?;
    let mut running = house.start().await?;
    let whole = ledger.stored(&house).await?.rows;
    let (mut done, mut longest) = (0, Duration::ZERO);
    for (turn, damage, stopped) in cases(setting) {
        let files = segments(&house)?;
        let file = &files[(turn * 7 + damage.0.len()) % files.len()];
        let backup = house.directory.path().join("backup");
        fs::copy(file, &backup)?;
        let harm = if setting.sabotage {
            |_: &Path| Ok(())
        } else {
            damage.1
        };
        running = hurt(&house, running, stopped, || harm(file)).await?;
        let left_out = left_out(&house, &ledger, &whole, (file, &backup)).await;
        check(&mut report, (damage, stopped), &left_out);
        // From a backup, by name.
        fs::copy(&backup, file)?;
        let back = restored(&house, &ledger, &whole).await;
        check(&mut report, (damage, stopped), &back);
        longest = longest.max(back.unwrap_or_default());
        done += 1;
    }
    report.figure(format!(
        "{done} damages of {} segments, restored within {:.1} s",
        segments(&house)?.len(),
        longest.as_secs_f64()
    ));
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    Ok(report)
}

/// Turn, damage, and whether it is done while the program is stopped. The short mode does half of them once.
fn cases(setting: &Setting) -> impl Iterator<Item = (usize, Damage, bool)> {
    let (long, turns) = (setting.long, setting.times(1, 20) as usize);
    let damages = move |turn| DAMAGES.into_iter().enumerate().map(move |one| (turn, one));
    let whens = |(turn, one)| [false, true].map(|stopped| (turn, one, stopped));
    let all = (0..turns).flat_map(damages).flat_map(whens);
    all.filter(move |(_, (at, _), stopped)| long || at.is_multiple_of(2) == *stopped)
        .map(|(turn, (_, damage), stopped)| (turn, damage, stopped))
}

/// Does harm to a file under the running program, or between two runs.
async fn hurt(
    house: &House,
    running: Running,
    stopped: bool,
    harm: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<Running> {
    if !stopped {
        harm()?;
        return Ok(running);
    }
    running.stop().await?;
    harm()?;
    house.start().await
}

fn check<T>(report: &mut Report, (damage, stopped): (Damage, bool), outcome: &anyhow::Result<T>) {
    let when = if stopped {
        "before start"
    } else {
        "while running"
    };
    if let Err(error) = outcome {
        report.check(false, || format!("{} {when}: {error}", damage.0));
    }
}

type Rows = HashMap<u64, u64>;

/// Waits until every row is back; how long that took.
async fn restored(house: &House, ledger: &Ledger, whole: &Rows) -> anyhow::Result<Duration> {
    let back = async || {
        let stored = ledger.stored(house).await?;
        Ok(stored.rows == *whole && stored.damaged.is_empty())
    };
    until("every row is back", PATIENCE, back).await
}

/// Answers miss one segment's rows and nothing else, and name it; readiness names it too.
async fn left_out(
    house: &House,
    ledger: &Ledger,
    whole: &Rows,
    (file, copy): (&Path, &Path),
) -> anyhow::Result<()> {
    let name = &*file.file_name().context("a file")?.to_string_lossy();
    let rows = SerializedFileReader::new(fs::File::open(copy)?)?;
    let rows = rows.metadata().file_metadata().num_rows();
    let stored = ledger.stored(house).await?;
    let missing = whole
        .keys()
        .filter(|n| !stored.rows.contains_key(n))
        .count();
    // Not all of them are events: what was refused is counted in rows of its own.
    ensure!(
        (1..=rows).contains(&i64::try_from(missing)?),
        "{missing} rows are missing, of a segment of {rows}"
    );
    ensure!(
        stored
            .rows
            .iter()
            .all(|(number, count)| whole.get(number) == Some(count)),
        "rows changed"
    );
    ensure!(
        stored.damaged == [name],
        "`meta` names {:?}",
        stored.damaged
    );
    let url = format!("{}/health/ready", house.base());
    let named = async || {
        let answer = reqwest::get(&url).await?;
        ensure!(answer.status() == 200, "not ready");
        let health: Value = answer.json().await?;
        Ok(health["troubles"].to_string().contains(name))
    };
    until("readiness names the segment", PATIENCE, named).await?;
    let kept = house.data.join("segments/quarantine").join(name);
    let moved = async || Ok(!house.data.join("segments").join(name).exists());
    until("the file is moved away", PATIENCE, moved).await?;
    // One that was deleted cannot be kept.
    let _ = fs::remove_file(kept);
    Ok(())
}

/// Files of events; without their extracts, answers are made of events.
fn segments(house: &House) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = files(&house.data.join("segments"), "parquet")?;
    all.retain(|path| {
        path.file_stem()
            .is_some_and(|stem| !stem.to_string_lossy().contains('.'))
    });
    Ok(all)
}
