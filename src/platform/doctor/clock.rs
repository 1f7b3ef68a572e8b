//! The machine's time: sessions, limits, one-time codes and days of reports hang on it.

use std::path::Path;

use super::Finding;
use crate::{
    actors::audit,
    clock::{Clock, iso_ms},
    config::Settings,
    platform::Stores,
    store::last_run,
};

/// Where systemd says that the clock was set by a time server.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";
/// How far ahead of the clock something may have been written.
const TOLERANCE_MS: i64 = 5_000;

pub(super) async fn check(settings: &Settings) -> Finding {
    let now_ms = Clock::system().now_ms();
    let fix = "set the clock, and let a time server keep it (`timedatectl set-ntp true`)";
    if let Some(last_ms) = last_entry(settings).await
        && last_ms > now_ms + TOLERANCE_MS
    {
        let seen = format!(
            "it is {}, but the audit log has an entry of {}",
            iso_ms(now_ms),
            iso_ms(last_ms)
        );
        return Finding::bad("clock", seen, fix);
    }
    let last_run = last_run::read(Path::new(&settings.storage.data_dir));
    if let Ok(Some(last_ms)) = last_run
        && last_run::compare(now_ms, last_ms).is_err()
    {
        let seen = format!(
            "it is {}, but the server last ran on {}: nothing is deleted by age meanwhile",
            iso_ms(now_ms),
            iso_ms(last_ms)
        );
        let fix = "set the clock; if it is right because the server was off for so long, run `pharos confirm-clock`";
        return Finding::bad("clock", seen, fix);
    }
    let keeper = if Path::new(SYNCHRONIZED).exists() {
        ", kept by a time server"
    } else {
        "; systemd does not say whether a time server keeps it"
    };
    Finding::good("clock", format!("it is {}{keeper}", iso_ms(now_ms)))
}

/// When the last entry of the audit log was written.
async fn last_entry(settings: &Settings) -> Option<i64> {
    let state = Stores::state_beside(settings).await.ok()?;
    let last = audit::last_written(&state).await.ok().flatten();
    let _ = state.close().await;
    last
}
