//! The program as its users meet it: over HTTP, from the command line, through kills and panics.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "helpers of tests fail loudly, and drills need the real machine"
)]

mod agents;
mod alarms;
mod apikeys;
mod app;
mod architecture;
mod assets;
mod backup;
mod browser;
mod cast;
mod clickhouse;
mod clients;
mod clock_ahead;
mod command_line;
mod console;
mod contract;
mod corpus;
mod database;
mod deployment;
mod desk;
mod doctor;
mod drills;
mod encrypted;
mod exports;
mod filled;
mod first_start;
mod flag_insight;
mod flags;
#[path = "../../fuzz/src/targets/mod.rs"]
mod fuzzed;
mod identity;
mod import;
mod ingest;
mod ingestion;
mod jumps;
mod kills;
mod ledger;
mod lifecycle;
mod limits;
mod links;
mod load;
mod matrix;
mod moving;
mod observability;
mod openapi;
mod outside;
mod people;
mod plans;
mod plausible;
mod postgres;
mod privacy;
mod process;
mod provision;
mod provision_kill;
mod queries;
mod receiver;
mod recorder;
mod redis;
mod reload;
mod replicas;
mod reports;
mod requests;
mod retention;
mod rollback;
mod round_trip;
mod schema;
mod scopes;
mod script;
mod secrets;
mod settings;
mod shift;
mod slow;
mod small_disk;
mod smtp;
mod smuggling;
mod status_clock;
mod status_moves;
mod status_pages;
mod stores;
mod studies;
mod subscribers;
mod tenants;
mod threats;
mod tls;
mod tour;
mod upgrade;
mod uptime;
mod website_lives;
mod website_moves;
mod website_rules;
mod wire_details;
