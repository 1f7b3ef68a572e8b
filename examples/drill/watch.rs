//! Time that passes while the drill runs. A machine that sleeps, or somebody who stops everything for a while to measure
//! something else, is no fault of the program.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// How often the clock is wound.
const TICK: Duration = Duration::from_millis(20);
/// A tick that took longer was no waiting but a pause.
const PAUSE: Duration = Duration::from_secs(2);

/// Milliseconds that were pauses, and those that were none.
static PAUSED: AtomicU64 = AtomicU64::new(0);
static AWAKE: AtomicU64 = AtomicU64::new(0);

/// Winds the clock.
pub(crate) fn start() {
    thread::spawn(|| {
        let mut before = Instant::now();
        loop {
            thread::sleep(TICK);
            let gap = before.elapsed();
            before += gap;
            let kind = if gap > PAUSE { &PAUSED } else { &AWAKE };
            kind.fetch_add(gap.as_millis() as u64, Ordering::Relaxed);
        }
    });
}

/// A moment to measure from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    begun: Instant,
    paused: u64,
    awake: u64,
}

impl Watch {
    /// Now.
    pub(crate) fn start() -> Self {
        Self {
            begun: Instant::now(),
            paused: PAUSED.load(Ordering::Relaxed),
            awake: AWAKE.load(Ordering::Relaxed),
        }
    }

    /// What has passed since, without pauses.
    pub(crate) fn elapsed(&self) -> Duration {
        let since = |now: &AtomicU64, then| {
            Duration::from_millis(now.load(Ordering::Relaxed).saturating_sub(then))
        };
        let passed = self.begun.elapsed();
        // Right after a pause nobody has wound the clock yet.
        let at_most = since(&AWAKE, self.awake) + 2 * TICK;
        passed
            .saturating_sub(since(&PAUSED, self.paused))
            .min(at_most)
    }
}
