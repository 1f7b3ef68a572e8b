//! The organization: its members, its audit log and its usage.

mod audit;
mod members;
mod provisioning;
mod sso;
mod usage;

use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    [
        members::routes(),
        provisioning::routes(),
        sso::routes(),
        audit::routes(),
        usage::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
