//! Schema migrations: frozen history, importing nothing of the program.
//!
//! A migration that has been released is never edited; a change is a new file. Every statement runs on `SQLite`
//! and on `PostgreSQL`.

#![forbid(unsafe_code)]
#![expect(
    elided_lifetimes_in_paths,
    reason = "the signature of `MigrationTrait::up` elides it, and the macro insists on the same"
)]

use std::pin::Pin;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::{
    MigrationName, MigrationTrait, SchemaManager, async_trait, sea_orm::DbErr,
};

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
mod m0034_shares;
mod m0035_scheduled_reports;
mod m0036_boards;
mod m0037_shared_boards;
mod m0038_protocols;
mod m0039_languages;
mod m0040_error_statuses;
mod m0041_sign_in;
mod m0047_event_imports;
mod m0048_oauth;
mod m0049_scim;
mod m0050_passkeys;
mod m0051_sso;
mod m0052_hosts;
mod m0053_acme;
mod m0054_orders_by_organization;
mod m0055_probes;

/// All migrations, oldest first.
#[derive(Debug)]
pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        migrations()
    }
}

type Outcome<'a> = Pin<Box<dyn Future<Output = Result<(), DbErr>> + Send + 'a>>;

struct Migration {
    /// As the database records it.
    name: &'static str,
    up: for<'a, 'c> fn(&'a SchemaManager<'c>) -> Outcome<'a>,
}

impl MigrationName for Migration {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        (self.up)(manager).await
    }
}

/// Lists modules by name, oldest first.
macro_rules! migrations {
    ($($name:ident),* $(,)?) => {
        fn migrations() -> Vec<Box<dyn MigrationTrait>> {
            vec![$(Box::new(Migration {
                name: stringify!($name),
                up: |manager| Box::pin($name::up(manager)),
            })),*]
        }
    };
}

migrations![
    m0001_people,
    m0002_websites_and_keys,
    m0003_events,
    m0004_profiles,
    m0005_audit,
    m0006_accounts,
    m0007_extracts,
    m0008_held,
    m0009_links,
    m0011_link_words,
    m0014_flags,
    m0012_monitors,
    m0015_studies,
    m0013_watched_links,
    m0021_alarms,
    m0018_deleted_links,
    m0019_agent_chats,
    m0025_imports,
    m0016_moved_websites,
    m0017_desk,
    m0022_status_pages,
    m0020_agent_memory,
    m0024_provisioned,
    m0023_subscribers,
    m0028_domain_epochs,
    m0029_leases,
    m0030_taken_parcels,
    m0031_monitor_rows,
    m0032_link_uses,
    m0033_manifest_versions,
    m0034_shares,
    m0035_scheduled_reports,
    m0036_boards,
    m0037_shared_boards,
    m0038_protocols,
    m0039_languages,
    m0040_error_statuses,
    m0041_sign_in,
    m0047_event_imports,
    m0048_oauth,
    m0049_scim,
    m0050_passkeys,
    m0051_sso,
    m0052_hosts,
    m0053_acme,
    m0054_orders_by_organization,
    m0055_probes,
];
