//! How long the disk takes to sync: every figure of something durable depends on it.

use std::{fs::File, io::Write};

use crate::{
    Setting,
    report::{DISK, Report},
    watch::Watch,
};

/// Appends that are measured.
const TIMES: usize = 500;
/// Bytes of each.
const BYTES: usize = 4_096;

pub(crate) fn run(setting: &Setting) -> anyhow::Result<Report> {
    let mut report = Report::new(DISK);
    let place = tempfile::tempdir_in(&setting.directory)?;
    let mut file = File::create(place.path().join("appended"))?;
    let mut taken = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        file.write_all(&[7; BYTES])?;
        let begun = Watch::start();
        file.sync_data()?;
        taken.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    taken.sort_unstable_by(f64::total_cmp);
    report.figure(format!(
        "fdatasync after 4 KiB: p50 {:.2} ms, p99 {:.2} ms, at most {:.1} ms",
        taken[TIMES / 2],
        taken[TIMES * 99 / 100],
        taken[TIMES - 1]
    ));
    Ok(report)
}
