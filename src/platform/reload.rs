//! Taking over edited settings: when the file changes, and on SIGHUP.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use arc_swap::ArcSwap;

use super::{signals, wiring};
use crate::{
    config::{Settings, file_to_watch},
    store::limits::Limits,
    telemetry::Log,
};

/// How often the file's time and size are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// What a reload needs and touches.
pub(super) struct Reloads {
    running: Settings,
    file: Option<PathBuf>,
    log: Log,
    limits: Arc<ArcSwap<Limits>>,
}

impl Reloads {
    pub(super) fn new(
        running: Settings,
        file: Option<PathBuf>,
        log: Log,
        limits: Arc<ArcSwap<Limits>>,
    ) -> Self {
        Self {
            running,
            file,
            log,
            limits,
        }
    }

    /// Watches for ever.
    pub(super) async fn run(&mut self) {
        let mut hangup = signals::hangup();
        let mut seen = self.stamp();
        loop {
            tokio::select! {
                () = signals::received(&mut hangup) => {}
                () = tokio::time::sleep(LOOK) => {
                    if self.stamp() == seen {
                        continue;
                    }
                }
            }
            seen = self.stamp();
            self.reload();
        }
    }

    /// Takes over what can be; a bad edit is refused with its mistakes, and nothing changes.
    fn reload(&mut self) {
        match self.running.reload(self.file.as_deref()) {
            Ok(reloaded) => {
                self.limits
                    .store(Arc::new(wiring::limits(&reloaded.settings.limits)));
                if let Err(error) = self.log.set_level(&reloaded.settings.log.level) {
                    tracing::error!(%error, "the log level stays as it was");
                }
                for section in reloaded.needs_restart {
                    tracing::warn!(
                        section,
                        "this section changed and takes effect after a restart"
                    );
                }
                tracing::info!("the settings were read again");
                self.running = reloaded.settings;
            }
            Err(error) => {
                tracing::error!(%error, "the edited settings are refused; the running ones stay");
            }
        }
    }

    fn stamp(&self) -> Option<(SystemTime, u64)> {
        let facts = std::fs::metadata(file_to_watch(self.file.as_deref())).ok()?;
        Some((facts.modified().ok()?, facts.len()))
    }
}
