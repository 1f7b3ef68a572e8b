//! ClickHouse as the event store, as settings have it.

use std::time::Duration;

use super::Refusal;
use crate::{
    config::{
        Settings,
        sections::{Ack, EventStore},
    },
    events::{
        clickhouse::{Address, ClickHouse, Failure, MigrateError, NotAnAddress, Options},
        shipper::{Pace, Remote},
    },
};

/// How long a start waits for ClickHouse. One that is away is waited for while events are taken in.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where events go, if not into segments; its tables are made if it answers.
///
/// # Errors
/// A [`Refusal`] when the settings are wrong, or ClickHouse says no.
pub(super) async fn remote(settings: &Settings) -> anyhow::Result<Option<Remote>> {
    if settings.events.store == EventStore::Embedded {
        return Ok(None);
    }
    let engine = engine(settings).map_err(|error| Refusal {
        what: format!(
            "`events.clickhouse_url` or `events.clickhouse_cluster` cannot be used: {error}"
        ),
        hint: "an address is like \"http://user:password@host:8123/database\"".to_owned(),
    })?;
    match tokio::time::timeout(PATIENCE, engine.migrate()).await {
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
        ack: settings.ingest.ack == Ack::Remote,
        pace: Pace::default(),
    }))
}

fn engine(settings: &Settings) -> Result<ClickHouse, NotAnAddress> {
    let address = Address::parse(settings.events.clickhouse_url.expose())?;
    let cluster = &settings.events.clickhouse_cluster;
    ClickHouse::new(Options {
        cluster: (!cluster.is_empty()).then(|| cluster.clone()),
        deadline: Duration::from_secs(settings.query.deadline_seconds.into()),
        memory: settings.query.memory.0,
        ..Options::new(address)
    })
}

fn refused(error: &MigrateError) -> Refusal {
    let hint = match error {
        MigrateError::Newer(_) => "start that version",
        MigrateError::Failure(_) => {
            "check the user, the password and the database of `events.clickhouse_url`; the user has to be allowed to create, alter, \
             insert into and select from tables of that database"
        }
    };
    Refusal {
        what: error.to_string(),
        hint: hint.to_owned(),
    }
}
