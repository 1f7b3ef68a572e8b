//! A running server follows its declarations: at its start, when files change, on SIGHUP, and when a command asks.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Action, ProvisionOptions, Provisioning, Report, control, read};
use crate::platform::{
    reload::{Stamp, stamp},
    signals,
};

/// How often the directory is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Files with their times and sizes; `None` when there is no such directory.
type Stamps = Option<Vec<(PathBuf, Stamp)>>;

impl Provisioning {
    /// Follows the files forever.
    pub(in crate::platform) async fn run(&self) {
        let listener = control::listen(Path::new(&self.settings.storage.data_dir));
        let mut hangup = signals::hangup();
        let mut done = stamps(&self.directory);
        self.reconcile().await;
        let mut before = done.clone();
        loop {
            tokio::select! {
                () = signals::received(&mut hangup) => {
                    done = stamps(&self.directory);
                    self.reconcile().await;
                }
                stream = control::accept(listener.as_ref()) => {
                    control::answer(stream, async |options: ProvisionOptions| {
                        let report = self.run_once(options).await?;
                        if options.apply {
                            log(&report);
                        }
                        Ok(report)
                    })
                    .await;
                }
                () = tokio::time::sleep(LOOK) => {
                    let now = stamps(&self.directory);
                    // Only when the files have stopped changing: half a file declares half of what it should.
                    if now != done && now == before {
                        done.clone_from(&now);
                        self.reconcile().await;
                    }
                    before = now;
                }
            }
        }
    }

    async fn reconcile(&self) {
        let options = ProvisionOptions {
            apply: true,
            ..ProvisionOptions::default()
        };
        match self.run_once(options).await {
            Ok(report) => log(&report),
            Err(error) => tracing::error!(
                error = format!("{error:#}"),
                "declared resources stay as they are"
            ),
        }
    }
}

fn log(report: &Report) {
    for wrong in &report.mistakes {
        let hint = wrong.hint.as_deref();
        tracing::error!(what = wrong.what, hint, "a declaration is wrong");
    }
    if !report.mistakes.is_empty() {
        tracing::error!("the declarations are refused; what they made before stays as it is");
        return;
    }
    for step in &report.steps {
        let (key, organization) = (&step.key, &step.organization);
        match step.action {
            Action::Unchanged => {}
            Action::Conflict => {
                tracing::warn!(
                    key,
                    organization,
                    why = step.why,
                    "a declaration is left alone"
                );
            }
            action if report.stopped.is_none() => {
                let fields = step.fields.join(", ");
                tracing::info!(
                    key,
                    organization,
                    ?action,
                    fields,
                    "a declaration took effect"
                );
            }
            _ => {}
        }
    }
    if let Some(stopped) = &report.stopped {
        let left = report.left.join("; ");
        tracing::error!(
            what = stopped.what,
            left,
            "declarations are refused, and what they had made is taken back"
        );
    }
}

fn stamps(directory: &Path) -> Stamps {
    let files = read::files(directory).ok()??;
    let stamped = |file: PathBuf| {
        let stamp = stamp(&file);
        (file, stamp)
    };
    Some(files.into_iter().map(stamped).collect())
}
