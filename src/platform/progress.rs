//! Progress of long work: a bar on a terminal, plain lines otherwise.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a plain line is written.
const EVERY: Duration = Duration::from_secs(5);

/// Shows how far long work is.
pub(super) struct Progress {
    total: u64,
    done: u64,
    bar: Option<ProgressBar>,
    said: Instant,
}

impl Progress {
    /// Work of `total` steps, each a `unit`.
    pub(super) fn new(total: u64, unit: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = format!(
                "{{bar:40}} {{human_pos}} of {{human_len}} {unit}, {{per_sec}}, {{eta}} left"
            );
            let bar = ProgressBar::new(total);
            bar.set_style(
                ProgressStyle::with_template(&style)
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            bar
        });
        Self {
            total,
            done: 0,
            bar,
            said: Instant::now(),
        }
    }

    /// Some more steps are done.
    pub(super) fn advance(&mut self, steps: u64) {
        self.done += steps;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        } else if self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            tracing::info!(done = self.done, total = self.total, "working");
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
