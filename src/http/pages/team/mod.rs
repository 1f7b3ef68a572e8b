//! The organization: who is in it, what was changed, and how much is used.

mod audit;
mod members;
mod usage;

use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    [members::routes(), audit::routes(), usage::routes()]
        .into_iter()
        .flatten()
        .collect()
}
