//! How often several links were followed, in one question.

use std::collections::HashMap;

use super::target;
use crate::{
    access::Principal,
    analytics::run::{self, Period},
    fault::Fault,
    http::Shared,
    ids::{LinkId, OrganizationId},
};

/// Clicks of an organization's links, for callers who may read all of its events; links without clicks are not among them.
///
/// # Errors
/// The caller may not read the organization's events; the engine or the database cannot answer.
pub(in crate::http) async fn clicks(
    shared: &Shared,
    caller: &Principal,
    organization: &OrganizationId,
    (links, period): (&[&str], Period),
) -> Result<HashMap<LinkId, u64>, Fault> {
    let target = target::organization(shared, caller, organization.as_str())?;
    let keys = shared.links.view().keys(organization, links).await;
    let known = keys?;
    let keys: Vec<_> = known.iter().map(|(_, key)| *key).collect();
    let clicks = run::clicks(&shared.events, &target, &keys, period).await?;
    let known = known.into_iter();
    Ok(known
        .filter_map(|(link, key)| Some((link, *clicks.get(&key)?)))
        .collect())
}
