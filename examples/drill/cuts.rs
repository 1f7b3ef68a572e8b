//! F4: power cuts. The data lies on an ext4 image of its own; the program is stopped in the middle of its work, the image
//! is copied as it is on the "disk" at that moment, and life goes on from the copy: what was in the page cache is gone.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use rustix::process::Signal;

use crate::{
    Setting,
    client::{Clients, until},
    ledger::Ledger,
    program::House,
    report::Report,
    root::{Mount, sh},
};

const NAME: &str = "F4 power cuts";
const CLIENTS: usize = 16;
/// How long a starved machine may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// After how many cuts it says how far it is.
const TELL: u32 = 20;

pub(crate) async fn run(setting: &Setting) -> anyhow::Result<Report> {
    let cuts = setting.times(5, 200);
    let mut report = Report::new(NAME);
    let place = tempfile::tempdir_in(&setting.directory)?;
    let mounted = Disk::new(place.path()).and_then(|disk| Ok((disk.mount()?, disk)));
    let (mut mount, mut disk) = match mounted {
        Ok(mounted) => mounted,
        Err(error) => return Ok(Report::skipped(NAME, error.to_string())),
    };
    let data = place.path().join("mounted/data");
    let mut house = House::new(setting, Some(&data), &[("PHAROS_DRILL_SEAL_ROWS", "200")])?;
    if setting.sabotage {
        house.set("PHAROS__INGEST__ACK", "memory");
    }
    // Setting up is not what is cut here.
    sh(
        "sync",
        &["-f", &place.path().join("mounted").to_string_lossy()],
    )?;
    let ledger = Arc::new(Ledger::default());
    let mut written = 0;
    for cut in 0..cuts {
        let mut running = house.start().await?;
        let clients = Clients::resting(&house, &ledger, CLIENTS, setting.rest());
        let before = ledger.count();
        tokio::time::sleep(Duration::from_millis(50 + u64::from(cut) * 397 % 950)).await;
        let some = async || Ok(ledger.count() > before);
        until("an acknowledged event", PATIENCE, some).await?;
        running.signal(Signal::STOP);
        written += disk.cut()?;
        running.kill()?;
        clients.stop().await;
        drop(mount);
        mount = disk.mount()?;
        let running = house.start().await?;
        let balance = ledger.settle(&house).await?;
        report.check(balance.lost + balance.doubled == 0, || {
            format!("after {} cuts: {balance}", cut + 1)
        });
        if (cut + 1) % TELL == 0 {
            report.so_far(format!("{} cuts, {balance}", cut + 1));
        }
        running.kill()?;
        if !report.passed() {
            break;
        }
    }
    report.figure(format!(
        "{cuts} cuts, {} MB on the disk each",
        (written / u64::from(cuts)) >> 20
    ));
    let running = house.start().await?;
    ledger.report(&house, &mut report).await?;
    running.stop().await?;
    drop(mount);
    Ok(report)
}

/// An image and what is mounted of it.
struct Disk {
    place: PathBuf,
    image: PathBuf,
    copies: u32,
}

impl Disk {
    fn new(place: &Path) -> anyhow::Result<Self> {
        let image = place.join("image-0");
        let file = fs::File::create(&image)?;
        file.set_len(512 << 20)?;
        sh("mkfs.ext4", &["-q", "-F", &image.to_string_lossy()])?;
        Ok(Self {
            place: place.to_owned(),
            image,
            copies: 0,
        })
    }

    /// Mounts the present image, which replays its journal. Nothing but the program's own syncs makes the file system
    /// write, and it helps nobody who forgot one.
    fn mount(&self) -> anyhow::Result<Mount> {
        let at = self.place.join("mounted");
        Mount::new(
            &at,
            &[
                "-o",
                "loop,commit=600,noauto_da_alloc",
                &self.image.to_string_lossy(),
            ],
        )
    }

    /// Copies the image as it is at one moment, and goes on with the copy. The bytes that it holds.
    fn cut(&mut self) -> anyhow::Result<u64> {
        self.copies += 1;
        let copy = self.place.join(format!("image-{}", self.copies));
        let device = self.device()?;
        loop {
            // The kernel may write what it had in memory while the copy is made; that would be a state that no cut can
            // leave. Then it is made again.
            let before = writes(&device)?;
            let (from, to) = (self.image.to_string_lossy(), copy.to_string_lossy());
            sh("cp", &["--sparse=always", &from, &to])?;
            if writes(&device)? == before {
                break;
            }
        }
        // Unlinked, it goes when it is unmounted.
        fs::remove_file(&self.image)?;
        self.image = copy;
        let held = fs::metadata(&self.image)?;
        Ok(std::os::unix::fs::MetadataExt::blocks(&held) * 512)
    }

    /// `loop0`, …
    fn device(&self) -> anyhow::Result<String> {
        let image = self.image.to_string_lossy();
        let found = sh(
            "losetup",
            &["--associated", &image, "--noheadings", "--output", "NAME"],
        )?;
        let device = found.lines().next().context("the image has no device")?;
        Ok(device.trim().trim_start_matches("/dev/").to_owned())
    }
}

/// Writes that a device has completed or is busy with.
fn writes(device: &str) -> anyhow::Result<(u64, u64)> {
    let figures = fs::read_to_string(format!("/sys/block/{device}/stat"))?;
    let figures: Vec<u64> = figures
        .split_whitespace()
        .map_while(|number| number.parse().ok())
        .collect();
    Ok((
        figures.get(4).copied().unwrap_or(0),
        figures.get(8).copied().unwrap_or(0),
    ))
}
