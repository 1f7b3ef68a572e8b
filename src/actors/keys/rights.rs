//! What a key allows, as requests ask for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{access::Scope, ids::WebsiteId};

/// What a key grants. Without `resources` its scopes hold everywhere; with them they hold wherever it has access,
/// beside the scopes named there.
pub(super) fn rights(scopes: &[Scope], resources: Option<&Resources>) -> Rights {
    let Some(resources) = resources else {
        return (union(scopes, &[]), Vec::new());
    };
    let global = if resources.global.is_empty() {
        Vec::new()
    } else {
        union(scopes, &resources.global)
    };
    let websites = resources
        .websites
        .iter()
        .map(|(website, own)| (website.clone(), union(scopes, own)))
        .collect();
    (global, websites)
}

/// Global scopes, and scopes by website.
pub(super) type Rights = (Vec<Scope>, Vec<(WebsiteId, Vec<Scope>)>);

fn union(one: &[Scope], other: &[Scope]) -> Vec<Scope> {
    Scope::ALL
        .into_iter()
        .filter(|scope| one.contains(scope) || other.contains(scope))
        .collect()
}

/// The resources that a key's scopes hold for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Scopes for all websites of the organization; not empty means global access.
    #[serde(default)]
    pub global: Vec<Scope>,
    #[serde(default)]
    pub websites: BTreeMap<WebsiteId, Vec<Scope>>,
}
