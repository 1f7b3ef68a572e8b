//! `pharos`: web analytics, event ingestion, short links, uptime monitors, status pages, feature flags and alarms
//! in one program.
//!
//! Start reading at [`platform`], which puts everything together, then follow a request: [`http`] → [`actors`] →
//! [`events`] and [`analytics`]. `ARCHITECTURE.md` names the rules that hold between the modules.

#![forbid(unsafe_code)]

pub mod access;
pub mod acme;
pub mod actors;
mod allocator;
pub mod analytics;
pub mod cli;
pub mod clock;
pub mod config;
pub mod egress;
pub mod entities;
pub mod events;
pub mod fault;
pub mod http;
pub mod ids;
pub mod importers;
pub mod load;
pub mod locale;
pub mod metrics;
pub mod oidc;
pub mod pages;
pub mod passkeys;
pub mod platform;
pub mod scim;
pub mod spans;
pub mod store;
pub mod telemetry;
