//! Taking over edited settings: when the file changes, and on SIGHUP.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use arc_swap::ArcSwap;

use super::{outward, signals, wiring};
use crate::{
    access::plans::Plans,
    config::{Settings, file_to_watch},
    egress::Egress,
    events::enrich::Enricher,
    http::Tls,
    store::limits::Limits,
    telemetry::Log,
};

/// How often the file's time and size are looked at.
const LOOK: Duration = Duration::from_secs(2);

pub(super) struct Reloads {
    pub(super) running: Settings,
    pub(super) file: Option<PathBuf>,
    pub(super) log: Log,
    pub(super) limits: Arc<ArcSwap<Limits>>,
    pub(super) plans: Arc<ArcSwap<Plans>>,
    pub(super) enricher: Enricher,
    pub(super) egress: Egress,
    pub(super) tls: Option<Tls>,
}

/// A file's time and size; `None` when it is not there.
pub(super) type Stamp = Option<(SystemTime, u64)>;

impl Reloads {
    /// Watches forever.
    pub(super) async fn run(&mut self) {
        let mut hangup = signals::hangup();
        let mut seen = self.stamps();
        let mut certificate = self.certificate();
        loop {
            let asked = tokio::select! {
                () = signals::received(&mut hangup) => true,
                () = tokio::time::sleep(LOOK) => false,
            };
            let (settings, _) = self.stamps();
            if asked || settings != seen.0 {
                self.reload();
            }
            // The setting may name another file by now.
            let (_, database) = self.stamps();
            if (asked && database.0.is_some()) || database != seen.1 {
                self.reload_geo_database().await;
            }
            seen = (settings, database);
            let now = self.certificate();
            if asked || now != certificate {
                self.reload_certificate();
            }
            certificate = now;
        }
    }

    /// Reads the certificate again; a bad one is refused, and what there was stays.
    fn reload_certificate(&self) {
        match self.tls.as_ref().map(Tls::reload) {
            None => {}
            Some(Ok(())) => tracing::info!("the certificate was read again"),
            Some(Err(error)) => {
                tracing::error!(%error, "the new certificate is refused; the one in use stays");
            }
        }
    }

    /// Reads the database of places again; a bad one is refused, and what there was stays.
    async fn reload_geo_database(&self) {
        let (enricher, path) = (self.enricher.clone(), wiring::geo_database(&self.running));
        let read = tokio::task::spawn_blocking(move || enricher.reload(path.as_deref())).await;
        match read {
            Ok(Ok(())) => tracing::info!("the database of places was read again"),
            Ok(Err(error)) => tracing::error!(%error, "places are looked up where they were"),
            Err(error) => tracing::error!(%error, "reading the database of places failed"),
        }
    }

    /// Takes over what can be; a bad edit is refused with its mistakes, and nothing changes.
    fn reload(&mut self) {
        match self.running.reload(self.file.as_deref()) {
            Ok(reloaded) => {
                self.limits.store(Arc::new(reloaded.settings.limits));
                self.plans.store(Arc::new(reloaded.settings.plans.clone()));
                self.egress.set_policy(outward::policy(&reloaded.settings));
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

    /// The stamps of the settings and of the geo database, with its path.
    fn stamps(&self) -> (Stamp, (Option<PathBuf>, Stamp)) {
        let places = wiring::geo_database(&self.running);
        let database = places.as_deref().and_then(stamp);
        (
            stamp(&file_to_watch(self.file.as_deref())),
            (places, database),
        )
    }

    /// The stamps of the certificate and its key.
    fn certificate(&self) -> Option<[Stamp; 2]> {
        self.tls.as_ref().map(|tls| tls.files().map(stamp))
    }
}

pub(super) fn stamp(path: &Path) -> Stamp {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.modified().ok()?, facts.len()))
}
