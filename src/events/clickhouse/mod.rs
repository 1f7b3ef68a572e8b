//! ClickHouse as the event store, over its HTTP interface.
//!
//! [`ClickHouse`] is the handle: it makes the tables ([`schema`]), answers statements, takes batches of rows
//! ([`Batch`]) and deletes what has to go. It knows nothing of the log: what is sent when is the shipper's business.

mod address;
mod ask;
mod batch;
mod binary;
mod cells;
mod delete;
mod encoded_rows;
mod failure;
mod migrate;
mod query;
pub mod schema;
#[cfg(test)]
#[path = "../../../tests/support/clickhouse.rs"]
#[expect(dead_code, reason = "shared with the tests over HTTP")]
pub(crate) mod server;
mod stored;
#[cfg(test)]
mod tests;
mod tls;
mod values;

use std::{sync::Arc, time::Duration};

pub use address::{Address, NotAnAddress};
pub use batch::{Batch, Finished, RowSource};
pub use encoded_rows::EncodedRows;
pub use failure::Failure;
pub use migrate::MigrateError;
pub use schema::Schema;
pub use stored::{Mark, Page, ReadError};
pub use values::{parameters, placeholder, placeholders};

/// Least memory that a statement may take there, bytes: `query.memory` is meant for an engine inside of this process.
const LEAST_MEMORY: u64 = 1 << 30;

/// Where ClickHouse is and what may be asked of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Server, user and database.
    pub address: Address,
    /// Name of the cluster on which tables are made; `None` = plain tables.
    pub cluster: Option<String>,
    /// How long a statement may take.
    pub deadline: Duration,
    /// Memory that a statement may take, bytes; at least 1 GiB.
    pub memory: u64,
    /// How long an insert may take before its outcome is unknown.
    pub patience: Duration,
}

impl Options {
    /// The usual options for a server.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            cluster: None,
            deadline: Duration::from_secs(15),
            memory: LEAST_MEMORY,
            patience: Duration::from_mins(1),
        }
    }
}

/// A ClickHouse server; cheap to clone.
#[derive(Debug, Clone)]
pub struct ClickHouse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    http: reqwest::Client,
    options: Options,
    schema: Schema,
}

impl ClickHouse {
    /// A handle to it; nothing is asked yet.
    ///
    /// # Errors
    /// The cluster's name is invalid, or no authority is trusted for TLS.
    pub fn new(options: Options) -> Result<Self, NotAnAddress> {
        let schema = Schema::new(options.cluster.clone())?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(&options.address)?)
            .connect_timeout(Duration::from_secs(5))
            .pool_idle_timeout(Duration::from_secs(2))
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| NotAnAddress(error.to_string()))?;
        Ok(Self(Arc::new(Inner {
            http,
            options,
            schema,
        })))
    }

    /// The tables.
    pub fn schema(&self) -> &Schema {
        &self.0.schema
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), Failure> {
        self.tell("SELECT 1", Duration::from_secs(2))
            .await
            .map(drop)
    }
}
