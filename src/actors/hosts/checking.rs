//! Looks into DNS.

use std::{collections::BTreeSet, time::Duration};

use tokio::time::timeout;

use super::{CustomHost, DnsFindings, Pointing};
use crate::{
    actors::dns_proof::shown,
    egress::{Egress, Failure, RecordKind, TextRecord},
};

/// Time for all questions about a host: less than callers wait for an answer.
const PATIENCE: Duration = Duration::from_millis(4_500);
const LATE: &str = "no name server answered in time";

/// What DNS says of a host, which should lead to `target`.
pub(super) async fn look(egress: &Egress, host: &CustomHost, target: &str) -> DnsFindings {
    let (name, wanted) = (host.record_name(), host.record_text());
    let (text, leads_here) = tokio::join!(
        egress.find_text(&name, &wanted),
        timeout(PATIENCE, leads(egress, &host.name, target)),
    );
    let late = |_| (Pointing::Unknown, vec![LATE.to_owned()]);
    let (pointing, leads_to) = leads_here.unwrap_or_else(late);
    let (text, texts) = match text {
        TextRecord::Found => (Some(true), Vec::new()),
        TextRecord::Missing(texts) => (Some(false), texts),
        TextRecord::Unknown(failure) => (None, vec![failure.message]),
    };
    DnsFindings {
        text,
        texts: shown(texts),
        pointing,
        leads_to: shown(leads_to),
    }
}

/// Where a name leads: to the target by its name, or to one of the target's addresses.
async fn leads(egress: &Egress, name: &str, target: &str) -> (Pointing, Vec<String>) {
    let aliases = match egress.find_records(name, RecordKind::Cname).await {
        Ok(aliases) => aliases,
        Err(failure) => return (Pointing::Unknown, vec![failure.message]),
    };
    let aliases = aliases
        .iter()
        .map(|alias| alias.trim_end_matches('.').to_lowercase());
    let aliases: Vec<String> = aliases.collect();
    if aliases.iter().any(|alias| alias == target) {
        return (Pointing::Here, aliases);
    }
    let (own, ours) = tokio::join!(addresses(egress, name), addresses(egress, target));
    let own = match own {
        Ok(own) => own,
        Err(failure) => return (Pointing::Unknown, vec![failure.message]),
    };
    let found = match ours {
        Ok(ours) if own.intersection(&ours).next().is_some() => Pointing::Here,
        // Whose addresses are not known may be these.
        Err(_) if !own.is_empty() => Pointing::Unknown,
        _ => Pointing::Elsewhere,
    };
    (found, aliases.into_iter().chain(own).collect())
}

async fn addresses(egress: &Egress, name: &str) -> Result<BTreeSet<String>, Failure> {
    // An address as it is.
    if name.parse::<std::net::IpAddr>().is_ok() {
        return Ok(BTreeSet::from([name.to_owned()]));
    }
    let (four, six) = tokio::join!(
        egress.find_records(name, RecordKind::A),
        egress.find_records(name, RecordKind::Aaaa),
    );
    Ok(four?.into_iter().chain(six?).collect())
}
