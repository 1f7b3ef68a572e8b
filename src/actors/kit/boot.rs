//! Booting a domain.

use std::panic::AssertUnwindSafe;

use anyhow::Context as _;
use futures_util::FutureExt as _;

use super::Domain;

/// [`Domain::boot`], with a panic turned into an error.
pub(super) async fn boot<D: Domain>(env: D::Env) -> anyhow::Result<D> {
    if let Some(db) = D::epoch_source(&env) {
        db.remember().await?;
    }
    AssertUnwindSafe(D::boot(env))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(anyhow::anyhow!("boot panicked")))
        .with_context(|| format!("actor `{}` cannot boot", D::NAME))
}
