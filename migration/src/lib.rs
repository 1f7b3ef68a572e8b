//! Schema migrations: frozen history, importing nothing of the program.
//!
//! A migration that has been released is never edited; a change is a new file. Every statement runs on `SQLite`
//! and on `PostgreSQL`.

#![expect(
    elided_lifetimes_in_paths,
    reason = "the signature of `MigrationTrait::up` elides it, and the macro insists on the same"
)]

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::{MigrationTrait, async_trait};

mod columns;
mod m0001_people;
mod m0002_websites_and_keys;
mod m0003_events;
mod m0004_profiles;
mod m0005_audit;
mod m0006_accounts;
mod m0007_extracts;
mod m0008_held;
mod m0009_links;
mod m0011_link_words;
mod m0012_monitors;
mod m0013_watched_links;
mod m0014_flags;
mod m0015_studies;
mod m0016_moved_websites;
mod m0017_desk;
mod m0018_deleted_links;
mod m0019_agent_chats;
mod m0020_agent_memory;
mod m0021_alarms;
mod m0022_status_pages;
mod m0023_subscribers;
mod m0024_provisioned;
mod m0025_imports;
mod m0028_domain_epochs;
mod m0029_leases;
mod m0030_taken_parcels;
mod m0031_monitor_rows;
mod m0032_link_uses;
mod m0033_manifest_versions;

/// All migrations, oldest first.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_people::Migration),
            Box::new(m0002_websites_and_keys::Migration),
            Box::new(m0003_events::Migration),
            Box::new(m0004_profiles::Migration),
            Box::new(m0005_audit::Migration),
            Box::new(m0006_accounts::Migration),
            Box::new(m0007_extracts::Migration),
            Box::new(m0008_held::Migration),
            Box::new(m0009_links::Migration),
            Box::new(m0011_link_words::Migration),
            Box::new(m0014_flags::Migration),
            Box::new(m0012_monitors::Migration),
            Box::new(m0015_studies::Migration),
            Box::new(m0013_watched_links::Migration),
            Box::new(m0021_alarms::Migration),
            Box::new(m0018_deleted_links::Migration),
            Box::new(m0019_agent_chats::Migration),
            Box::new(m0025_imports::Migration),
            Box::new(m0016_moved_websites::Migration),
            Box::new(m0017_desk::Migration),
            Box::new(m0022_status_pages::Migration),
            Box::new(m0020_agent_memory::Migration),
            Box::new(m0024_provisioned::Migration),
            Box::new(m0023_subscribers::Migration),
            Box::new(m0028_domain_epochs::Migration),
            Box::new(m0029_leases::Migration),
            Box::new(m0030_taken_parcels::Migration),
            Box::new(m0031_monitor_rows::Migration),
            Box::new(m0032_link_uses::Migration),
            Box::new(m0033_manifest_versions::Migration),
        ]
    }
}
