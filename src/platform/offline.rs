//! How commands run without the server: on a runtime of their own, on the state database alone, or on all stores and domains.

use std::sync::Arc;

use super::{GRACE, Stores, wiring};
use crate::{
    actors::{
        Domains,
        ingest::{Compact, Ingest, IngestError, Seal},
        kit::{Handle, drain_all},
    },
    clock::Clock,
    config::Settings,
    store::StateDb,
};

/// Runs one command on a runtime of its own.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build()?.block_on(work)
}

/// Does something with the state database of an installation whose server may be running.
pub(super) fn with_state<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&StateDb) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    block_on(async {
        let state = Stores::state_beside(settings).await?;
        let done = work(&state).await;
        state.close().await?;
        done
    })
}

/// Opens stores and domains without listening, does something with them, and closes them again.
pub(super) fn offline<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Stores, Domains) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    actix::System::new().block_on(async {
        let stores = Stores::open(settings, Clock::system()).await?;
        let (domains, children) =
            Domains::start(&wiring::env(&stores, settings, &Arc::default())?).await?;
        let outcome = work(&stores, domains).await;
        drain_all(children, GRACE).await;
        stores.close().await;
        outcome
    })
}

/// Seals, or ships, until nothing is left to do. Asking again after a timeout finds the work done or goes on with it.
pub(super) async fn seal_all(ingest: &Handle<Ingest>) -> Result<(), IngestError> {
    loop {
        match ingest.ask(Seal).await {
            Ok(0) => return Ok(()),
            Err(error) if !error.is_timeout() => return Err(error),
            Ok(_) | Err(_) => {}
        }
    }
}

/// Seals and merges until nothing is left to do.
pub(super) async fn tidy(ingest: &Handle<Ingest>) -> Result<(), IngestError> {
    seal_all(ingest).await?;
    loop {
        match ingest.ask(Compact { at_rest: true }).await {
            Ok(false) => return Ok(()),
            Err(error) if !error.is_timeout() => return Err(error),
            Ok(true) | Err(_) => {}
        }
    }
}
