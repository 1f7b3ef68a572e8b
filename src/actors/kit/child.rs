//! A domain that runs, as who stops it knows it.

use anyhow::Context as _;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The supervisor's end of one domain.
#[derive(Debug)]
pub struct Child {
    pub(super) name: &'static str,
    pub(super) stop: CancellationToken,
    pub(super) done: JoinHandle<anyhow::Result<()>>,
}

impl Child {
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Has the domain finish what it has accepted, flush and stop; [`Child::ended`] resolves then.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Resolves when the domain is gone for good: `Ok` after a drain, `Err` after it died once too often or
    /// failed to drain. Must not be called again after it has resolved.
    pub async fn ended(&mut self) -> anyhow::Result<()> {
        match (&mut self.done).await {
            Ok(outcome) => outcome,
            Err(error) => Err(error).with_context(|| format!("supervisor of `{}` died", self.name)),
        }
    }
}
