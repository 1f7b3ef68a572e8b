//! What the machine and this process say: processor time, resident memory, the disk's own speed.

use std::{
    fs::{self, File},
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;
use rustix::time::{ClockId, clock_gettime};

/// How long the process has to do nearly nothing to count as quiet.
const QUIET: Duration = Duration::from_millis(300);
/// How long quiet is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// Processor time of all threads of this process so far.
pub(crate) fn process_time() -> Duration {
    elapsed(ClockId::ProcessCPUTime)
}

fn elapsed(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Waits until seals, merges and the like are done: what runs on would be counted against the next measurement.
pub(crate) async fn quiet() {
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        let before = process_time();
        tokio::time::sleep(QUIET).await;
        if process_time().saturating_sub(before) < QUIET / 20 {
            return;
        }
    }
}

/// Resident memory of a process (`self` or a number), in MB.
pub(crate) fn resident_mb(process: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: f64 = line
        .and_then(|line| line.split_whitespace().next())
        .context("no VmRSS")?
        .parse()?;
    Ok(kib * 1024.0 / 1e6)
}

/// Median and 99th percentile of appending 1 KB and syncing it, in milliseconds.
pub(crate) fn disk(directory: &Path) -> anyhow::Result<(f64, f64)> {
    let path = directory.join("disk-speed");
    let mut file = File::create(&path)?;
    let mut took = Vec::with_capacity(200);
    for _ in 0..200 {
        let start = Instant::now();
        file.write_all(&[7; 1024])?;
        file.sync_data()?;
        took.push(start.elapsed().as_secs_f64() * 1e3);
    }
    fs::remove_file(&path)?;
    took.sort_by(f64::total_cmp);
    Ok((share(&took, 0.5), share(&took, 0.99)))
}

/// The value below which this share of the sorted values lies; 0 of none.
pub(crate) fn share<T: Copy + Default>(sorted: &[T], share: f64) -> T {
    let at = (sorted.len() as f64 * share) as usize;
    let last = sorted.len().saturating_sub(1);
    sorted.get(at.min(last)).copied().unwrap_or_default()
}

/// The middle of some figures.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    share(&figures, 0.5)
}

/// One line about the machine, for the table of figures.
pub(crate) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':'))
            .map_or_else(|| "?".to_owned(), |(_, value)| value.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "{cores} cores of {}, memory {}, Linux {}, {} build",
        field(&read("/proc/cpuinfo"), "model name"),
        field(&read("/proc/meminfo"), "MemTotal"),
        read("/proc/sys/kernel/osrelease").trim(),
        if cfg!(debug_assertions) {
            "DEBUG (figures mean nothing)"
        } else {
            "release"
        }
    )
}
