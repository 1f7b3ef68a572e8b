//! The DNS records of domains are looked for again: of verified ones every day, of new hosts every ten minutes.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use super::{
    Domains,
    hosts::CheckHost,
    organizations::{CheckSsoDomain, OrganizationError, Records},
};
use crate::{clock::Clock, store::StateDb};

/// How often it is looked for domains whose check is due.
const TURN: Duration = Duration::from_mins(10);
/// How often it is looked whether another process does that.
const STAND_BY: Duration = Duration::from_secs(10);
/// A domain is checked again after this long, milliseconds.
const EVERY_MS: i64 = 24 * 60 * 60 * 1000;
/// Domains that are checked at the same time.
const AT_ONCE: usize = 8;

/// Checks what is due, now and every ten minutes; in one process of several.
pub async fn run(domains: Domains, db: StateDb, clock: Clock) {
    let records = domains.records(db.clone(), clock.clone());
    loop {
        if !db.is_leader() {
            tokio::time::sleep(STAND_BY).await;
            continue;
        }
        if let Err(error) = check_due(&domains, &records, clock.now_ms()).await {
            tracing::warn!(%error, "verified domains are not checked; it is tried again in ten minutes");
        }
        tokio::time::sleep(TURN).await;
    }
}

/// Checks the domains whose last check is a day old; how many.
///
/// # Errors
/// The list of those that are due can't be read.
pub async fn check_due(
    domains: &Domains,
    records: &Records,
    now_ms: i64,
) -> Result<usize, OrganizationError> {
    let due = records.due_sso_domains(now_ms - EVERY_MS).await?;
    let count = due.len();
    let checks = stream::iter(due).for_each_concurrent(AT_ONCE, async |domain| {
        let (name, was_verified) = (domain.name.clone(), domain.is_verified);
        let check = CheckSsoDomain { by: None, domain };
        match domains.organizations.ask(check).await {
            Ok(domain) if was_verified && !domain.is_verified => {
                tracing::warn!(
                    domain = name,
                    "a verified domain is lost: its text record is missing"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(domain = name, %error, "a verified domain is not checked"),
        }
    });
    checks.await;
    Ok(count + check_hosts(domains, now_ms).await)
}

/// Checks the hosts that are due; how many.
async fn check_hosts(domains: &Domains, now_ms: i64) -> usize {
    let due = domains.hosts.view().due(now_ms);
    let count = due.len();
    let checks = stream::iter(due).for_each_concurrent(AT_ONCE, async |host| {
        let (name, was_verified) = (host.name.clone(), host.is_verified());
        match domains.hosts.ask(CheckHost { by: None, host }).await {
            Ok(host) if was_verified && !host.is_verified() => {
                tracing::warn!(
                    host = name,
                    "a domain is lost: its DNS records are missing; it serves nothing until they are back"
                );
            }
            Ok(host) if !was_verified && host.is_verified() => {
                tracing::info!(host = name, "a domain is verified");
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(host = name, %error, "a domain is not checked"),
        }
    });
    checks.await;
    count
}
