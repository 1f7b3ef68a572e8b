//! ClickHouse as the event store, as settings have it.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::runtime::Handle;

use super::CommandError;
use crate::{
    config::{
        Settings,
        sections::{Ack, EventStore},
    },
    events::{
        clickhouse::{Address, ClickHouse, Failure, MigrateError, NotAnAddress, Options},
        store::shipper::{Claims, Pace, Remote},
    },
    store::limits::Shared,
};

/// How long a start waits for ClickHouse. One that is away is waited for while events are taken in.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ids of events, in the Redis that servers share.
#[derive(Debug)]
struct Ids {
    counts: Shared,
    window: Duration,
    /// Where connections live: the shipper's own thread does long work between two calls.
    runtime: Handle,
}

impl Claims for Ids {
    fn claim<'a>(
        &'a self,
        node: &'a str,
        ids: &'a [u128],
    ) -> BoxFuture<'a, Result<Vec<bool>, String>> {
        let (counts, window) = (self.counts.clone(), self.window);
        let (node, ids) = (node.to_owned(), ids.to_vec());
        let asked = self
            .runtime
            .spawn(async move { counts.claim(&node, &ids, window).await });
        async move {
            let answer = asked.await.map_err(|error| error.to_string())?;
            answer.map_err(|error| error.to_string())
        }
        .boxed()
    }
}

/// Where events go, if not into segments; its tables are made if it answers. `counts` is the Redis of several servers.
///
/// # Errors
/// A [`CommandError`] when the settings are wrong, or ClickHouse says no.
pub(super) async fn remote(
    settings: &Settings,
    counts: Option<Shared>,
) -> anyhow::Result<Option<Remote>> {
    let Some(engine) = engine(settings)? else {
        return Ok(None);
    };
    let migrated = tokio::time::timeout(PATIENCE, engine.migrate()).await;
    let is_ready = matches!(migrated, Ok(Ok(())));
    match migrated {
        Ok(Ok(())) => {}
        Ok(Err(
            error @ (MigrateError::Newer(_) | MigrateError::Failure(Failure::Refused { .. })),
        )) => {
            return Err(refused(&error).into());
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "events wait in the log until ClickHouse is there");
        }
        Err(_) => tracing::warn!("ClickHouse takes long; events wait in the log until it answers"),
    }
    Ok(Some(Remote {
        engine,
        is_ready,
        ack: settings.ingest.ack == Ack::Remote,
        pace: Pace::default(),
        claims: counts.map(|counts| {
            let window = Duration::from_hours(settings.ingest.dedup_hours.into());
            let runtime = Handle::current();
            Arc::new(Ids {
                counts,
                window,
                runtime,
            }) as Arc<dyn Claims>
        }),
    }))
}

/// ClickHouse with its tables, or an error; `None` where settings keep events elsewhere.
///
/// # Errors
/// A [`CommandError`] also when it does not answer.
pub(super) async fn ready(settings: &Settings) -> anyhow::Result<Option<ClickHouse>> {
    let Some(engine) = engine(settings)? else {
        return Ok(None);
    };
    engine.migrate().await.map_err(|error| refused(&error))?;
    Ok(Some(engine))
}

/// A handle to it; nothing is asked yet. `None` where events are not to be there.
///
/// # Errors
/// A [`CommandError`] when the settings are wrong.
pub(super) fn engine(settings: &Settings) -> anyhow::Result<Option<ClickHouse>> {
    if settings.events.store == EventStore::Embedded {
        return Ok(None);
    }
    let wrong = |error: NotAnAddress| {
        CommandError::new(
            format!(
                "`events.clickhouse_url` or `events.clickhouse_cluster` cannot be used: {error}"
            ),
            "an address is like \"http://user:password@host:8123/database\", or https://",
        )
    };
    Ok(Some(handle(settings).map_err(wrong)?))
}

fn handle(settings: &Settings) -> Result<ClickHouse, NotAnAddress> {
    let address = Address::parse(settings.events.clickhouse_url.expose())?;
    let cluster = &settings.events.clickhouse_cluster;
    ClickHouse::new(Options {
        cluster: (!cluster.is_empty()).then(|| cluster.clone()),
        deadline: Duration::from_secs(settings.query.deadline_seconds.into()),
        memory: settings.query.memory.0,
        ..Options::new(address)
    })
}

fn refused(error: &MigrateError) -> CommandError {
    let hint = match error {
        MigrateError::Newer(_) => "start that version",
        MigrateError::Failure(failure) => connection_hint(failure),
    };
    CommandError::new(error.to_string(), hint)
}

/// What to do about a failure of `ClickHouse`.
pub(super) fn connection_hint(failure: &Failure) -> &'static str {
    match failure {
        Failure::Away(_) => {
            "check `events.clickhouse_url`, and that ClickHouse runs there and lets this machine in"
        }
        Failure::Refused { .. } => {
            "check the user, the password and the database of `events.clickhouse_url`; the user has to be allowed to create, alter, \
             insert into and select from tables of that database"
        }
    }
}
