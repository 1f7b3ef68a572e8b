//! One struct per section of `config/pharos.toml`; field names are the keys. Defaults live in that file alone.
//!
//! A section that another module uses as it is stands there: [`Alarms`], [`Limits`], [`Monitors`], [`Plans`].

mod data;
mod outward;
mod serving;

pub use crate::{
    access::plans::Plans,
    actors::{delivery::Bases as Alarms, monitors::MonitorOptions as Monitors},
    store::limits::Limits,
};

pub use data::{
    Ack, Database, EventStore, Events, Geo, Ingest, IngestDegraded, OnFsyncError, Query, Redis,
    Storage,
};
pub use outward::{Agent, Egress, Mail};
pub use serving::{Log, LogFormat, Provision, Removed, Server, Signup, Telemetry};
