//! One struct per section of `config/pharos.toml`; field names are the keys. Defaults live in that file alone.

mod allowances;
mod data;
mod outward;
mod serving;

pub use allowances::{Limits, Plan, Plans};
pub use data::{
    Ack, Database, EventStore, Events, Geo, Ingest, IngestDegraded, OnFsyncError, Query, Redis,
    Storage,
};
pub use outward::{Agent, Alarms, Egress, Mail, Monitors};
pub use serving::{Log, LogFormat, Provision, Removed, Server, Signup, Telemetry};
