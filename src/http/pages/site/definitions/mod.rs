//! Goals, funnels and segments of a website: what is saved of it, and what came of that.

mod conversion;
mod fields;
mod filters;
mod kind;
mod list;
mod new;
mod segments;
mod show;

use crate::http::routes::Route;

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        new::routes(),
        show::routes(),
        segments::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
