//! One struct per section of `config/pharos.toml`; field names are the keys. Defaults live in that file alone.
//!
//! A section that another module uses as it is belongs to that module, and is named here.

mod auth;
mod data;
mod outward;
mod serving;

pub use crate::{
    access::plans::Plans,
    actors::{delivery::ChannelOptions as Alarms, monitors::MonitorOptions as Monitors},
    egress::Policy as Egress,
    store::limits::Limits,
    telemetry::{Format as LogFormat, Options as Log},
};

pub use auth::{Auth, Oidc};
pub use data::{
    Ack, Database, EventStore, Events, Geo, Ingest, IngestDegraded, OnFsyncError, Query, Redis,
    Storage,
};
pub use outward::{Agent, Mail};
pub use serving::{Acme, Provision, Removed, Server, Signup, Telemetry};
