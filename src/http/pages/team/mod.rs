//! The organization: its members, its audit log and its usage.

mod apps;
mod audit;
mod members;
mod provisioning;
mod second_factors;
mod sso;
mod usage;

use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    [
        members::routes(),
        provisioning::routes(),
        apps::routes(),
        second_factors::routes(),
        sso::routes(),
        audit::routes(),
        usage::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
