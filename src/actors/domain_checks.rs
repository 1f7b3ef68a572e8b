//! The DNS records of domains are looked for again: of verified ones every day, of new hosts every ten minutes.
//!
//! Domains for sign-in and hosts have a loop each, so neither waits for silent name servers of the other. Within a round an
//! organization has one check at a time and so many at most, so thousands of its domains hold up none of others.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};

use super::{
    Domains,
    hosts::{CheckHost, CustomHost, Hosts},
    kit::Handle,
    organizations::{CheckSsoDomain, OrganizationError, Organizations, Records, SsoDomain},
};
use crate::{clock::Clock, ids::OrganizationId, store::StateDb};

/// How often it is looked for domains whose check is due.
const TURN: Duration = Duration::from_mins(1);
/// The pause before the next round when more are due than one round checks.
const PAUSE: Duration = Duration::from_secs(1);
/// How often it is looked whether another process does that.
const STAND_BY: Duration = Duration::from_secs(10);
/// A domain for sign-in is checked again after this long, milliseconds.
const EVERY_MS: i64 = 24 * 60 * 60 * 1000;
/// Organizations whose domains are checked at the same time.
const MAX_ORGANIZATIONS: usize = 16;
/// Domains of one organization that are checked in one round.
const MAX_SHARE: usize = 20;

/// Checks what is due, now and every minute; in one process of several.
pub async fn run(domains: Domains, db: StateDb, clock: Clock) {
    let sso = SsoDomains::new(&domains, domains.records(db.clone(), clock.clone()));
    tokio::join!(
        check_forever(sso, &db, &clock),
        check_forever(CustomHosts(domains.hosts), &db, &clock),
    );
}

/// One round of each kind; how many domains were checked.
///
/// # Errors
/// The list of those that are due can't be read.
pub async fn check_due(
    domains: &Domains,
    records: &Records,
    now_ms: i64,
) -> Result<usize, OrganizationError> {
    let sso = SsoDomains::new(domains, records.clone());
    let hosts = CustomHosts(domains.hosts.clone());
    let (sso, hosts) = tokio::join!(check_round(&sso, now_ms), check_round(&hosts, now_ms));
    Ok(sso?.checked + hosts?.checked)
}

/// A kind of domains.
trait Kind {
    type Domain;

    /// Those whose check is due, the longest unchecked first.
    async fn find_due(&self, now_ms: i64) -> Result<Vec<Self::Domain>, OrganizationError>;

    fn owner(domain: &Self::Domain) -> &OrganizationId;

    async fn check(&self, domain: Self::Domain);
}

/// What a round has done.
struct Round {
    checked: usize,
    /// Whether some wait for the next round.
    has_left: bool,
}

async fn check_forever(kind: impl Kind, db: &StateDb, clock: &Clock) {
    loop {
        let pause = if db.is_leader() {
            match check_round(&kind, clock.now_ms()).await {
                Ok(round) if round.has_left => PAUSE,
                Ok(_) => TURN,
                Err(error) => {
                    tracing::warn!(%error, "verified domains are not checked; it is tried again in a minute");
                    TURN
                }
            }
        } else {
            STAND_BY
        };
        tokio::time::sleep(pause).await;
    }
}

async fn check_round<K: Kind>(kind: &K, now_ms: i64) -> Result<Round, OrganizationError> {
    let due = kind.find_due(now_ms).await?;
    let count = due.len();
    let shares = share_out(due, K::owner);
    let checked = shares.iter().map(Vec::len).sum();
    let checks =
        stream::iter(shares).for_each_concurrent(MAX_ORGANIZATIONS, async |share: Vec<_>| {
            for domain in share {
                kind.check(domain).await;
            }
        });
    checks.await;
    Ok(Round {
        checked,
        has_left: checked < count,
    })
}

/// What one round checks, by organization.
fn share_out<T>(due: Vec<T>, owner: impl Fn(&T) -> &OrganizationId) -> Vec<Vec<T>> {
    let mut shares: BTreeMap<OrganizationId, Vec<T>> = BTreeMap::new();
    for domain in due {
        let share = shares.entry(owner(&domain).clone()).or_default();
        if share.len() < MAX_SHARE {
            share.push(domain);
        }
    }
    shares.into_values().collect()
}

/// Domains whose members sign in with a provider of their own.
struct SsoDomains {
    organizations: Handle<Organizations>,
    records: Records,
}

impl SsoDomains {
    fn new(domains: &Domains, records: Records) -> Self {
        let organizations = domains.organizations.clone();
        Self {
            organizations,
            records,
        }
    }
}

impl Kind for SsoDomains {
    type Domain = SsoDomain;

    async fn find_due(&self, now_ms: i64) -> Result<Vec<SsoDomain>, OrganizationError> {
        self.records.due_sso_domains(now_ms - EVERY_MS).await
    }

    fn owner(domain: &SsoDomain) -> &OrganizationId {
        &domain.organization
    }

    async fn check(&self, domain: SsoDomain) {
        let (name, was_verified) = (domain.name.clone(), domain.is_verified);
        let check = CheckSsoDomain { by: None, domain };
        match self.organizations.ask(check).await {
            Ok(domain) if was_verified && !domain.is_verified => {
                tracing::warn!(
                    domain = name,
                    "a verified domain is lost: its text record is missing"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(domain = name, %error, "a verified domain is not checked"),
        }
    }
}

/// Hosts that organizations bring.
struct CustomHosts(Handle<Hosts>);

impl Kind for CustomHosts {
    type Domain = Arc<CustomHost>;

    async fn find_due(&self, now_ms: i64) -> Result<Vec<Arc<CustomHost>>, OrganizationError> {
        Ok(self.0.view().due(now_ms))
    }

    fn owner(host: &Arc<CustomHost>) -> &OrganizationId {
        &host.organization
    }

    async fn check(&self, host: Arc<CustomHost>) {
        let (name, was_verified) = (host.name.clone(), host.is_verified());
        match self.0.ask(CheckHost { by: None, host }).await {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organization_with_thousands_of_domains_has_no_more_of_a_round_than_its_share() {
        let due = (0..5_000).map(|nth| (OrganizationId::from("large"), nth));
        let due = due.chain([(OrganizationId::from("small"), 7)]).collect();
        let shares = share_out(due, |(owner, _)| owner);
        let large: Vec<i32> = shares[0].iter().map(|(_, nth)| *nth).collect();
        assert_eq!(large, (0..20).collect::<Vec<_>>(), "the longest unchecked");
        assert_eq!(shares[1], [(OrganizationId::from("small"), 7)]);
    }
}
